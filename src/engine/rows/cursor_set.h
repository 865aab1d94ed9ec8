// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/table.h"
#include "txn/cursor.h"

namespace basalt::engine {

// One cursor for each index of a table, made when it is first wanted and kept for the next
// statement. A table has several sets, so that a scan and a look-up do not share a cursor.
//
// One thread at a time. Borrows the table.
class CursorSet {
 public:
  explicit CursorSet(const Table* table) : table_(table), cursors_(table->index_count()) {}

  // The cursor of the index at this position; owned by the set. `most_skipped`: see txn::Cursor,
  // decided when the cursor is made.
  txn::Cursor* Get(size_t index, uint64_t most_skipped = 0);
  // A statement ends: idle cursors may be used again, or given up, see txn::IdleCursors.
  void Park();
  // Gives all cursors up, and with them the files they pin.
  void Release();

 private:
  const Table* const table_;
  std::vector<std::unique_ptr<txn::Cursor>> cursors_;
  bool used_ = false;  // since the last Park
};

}  // namespace basalt::engine
