// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/row_codec.h"
#include "engine/index_entry.h"
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
  // Its entry in one of the indexes. False: it has none, because it has no time stamp there.
  [[nodiscard]] bool Encode(const NewIndex& index, IndexEntry* entry);
  const uint8_t* record() const {
    return conversion_ == nullptr ? image_.record() : converted_.data();
  }

 private:
  const codec::RowCodec& rows_;
  RowConversion* const conversion_;
  VirtualColumns* const virtual_columns_;
  RowImage image_;
  std::vector<uint8_t> converted_;
  EntryEncoder encoder_;
  bool has_stamp_ = false;
  uint64_t stamp_ = 0;
};

}  // namespace basalt::engine
