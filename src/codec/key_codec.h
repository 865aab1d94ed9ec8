// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "codec/column_set.h"
#include "codec/key_step.h"
#include "codec/table_descriptor.h"

namespace basalt::codec {

// Turns record images into the memcomparable keys of one index, and walks such keys. The layout is
// docs/format/key.md. Compiled once when a table is opened into a list of steps, one a key part.
//
// Immutable after Compile: any number of threads may use one object. No function below allocates,
// locks or makes a system call; the only virtual call is the collation's
// own transformation, for the collations that have no table. Encoding cannot fail; reading checks
// every bound.
class KeyCodec {
 public:
  // Builds the codec of table.indexes[index]. kNotSupported for a kv format version or a part the
  // format cannot hold, kInvalidArgument for a descriptor that contradicts itself.
  static Status Compile(const TableDescriptor& table, size_t index,
                        std::unique_ptr<KeyCodec>* codec);

  // Room the output buffers of the functions below need, in bytes. The real results are mostly
  // much smaller; the room is also used as scratch space while a key is built.
  size_t max_key_bytes() const { return max_key_bytes_; }        // with the index number
  size_t max_unpack_bytes() const { return max_unpack_bytes_; }  // content, without its header

  uint32_t index_number() const { return index_number_; }
  IndexKind index_kind() const { return index_kind_; }
  bool has_ttl() const { return has_ttl_; }
  // Is it searched with a window (window_search.h)? Then no search tuple says anything.
  bool IsSpatial() const { return steps_[0].op == KeyOp::kExtent; }

  // Parts the user declared (of a FULLTEXT index one, the word), and those plus the appended parts
  // of the primary key (a hidden id counts as one).
  unsigned user_parts() const { return user_parts_; }
  unsigned total_parts() const { return static_cast<unsigned>(steps_.size()); }

  // The whole key of a row, appended primary key parts included. `hidden_id` is used only in
  // tables with a hidden primary key. Writes at most max_key_bytes() to key_out and returns how
  // many. With unpack_out not null, writes the unpack info content there (at most
  // max_unpack_bytes()) and its length to *unpack_bytes.
  size_t EncodeKey(const uint8_t* record, uint64_t hidden_id, uint8_t* key_out, uint8_t* unpack_out,
                   size_t* unpack_bytes) const;

  // The index number and the first `parts` parts of a row, those of the primary key at the end
  // included, but no hidden id: what a unique check or a range over a record image needs. Same
  // buffer size as EncodeKey.
  size_t EncodePrefix(const uint8_t* record, unsigned parts, uint8_t* out) const;

  // Encodes a prefix from the server's search tuple ("key image": per part an optional NULL byte,
  // then the column's bytes; 2 little-endian length bytes in front of VARCHAR and BLOB data).
  // Spares the copy into a record image. A part whose bytes hold more than a search value can tell
  // (the length of a BLOB, characters behind a prefix) ends the result early: the bytes are still a
  // prefix of every matching key. *parts_done says how many parts are complete in the result (may
  // be null).
  size_t EncodeSearchTuple(const uint8_t* tuple, unsigned parts, uint8_t* out,
                           unsigned* parts_done) const;

  // True when a search tuple always determines the whole of every declared part.
  bool SearchIsWhole() const { return search_is_whole_; }

  // True when rows whose keys agree in the bytes of the first `parts` parts are equal in these
  // parts. In a primary key they always are: it cannot hold two such rows.
  bool EqualBytesAreEqual(unsigned parts) const { return parts <= parts_with_equal_bytes_; }

  // True when EncodePrefix of the declared parts decides about uniqueness: rows conflict when it is
  // the same. Else unique_image.h does.
  bool UniqueIsExact() const { return unique_is_exact_; }

  // How many leading parts a search tuple of `bytes` bytes holds.
  unsigned PartsInSearchTuple(size_t bytes) const;

  // Only the index number: the start of every key of this index. Writes 4 bytes, returns 4.
  size_t EncodeIndexNumber(uint8_t* out) const;

  // True when a declared part of the row is NULL: then a unique index does not conflict.
  bool UserPartsHaveNull(const uint8_t* record) const;
  // True when a declared part of an encoded key is NULL. A malformed key has no NULL.
  bool UserPartsHaveNull(Bytes key) const;

  // Length in bytes of the index number and the first `parts` parts of an encoded key, or 0 when
  // the key is malformed or belongs to another index.
  size_t PrefixBytes(Bytes key, unsigned parts) const;

  // Ends of the parts of an encoded key: ends[i] is where part i ends (bytes from the key's
  // start). Returns how many parts are whole, at most max_parts. For index statistics.
  unsigned PartEnds(Bytes key, unsigned max_parts, uint32_t* ends) const;

  // Bytes of the unpack info content that belongs to an encoded key, by walking its parts: the
  // only way to find the end of the content in a secondary entry. False when malformed.
  [[nodiscard]] bool UnpackContentBytes(Bytes key, Bytes content, size_t* bytes) const;

  // From a key of this secondary index, the key of the row in the primary index (its index number
  // included). Writes at most primary.max_key_bytes() of the table and returns how many bytes, 0
  // when the key is malformed.
  size_t ExtractPrimaryKey(Bytes secondary_key, uint8_t* out) const;

  // True when every wanted column can be decoded from entries of this index alone, so that an
  // index-only read is right. A primary index covers everything.
  bool Covers(const ColumnSet& wanted) const;

  // True when the column of this part can be decoded from it. (For a hidden id: false.)
  bool IsPartDecodable(unsigned part) const { return steps_[part].decodable(); }
  uint32_t PartColumn(unsigned part) const { return steps_[part].column.position; }

  // Primary keys: every value carries an unpack block. Secondary keys: a value may carry one.
  bool may_have_unpack_info() const { return may_have_unpack_info_; }
  // Secondary keys with a part behind which unpack info cannot be told apart (HidesUnpackInfo):
  // nothing is concluded from the info, and where it ends or what it says means nothing.
  bool hides_unpack_info() const { return hides_unpack_info_; }

  // True when the column is left out of primary values because the primary key gives it back.
  bool IsColumnInKey(uint32_t column) const { return decodable_columns_.Contains(column); }

  const std::vector<KeyStep>& steps() const { return steps_; }

 private:
  KeyCodec() = default;

  void PlanUnpackInfo(const TableDescriptor& table, const IndexDescriptor& index,
                      const std::vector<KeyPart>& parts);
  void PlanPrimaryKeyExtraction(const TableDescriptor& table, const std::vector<KeyPart>& parts);
  void PlanEquality();
  void SumUp();
  bool HasIndexNumber(Bytes key) const;

  // Where a part of the primary key is in keys of this index.
  struct PrimaryPosition {
    uint32_t step;
    bool inverted;  // runs the other way
  };

  std::vector<KeyStep> steps_;
  std::vector<PrimaryPosition> primary_positions_;  // in primary key order
  ColumnSet decodable_columns_;
  size_t max_key_bytes_ = 0;
  size_t max_unpack_bytes_ = 0;
  // Bytes at the end of a key that are the primary key without its number, when they are always
  // the same many; else 0 and the key must be walked.
  uint32_t fixed_primary_tail_ = 0;
  uint32_t index_number_ = 0;
  uint32_t primary_number_ = 0;
  unsigned user_parts_ = 0;
  IndexKind index_kind_ = IndexKind::kPrimary;
  bool has_ttl_ = false;
  bool may_have_unpack_info_ = false;
  bool hides_unpack_info_ = false;
  bool search_is_whole_ = true;
  bool unique_is_exact_ = true;
  unsigned parts_with_equal_bytes_ = 0;
};

// Has the index entries for words (posting.h)? Then EncodeKey makes the key of the row's own entry.
inline bool IsFullText(const KeyCodec& codec) { return codec.steps()[0].op == KeyOp::kWord; }

// The hidden id at the end of a key of a table with a hidden primary key: of the hidden primary
// key itself or of a secondary key. 0, which is never assigned, when the key is too short.
uint64_t HiddenIdOf(Bytes key);

}  // namespace basalt::codec
