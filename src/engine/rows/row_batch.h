// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/rows/row_context.h"
#include "engine/rows/row_reader.h"

namespace basalt::engine {

// Reads several rows by their primary keys at once (RocksDB's MultiGet), without locks.
//
// One thread at a time. Borrows context and reader.
class RowBatch {
 public:
  RowBatch(RowContext* context, RowReader* reader) : context_(context), reader_(reader) {}

  // Reads the rows of the first `count` keys, which are borrowed until the last Take.
  void Fetch(const std::vector<std::string>& primary_keys, size_t count);
  // Decodes one of them, in any order, and makes it the reader's row. kNotFound for an absent row;
  // kCorruption instead when entries of `from_index`, read in the same view, led to it.
  Status Take(size_t position, std::optional<size_t> from_index, uint8_t* record);
  // A statement ends: lets go what the rows pin.
  void Clear();

 private:
  RowContext* const context_;
  RowReader* const reader_;
  std::vector<rocksdb::Slice> keys_;
  std::unique_ptr<rocksdb::PinnableSlice[]> values_;
  size_t capacity_ = 0;  // of values_
  std::vector<Code> codes_;
};

}  // namespace basalt::engine
