// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/index_id.h"

namespace basalt::txn {

// Where the writers of one table keep a record of what they change, while indexes of it are built:
// an index of its own, whose entries are in the order of the changes (docs/format/change-log.md).
// Closed nearly always.
//
// It is opened while nobody writes to the table. It may be closed while transactions have entries
// that are not committed: TransactionManager::FirstUndecidedChange tells when the last of these has
// ended. All operations are sequentially consistent: who has said that a change comes
// (LoggedChanges::Add) and then finds the log open has been seen by who closes it.
//
// Thread-safety: any thread.
class ChangeLog {
 public:
  void Open(IndexId index) {
    packed_.store(static_cast<uint64_t>(index.column_family) << 32 | index.number);
  }
  void Close() {
    packed_.store(0);
    SetPause(std::chrono::microseconds(0));
  }
  bool is_open() const { return packed_.load(std::memory_order_relaxed) != 0; }
  // Number 0: it is closed.
  IndexId index() const {
    const uint64_t packed = packed_.load();
    return {static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed)};
  }

  // How long writers wait before each change, because their changes are applied more slowly than
  // they make them. None after Open.
  void SetPause(std::chrono::microseconds pause) { pause_.store(pause, std::memory_order_relaxed); }
  std::chrono::microseconds pause() const { return pause_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> packed_{0};  // numbers of indexes are above 0
  std::atomic<std::chrono::microseconds> pause_{std::chrono::microseconds(0)};
};

// Keys of a log: the index's number, then the position of the change, both big-endian.
inline constexpr size_t kChangeKeyBytes = kIndexNumberBytes + 8;

}  // namespace basalt::txn
