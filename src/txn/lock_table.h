// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "txn/lock_owner.h"
#include "txn/wait_graph.h"

// Row locks, kept outside of RocksDB; docs/locking.md says why: few bytes a lock, escalation
// instead of a limit on their number, and waits that the server can interrupt.
//
// Invariants (tests name them):
//  L1  Two owners never hold the same row in modes that exclude each other.
//  L2  Requests for one row are granted in the order of arrival, except that an owner that already
//      holds the row is never made to wait behind others for what it has.
//  L3  A cycle of waits is broken (G1 of wait_graph.h).
//  L4  A wait ends by grant, timeout, interruption or deadlock, and leaves nothing behind (G2).
//  L5  The memory of one owner is bounded: each time it has taken `escalation_threshold` more row
//      locks in one index they are traded for one lock of the whole index, in the strongest mode
//      among them. Rows that others wait for at that time keep their locks, and so do others
//      theirs.

namespace basalt::txn {

class LockTable {
 public:
  struct Options {
    // Row locks of one owner in one index before they are traded for a lock of the index.
    uint32_t escalation_threshold = 1u << 20;
  };

  LockTable(Options options, WaitGraph* graph);
  ~LockTable();

  // Takes or strengthens the lock of a row. `key` is the whole key as stored, index number first.
  // `acquired` (may be null) becomes true when the call added a lock, false when it was held
  // before. Waits up to `timeout_microseconds` when `wait` is kWait. Fails with kLockTimeout,
  // kLockBusy, kDeadlock or kInterrupted; the owner then has what it had.
  Status Acquire(LockOwner* owner, IndexId index, Bytes key, LockMode mode, LockWait wait,
                 uint64_t timeout_microseconds, bool* acquired = nullptr);

  // Has the owner the row exclusively, by a lock of its own or by that of the whole index?
  bool HoldsExclusively(const LockOwner& owner, IndexId index, Bytes key) const;

  // Releases the locks acquired after `position`, newest first. A lock of a whole index and a lock
  // that was strengthened after `position` stay until ReleaseAll.
  void ReleaseAfter(LockOwner* owner, size_t position);

  // Locks of entries that are about to be added go with them when they are taken back; all others
  // outlive a roll-back. Acquire has just added the lock: it is for a new entry.
  static void NoteNewEntry(LockOwner* owner);
  // The entry that it was taken for is there already: it stays, in this mode.
  void KeepNewest(LockOwner* owner, LockMode mode);
  // Makes a lock shared again that the owner had shared before and that Acquire has just made
  // exclusive. Does nothing for any other lock.
  void UndoStrengthening(LockOwner* owner, Bytes key);
  // Releases the locks of new entries that were acquired after `position`.
  void ReleaseNewEntriesAfter(LockOwner* owner, size_t position);
  void ReleaseAll(LockOwner* owner);
  // Releases what the owner has shared, rows and whole indexes: it will read nothing any more.
  void ReleaseShared(LockOwner* owner);

  // Takes the whole index exclusively, without waiting, when nobody else has or wants a row of it
  // (looks at every lock there is, so not for single rows). Else false, and all is as before.
  bool TryAcquireIndex(LockOwner* owner, IndexId index);
  // Trades the owner's shared row locks of the index for a shared lock of all of it, without
  // waiting, when nobody else has or wants a row exclusively. Then further shared locks of its rows
  // cost nothing. For who is going to read the whole index; looks at every lock there is, too.
  bool TryShareIndex(LockOwner* owner, IndexId index);
  // Gives up what TryAcquireIndex took. The owner's locks of rows stay.
  void ReleaseWholeIndex(LockOwner* owner, IndexId index);

  uint64_t escalations() const { return escalations_.load(std::memory_order_relaxed); }

  // A lock that is held, for reports. Of a row only the hash of its key is known.
  struct HeldLock {
    uint64_t transaction = 0;
    IndexId index;
    LockHash hash = 0;
    LockMode mode = LockMode::kShared;
    bool whole_index = false;
  };
  // All locks, in no order and not as of one moment. Any thread.
  std::vector<HeldLock> HeldLocks() const;
  // The hash by which HeldLocks names a row.
  static LockHash HashOf(Bytes key);

 private:
  struct Waiter;
  struct SharedState;
  struct Shard;
  struct Request;
  static constexpr size_t kShards = 64;
  enum class Grant : uint8_t { kAdded, kHeldBefore, kWaitForRow, kWaitForIndex };

  Shard& ShardOf(LockHash hash) const;
  IndexLock* IndexLockOf(IndexId index);
  LockOwner::IndexUse* UseIndex(LockOwner* owner, IndexId index);
  static bool WholeIndexExcludes(const LockOwner::IndexUse& use, LockMode mode);
  static Grant TryGrant(const Request& request, Shard* shard);
  static Grant TryGrantShared(const Request& request, SharedState* state);
  Status WaitForIndex(const Request& request);
  Status WaitForRow(const Request& request, Shard* shard, MutexLock* shard_lock, bool upgrade);
  void LeaveQueue(SharedState* state, LockOwner* owner);
  static void SetEdges(SharedState* state, size_t position);
  static void GrantWaiters(SharedState* state);
  void NoteAdded(const Request& request);
  void TryEscalate(LockOwner* owner, LockOwner::IndexUse* use);
  bool AcquireWhole(LockOwner* owner, LockOwner::IndexUse* use, LockMode mode);
  bool OthersHaveRows(const LockOwner& owner, const IndexLock& index, LockMode weakest) const;
  void TradeRows(LockOwner* owner, LockOwner::IndexUse* use);
  bool TradeRow(LockOwner* owner, LockHash hash);
  void ReleaseRow(LockOwner* owner, LockHash hash);
  void Downgrade(LockOwner* owner, LockHash hash);
  bool IsShared(LockHash hash) const;
  void ForgetRow(LockOwner* owner, const LockOwner::Held& held);
  void ReleaseIndex(LockOwner* owner, const LockOwner::IndexUse& use);

  const Options options_;
  WaitGraph* const graph_;
  std::unique_ptr<Shard[]> shards_;

  // Order of mutexes: a shard's, then the graph's. This one is taken alone.
  mutable Mutex indexes_mutex_;
  std::unordered_map<IndexId, IndexLock*> indexes_ BASALT_GUARDED_BY(indexes_mutex_);
  std::vector<std::unique_ptr<IndexLock>> index_locks_
      BASALT_GUARDED_BY(indexes_mutex_);  // by ordinal

  std::atomic<uint64_t> escalations_{0};
};

}  // namespace basalt::txn
