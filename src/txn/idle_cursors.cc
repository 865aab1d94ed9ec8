// SPDX-License-Identifier: GPL-2.0-only
#include "txn/idle_cursors.h"

#include "txn/cursor.h"

namespace basalt::txn {

void IdleCursors::Register(Cursor* cursor) {
  MutexLock guard(mutex_);
  cursor->idle_position_ = cursors_.size();
  cursors_.push_back(cursor);
}

void IdleCursors::Unregister(Cursor* cursor) {
  MutexLock guard(mutex_);
  Cursor* const last = cursors_.back();
  cursors_[cursor->idle_position_] = last;
  last->idle_position_ = cursor->idle_position_;
  cursors_.pop_back();
}

void IdleCursors::Tick() {
  const uint64_t now = now_.fetch_add(1, std::memory_order_relaxed) + 1;
  MutexLock guard(mutex_);
  for (Cursor* cursor : cursors_) {
    if (now >= cursor->parked_at_.load() + kTicksToKeep) cursor->ReleaseParked();
  }
}

}  // namespace basalt::txn
