// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/column_set.h"
#include "codec/row_decoder.h"
#include "engine/table.h"

namespace basalt::engine {

// Some columns of a row in a record image beside the server's. For rows that a write has to look
// at: one that may have the same unique value, or one that has expired under the same key. Its
// memory is kept from one row to the next.
//
// One thread at a time. Borrows the table.
class PartialRowImage {
 public:
  explicit PartialRowImage(const Table* table) : table_(table) {}

  // Decodes these columns of the row into record(). kCorruption when the row contradicts the
  // format. BLOB columns point into `value`.
  Status Decode(const codec::ColumnSet& columns, Bytes key, Bytes value);
  uint8_t* record() { return record_.data(); }

 private:
  const Table* const table_;
  codec::RowDecoder decoder_;
  std::vector<uint8_t> record_;
};

}  // namespace basalt::engine
