// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/mutex.h"

namespace basalt::txn {

class Cursor;

// Releases the iterators of cursors that no statement has used for a while. The server keeps
// handlers open long after their last statement, and an iterator pins memtables, SST files and
// blocks. Without this, a table of a thousand partitions that was read once would hold all of them,
// and dropped data would keep its space.
//
// Invariant: an iterator has one owner. It is the cursor's while a statement uses it, and parked
// otherwise; the thread that exchanges the parked pointer for null owns it.
//
// Thread-safety: all functions, from any thread. Registering takes the mutex, and happens once in a
// cursor's life; parking and taking back do not.
class IdleCursors {
 public:
  // Ticks (seconds) that an iterator stays parked before it is given up.
  static constexpr uint64_t kTicksToKeep = 5;

  IdleCursors() = default;
  IdleCursors(const IdleCursors&) = delete;
  IdleCursors& operator=(const IdleCursors&) = delete;

  // Borrowed until Unregister, which waits for a running Tick.
  void Register(Cursor* cursor);
  void Unregister(Cursor* cursor);

  // The number of Tick calls so far.
  uint64_t now() const { return now_.load(std::memory_order_relaxed); }

  // Called about once a second by one thread: releases what has been parked for kTicksToKeep calls.
  void Tick();

 private:
  std::atomic<uint64_t> now_{0};
  Mutex mutex_;
  std::vector<Cursor*> cursors_ BASALT_GUARDED_BY(mutex_);  // a cursor knows its position
};

}  // namespace basalt::txn
