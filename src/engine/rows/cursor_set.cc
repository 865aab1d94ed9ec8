// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/cursor_set.h"

#include "engine/database.h"
#include "store/store.h"

namespace basalt::engine {

txn::Cursor* CursorSet::Get(size_t index, uint64_t most_skipped) {
  std::unique_ptr<txn::Cursor>& cursor = cursors_[index];
  if (cursor == nullptr) {
    const Index& data = table_->index(index);
    const Database* database = table_->database();
    cursor =
        std::make_unique<txn::Cursor>(database->store()->base(), data.family, data.reverse, data.id,
                                      database->transactions()->idle_cursors(), most_skipped);
  }
  used_ = true;
  return cursor.get();
}

void CursorSet::Park() {
  if (!used_) return;
  used_ = false;
  for (auto& cursor : cursors_) {
    if (cursor != nullptr) cursor->Park();
  }
}

void CursorSet::Release() {
  for (auto& cursor : cursors_) cursor.reset();
}

}  // namespace basalt::engine
