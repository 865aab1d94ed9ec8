// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/posting_encoder.h"
#include "codec/row_codec.h"
#include "engine/indexes/index_walk.h"
#include "engine/indexes/new_index.h"
#include "engine/row_conversion.h"
#include "engine/table.h"
#include "engine/virtual_columns.h"

namespace basalt::engine {

// A row of a table as its new indexes have it. Reused from row to row. One thread.
class NewRow {
 public:
  // The table as it is going to be, with its codecs. All are borrowed.
  struct Target {
    const codec::TableDescriptor& descriptor;
    const codec::KeyCodec& primary;
    const codec::RowCodec& rows;
  };
  // Room for the longest key and unpack info of any of the indexes, in bytes.
  struct Room {
    size_t key = 0;
    size_t unpack = 0;
  };
  // Without a `conversion` the target has the rows that the table has. `virtual_columns` as for
  // RowImage, of the target. Both may be null; all is borrowed.
  NewRow(const Table& table, const Target& target, RowConversion* conversion,
         VirtualColumns* virtual_columns, Room room);

  // Takes a row of the table as it is. kCorruption: the bytes contradict the format. Any other
  // error is the conversion's.
  Status Decode(Bytes key, Bytes value);
  // Makes its entries in one of the indexes: one, or those of all words in a FULLTEXT index, or
  // none, because it has no time stamp there. An error is that of the index's parser.
  Status Encode(const NewIndex& index);
  // Takes the row apart for an index that is to have its words in blocks. The words belong to this
  // row and are valid until the next call. Errors as of Encode.
  Status TakeWords(const NewIndex& index, codec::PostingEncoder** words);
  // After Encode: they ascend by their keys. What is given is valid until the next Encode.
  size_t size() const { return words_ == nullptr ? entries_ : words_->size(); }
  Bytes key(size_t i) const { return words_ == nullptr ? encoder_.key() : words_->key(i); }
  Bytes value(size_t i) const { return words_ == nullptr ? Bytes(value_) : words_->value(i); }

  const uint8_t* record() const {
    return conversion_ == nullptr ? image_.record() : converted_.data();
  }

 private:
  codec::PostingEncoder* WordsOf(const NewIndex& index);

  const codec::TableDescriptor& target_;
  const codec::RowCodec& rows_;
  RowConversion* const conversion_;
  VirtualColumns* const virtual_columns_;
  RowImage image_;
  std::vector<uint8_t> converted_;
  EntryEncoder encoder_;
  // By position in the target; made when they are asked for, null but for FULLTEXT indexes.
  std::vector<std::unique_ptr<codec::PostingEncoder>> word_encoders_;
  codec::PostingEncoder* words_ = nullptr;  // of the index at hand, if it is a FULLTEXT one:
  size_t entries_ = 0;                      // else how many entries there are
  std::string value_;                       // and the value of the one
  bool has_stamp_ = false;
  uint64_t stamp_ = 0;
};

}  // namespace basalt::engine
