// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/rows/partial_row_image.h"
#include "engine/table.h"
#include "txn/cursor.h"

namespace basalt::engine {

// The rows of a small table as they are committed at the moment of the first Next, for those who
// have no transaction: read from end to end, all stored columns. One thread. Borrows the table.
class CommittedRows {
 public:
  explicit CommittedRows(const Table* table);

  // To the first row, then to the next one. kEndOfRange behind the last.
  Status Next();
  // The text of a VARCHAR column in the row; none: it is NULL. Valid until the next move.
  std::optional<Bytes> TextOf(uint32_t column);

 private:
  const Table* const table_;
  txn::Cursor cursor_;
  PartialRowImage row_;
};

}  // namespace basalt::engine
