// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/column.h"

namespace basalt::codec {

// The number on disk (dictionary record of an index), see docs/format/dictionary.md.
enum class IndexKind : uint8_t { kPrimary = 1, kSecondary = 2, kHiddenPrimary = 3 };

// Version of the layout of keys and values of one index.
inline constexpr uint16_t kKvFormatOldest = 10;
inline constexpr uint16_t kKvFormatNineByteChunks = 12;  // below: chunk flags of the older layout
inline constexpr uint16_t kKvFormatShared = 13;          // the newest that MyRocks reads
inline constexpr uint16_t kKvFormatNewest = 14;          // what 13 cannot express
inline constexpr uint16_t kKvFormatSpatial = 15;         // SPATIAL indexes; else as 14
inline constexpr uint16_t kKvFormatFullText = 16;        // FULLTEXT indexes; else as 14

// One part of an index as it was declared.
struct KeyPart {
  uint32_t column = 0;  // position in TableDescriptor::columns
  // Bytes of the part as the server counts them (KEY_PART_INFO::length): for strings characters *
  // bytes per character, without length bytes; for a prefix part that of the prefix.
  uint32_t length = 0;
  bool descending = false;
  bool spatial = false;    // the extent of a geometry, not its bytes (extent_key.h)
  bool full_text = false;  // the words of a text (posting.h)

  // True when both parts hold the same characters of the same column, in whatever direction.
  bool HoldsSameAs(const KeyPart& other) const {
    return column == other.column && length == other.length && spatial == other.spatial &&
           full_text == other.full_text;
  }
};

class WordSource;

// One index. `parts` holds only what the user declared; the parts of the primary key that a
// secondary key carries behind them are derived (PartsInKey). Empty for a hidden primary key.
struct IndexDescriptor {
  std::string name;
  uint32_t number = 0;  // the first 4 bytes of every key
  IndexKind kind = IndexKind::kPrimary;
  uint16_t kv_format_version = kKvFormatShared;
  bool unique = false;
  bool has_ttl = false;  // values begin with 8 bytes of timestamp
  std::vector<KeyPart> parts;
  // Of a FULLTEXT index; else null. Whoever only walks keys does not need it.
  std::shared_ptr<const WordSource> words;
};

// An index over the extents of geometries has one declared part.
inline bool IsSpatial(const IndexDescriptor& index) {
  return !index.parts.empty() && index.parts[0].spatial;
}

// An index over words: all of its declared parts are.
inline bool IsFullText(const IndexDescriptor& index) {
  return !index.parts.empty() && index.parts[0].full_text;
}

struct RowLayout;

// What the codec knows about a table. Filled in once at open by the border to the server, then
// immutable; shared by threads. Codecs copy what they need, except that they point to the
// collations, which must outlive them; decoders point to the default record as well.
struct TableDescriptor {
  std::string name;
  std::vector<Column> columns;  // in the order of the server's fields
  uint32_t record_length = 0;   // bytes of a record image
  std::vector<IndexDescriptor> indexes;
  uint32_t primary = 0;  // position of the (hidden) primary key in `indexes`
  bool hidden_primary = false;
  // The record image of default values, record_length bytes, or empty. A column that is decoded as
  // NULL gets its bytes from here (zeros when empty), as the server's row checksums expect.
  std::string default_record;
  // How rows lie that the definition has changed over; null: as the columns do (row_layout.h).
  std::shared_ptr<const RowLayout> row_layout;

  const IndexDescriptor& primary_index() const { return indexes[primary]; }
};

// Checks that the descriptor is consistent: offsets inside the record, lengths that fit the kinds,
// collations present and prepared, parts that name columns, one primary index, no part that the
// format or the index's version of it cannot hold. kInvalidArgument or kNotSupported otherwise,
// naming the column or index.
Status Validate(const TableDescriptor& table);

// The parts that keys of this index really consist of: the declared ones, and for a secondary key
// the primary key's behind them, in their order, without those that are already there with the
// same column and the same length. The 8-byte hidden id is not a part with a column: with a hidden
// primary key the result is just the declared parts and the id follows them. All declared parts of
// a FULLTEXT index are one: the word.
std::vector<KeyPart> PartsInKey(const TableDescriptor& table, const IndexDescriptor& index);

// For each part of the primary key, the position in PartsInKey() from which to take its bytes when
// a row is looked up from a secondary entry: the *last* one that has the column. (An earlier one
// may be a prefix.) Empty for a hidden primary key.
std::vector<uint32_t> PrimaryPartPositions(const TableDescriptor& table,
                                           const std::vector<KeyPart>& parts_in_key);

}  // namespace basalt::codec
