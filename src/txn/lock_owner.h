// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"

namespace basalt::txn {

enum class LockMode : uint8_t { kShared, kExclusive };

// What to do when a lock is taken by another.
enum class LockWait : uint8_t {
  kWait,    // until granted, the timeout, an interruption or a deadlock
  kNoWait,  // fail at once with kLockBusy (NOWAIT and SKIP LOCKED)
};

// A row is known to the lock table by a 64-bit hash of its index number and key. Two rows with one
// hash would share a lock: they may wait for each other without need, and nothing worse.
using LockHash = uint64_t;

// What is locked or wanted; for reports.
enum class LockKind : uint8_t {
  kRowShared,
  kRowExclusive,
  kRange,   // entries in between may not be added
  kInsert,  // an entry is to be added where another has locked a range
};

// What an owner waits for. The key is borrowed for the call.
struct LockRequest {
  IndexId index;
  Bytes key;  // of the row or the entry, or the start of the range
  LockKind kind;
};

struct IndexLock;  // of LockTable
struct RangeSet;   // of RangeLocks

// One holder of locks: a transaction. LockTable, RangeLocks and WaitGraph keep their state of it
// here, so that taking a lock needs no look-up of the owner; to others it is only a name.
// One thread at a time acquires and releases for an owner; Interrupt may come from any thread.
class LockOwner {
 public:
  explicit LockOwner(uint64_t id);
  ~LockOwner();
  LockOwner(const LockOwner&) = delete;
  LockOwner& operator=(const LockOwner&) = delete;

  // Unique since the start; never used again.
  uint64_t id() const { return id_; }
  // Position in the list of row locks, to release those taken after it.
  size_t position() const { return held_.size(); }
  size_t lock_count() const { return held_.size(); }
  // The number of row locks for another thread, as of a moment ago.
  size_t reported_row_locks() const { return row_locks_.load(std::memory_order_relaxed); }
  bool holds_nothing() const {
    return held_.empty() && ranges_.empty() &&
           std::none_of(indexes_.begin(), indexes_.end(),
                        [](const IndexUse& u) { return u.whole; });
  }

 private:
  friend class LockTable;
  friend class RangeLocks;
  friend class WaitGraph;

  // One lock, in 16 bytes: the pointer's lowest bit says that it is for an entry being added.
  struct Held {
    static constexpr uintptr_t kNewEntry = 1;
    LockHash hash;
    uintptr_t tagged;
    IndexLock* index() const { return reinterpret_cast<IndexLock*>(tagged & ~kNewEntry); }
    bool of_new_entry() const { return (tagged & kNewEntry) != 0; }
  };
  struct IndexUse {
    IndexLock* index = nullptr;
    uint64_t rows = 0;            // of it in held_
    bool exclusive_rows = false;  // some of them, at some time, exclusively
    bool whole = false;  // escalated: rows that nobody else holds need no lock of their own
    LockMode whole_mode = LockMode::kShared;
    bool undisputed = false;  // whole, and nobody else has or gets a row of it exclusively
  };
  struct Wanted {
    IndexId index;
    std::string key;
    LockKind kind = LockKind::kRowShared;
  };

  const uint64_t id_;
  std::vector<Held> held_;            // in order of acquisition
  bool strengthened_ = false;         // the last request made a shared lock exclusive
  std::atomic<size_t> row_locks_{0};  // their number
  std::vector<IndexUse> indexes_;     // the few it has locks in; some of its last transaction
  std::vector<std::unique_ptr<RangeSet>> ranges_;  // likewise; see range_locks.h

  // Below: guarded by WaitGraph's mutex.
  CondVar wake_;
  std::vector<LockOwner*> waits_for_;  // whom the present request waits for: edges of the graph
  std::vector<LockOwner*> watchers_;   // who waits for this owner to end or give something up
  Wanted wanted_;                      // while waiting_
  bool waiting_ = false;
  bool granted_ = false;    // the wait is over, or what it is for may be had now
  bool victim_ = false;     // chosen to break a cycle: the wait ends with kDeadlock
  uint64_t visit_ = 0;      // mark of the last search of the graph
  void* runner_ = nullptr;  // who runs it, for WaitObserver; null: nobody

  std::atomic<bool> watched_{false};  // watchers_ is not empty
  std::atomic<bool> interrupted_{false};
};

}  // namespace basalt::txn
