// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"

// Row locks, kept outside of RocksDB; README.md in this folder says why: few bytes a lock,
// escalation instead of a limit on their number, and waits that the server can interrupt.
//
// Invariants (tests name them):
//  L1  Two owners never hold the same row or index in modes that exclude each other.
//  L2  Requests for one row are granted in the order of arrival, except that an owner that already
//      holds the row is never made to wait behind others for what it has.
//  L3  A cycle of waits is broken when its last edge appears, by failing the request that closes
//  it. L4  A wait ends by grant, timeout, interruption or deadlock, and leaves nothing behind. L5
//  The memory of one owner is bounded: past `escalation_threshold` row locks in one index they
//      are traded for one lock of the whole index, as soon as no other owner holds a row in it.

namespace basalt::txn {

enum class LockMode : uint8_t { kShared, kExclusive };

// What to do when a lock is taken by another.
enum class LockWait : uint8_t {
  kWait,    // until granted, the timeout, an interruption or a deadlock
  kNoWait,  // fail at once with kLockBusy (NOWAIT and SKIP LOCKED)
};

// A row is known to the table by a 64-bit hash of its index number and key. Two rows with one hash
// would share a lock: they may wait for each other without need, and nothing worse.
using LockHash = uint64_t;

struct IndexLock;
class LockTable;

// One holder of locks: a transaction. The table keeps its state here so that acquiring a lock needs
// no look-up of the owner. All members belong to LockTable; a transaction only embeds the object.
// One thread at a time acquires and releases for an owner; Interrupt may come from any thread.
class LockOwner {
 public:
  explicit LockOwner(uint64_t id) : id_(id) {}
  LockOwner(const LockOwner&) = delete;
  LockOwner& operator=(const LockOwner&) = delete;

  uint64_t id() const { return id_; }
  // Position in the list of locks, to release those taken after it.
  size_t position() const { return held_.size(); }
  size_t lock_count() const { return held_.size(); }

 private:
  friend class LockTable;

  struct Held {
    LockHash hash;
    IndexLock* index;
  };
  struct IndexUse {
    IndexLock* index;
    uint32_t rows;
    bool whole_index;  // escalated: rows of the index need no lock of their own
  };

  uint64_t id_;
  std::vector<Held> held_;         // in order of acquisition
  std::vector<IndexUse> indexes_;  // the few indexes this owner has locks in

  // Below: guarded by LockTable::wait_mutex_.
  std::condition_variable wake_;
  std::vector<LockOwner*> waits_for_;  // owners and earlier waiters that block the current request
  bool waiting_ = false;
  bool granted_ = false;
  uint64_t visit_ = 0;  // mark of the last search for a cycle

  std::atomic<bool> interrupted_{false};
};

class LockTable {
 public:
  struct Options {
    // Row locks of one owner in one index before they are traded for a lock of the index.
    uint32_t escalation_threshold = 1u << 20;
  };
  struct Counters {
    uint64_t waits;
    uint64_t timeouts;
    uint64_t deadlocks;
    uint64_t escalations;
  };

  explicit LockTable(Options options);
  ~LockTable();

  // Takes or strengthens the lock of a row. `key` is the whole key as stored, index number first.
  // `acquired` (may be null) becomes true when the call added a lock, false when it was held
  // before. Waits up to `timeout_microseconds` when `wait` is kWait. Fails with kLockTimeout,
  // kLockBusy, kDeadlock or kInterrupted; the owner then has what it had.
  Status Acquire(LockOwner* owner, IndexId index, Bytes key, LockMode mode, LockWait wait,
                 uint64_t timeout_microseconds, bool* acquired = nullptr);

  // Releases the locks acquired after `position`, newest first. A lock of a whole index and a lock
  // that was strengthened after `position` stay until ReleaseAll.
  void ReleaseAfter(LockOwner* owner, size_t position);
  void ReleaseAll(LockOwner* owner);

  // Makes the owner's current wait, or its next one, fail with kInterrupted. Any thread.
  void Interrupt(LockOwner* owner);
  void ClearInterrupt(LockOwner* owner) { owner->interrupted_.store(false); }

  Counters counters() const;

 private:
  struct Waiter;
  struct SharedState;
  struct Shard;
  static constexpr size_t kShards = 64;

  Shard& ShardOf(LockHash hash) const;
  IndexLock* IndexLockOf(IndexId index);
  Status UseIndex(LockOwner* owner, IndexId index, LockWait wait, uint64_t timeout_microseconds,
                  LockOwner::IndexUse** use);
  Status WaitForIndex(LockOwner* owner, IndexLock* index, LockWait wait,
                      uint64_t timeout_microseconds);
  void TryEscalate(LockOwner* owner, LockOwner::IndexUse* use);
  Status WaitForRow(LockOwner* owner, Shard& shard, std::unique_lock<std::mutex>* shard_lock,
                    LockHash hash, LockMode mode, uint64_t timeout_microseconds, bool upgrade);
  Status Sleep(LockOwner* owner, std::unique_lock<std::mutex>* lock, uint64_t deadline);
  void ReleaseRow(LockOwner* owner, LockHash hash);
  void ReleaseIndex(LockOwner* owner, const LockOwner::IndexUse& use);
  void GrantWaiters(SharedState* state);
  bool ClosesCycle(LockOwner* start);

  const Options options_;
  std::unique_ptr<Shard[]> shards_;

  std::mutex indexes_mutex_;
  std::unordered_map<IndexId, std::unique_ptr<IndexLock>> indexes_;

  // Order of mutexes: a shard's, then wait_mutex_. Waiting is the slow path: one mutex for all of
  // it keeps the search for cycles simple.
  std::mutex wait_mutex_;
  uint64_t visit_ = 0;

  std::atomic<uint64_t> waits_{0};
  std::atomic<uint64_t> timeouts_{0};
  std::atomic<uint64_t> deadlocks_{0};
  std::atomic<uint64_t> escalations_{0};
};

}  // namespace basalt::txn
