// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/index_entry.h"
#include "engine/rows/unique_value.h"
#include "engine/table.h"

namespace basalt::engine {

// Makes the keys and entries of one table's indexes from record images.
//
// One thread at a time. Borrows the table. Results of type Bytes lie in a buffer of the encoder and
// are valid until its next call. `hidden_id` is 0 in a table with a declared primary key; `stamp`
// is the row's time stamp, 0 in a table without a time to live.
class RowEncoder {
 public:
  explicit RowEncoder(const Table* table)
      : table_(table),
        key_buffer_(table->max_key_bytes()),
        unpack_buffer_(table->max_unpack_bytes()) {}

  void EncodePrimary(const uint8_t* record, uint64_t hidden_id, uint64_t stamp, IndexEntry* entry);
  void EncodeSecondary(size_t index, const uint8_t* record, uint64_t hidden_id, uint64_t stamp,
                       IndexEntry* entry);
  // The key of the record's entry in this index; of the primary index for RowKey.
  Bytes EntryKey(size_t index, const uint8_t* record, uint64_t hidden_id);
  Bytes RowKey(const uint8_t* record) {
    return EntryKey(table_->primary_position(), record, /*hidden_id=*/0);
  }
  // The primary key in an entry's key; that key itself in the primary index. Empty: the entry
  // contradicts the format.
  Bytes RowKeyOfEntry(size_t index, Bytes entry);
  UniqueValue UniqueValueOf(size_t index, const uint8_t* record);

 private:
  const Table* const table_;
  std::vector<uint8_t> key_buffer_;
  std::vector<uint8_t> unpack_buffer_;
};

}  // namespace basalt::engine
