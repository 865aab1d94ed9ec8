// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "store/wal/wal_committer.h"
#include "txn/bulk_load.h"
#include "txn/logged_changes.h"
#include "txn/transaction_locks.h"
#include "txn/transaction_reads.h"
#include "txn/transaction_snapshot.h"
#include "txn/transaction_types.h"
#include "txn/transaction_writes.h"

// The life of a transaction. Each transition is one function.
//
//   idle --Begin--> active --Prepare--> prepared --Commit/Rollback--> idle
//                     |  ^                  |
//                     |  +-- statements     +--Detach--> the manager's, until it is decided
//                     +--Commit/Rollback--> idle
//
// Invariants (tests name them):
//  T1  A write reaches the store only in Commit; before that it is in the write set, or, prepared,
//      in the log.
//  T2  Every row written was locked exclusively by this transaction before the write.
//  T3  A snapshot, once taken, stays the same until the transaction (repeatable read) or the
//      statement (read committed) ends.
//  T4  A statement that fails leaves the write set as it was when the statement began.
//  T5  A transaction that Prepare acknowledged survives the process and is decided only by Commit
//      or Rollback.
//  T6  Locks are released after the writes are visible (commit) or gone (rollback).
//  T7  A commit that was acknowledged survives what its Durability says, and with it every commit
//      before it: a death takes only the last ones away.
// T7 has no BASALT_ASSERT: only the next process can check it. `./dev test crash` and the power
// cuts of `./dev test faults` do.

namespace basalt::txn {

class TransactionManager;

// One transaction of one connection; reused for the next one. It goes from state to state and keeps
// its parts together: locks(), snapshot(), reads() and writes(). Own writes are always seen.
// Used by one thread at a time, except TransactionLocks::Interrupt (any thread). CommitOrdered may
// run in another thread than the one that prepared, when that one waits.
class Transaction {
 public:
  using Settings = TransactionSettings;

  Transaction(TransactionManager* manager, uint64_t id);
  ~Transaction();  // rolls back what is active; a prepared one must have been detached
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  enum class State : uint8_t { kIdle, kActive, kPrepared };
  State state() const { return state_.load(std::memory_order_relaxed); }
  uint64_t id() const { return locks_.owner().id(); }
  bool active() const { return state() != State::kIdle; }
  TransactionInfo Describe() const;  // what reports show of it; any thread

  // idle -> active. A few stores: snapshot, write batch and locks come at need.
  void Begin(const Settings& settings);
  const Settings& settings() const { return settings_; }
  void set_lock_wait_microseconds(uint64_t wait) { settings_.lock_wait_microseconds = wait; }
  void set_fill_cache(bool fill) { settings_.fill_cache = fill; }
  bool detects_conflicts() const { return settings_.detects_conflicts(); }

  // The frame of every statement. EndStatement drops a statement snapshot; RollbackStatement also
  // takes its writes back (T4), with the locks of new entries.
  void BeginStatement();
  void EndStatement();
  Status RollbackStatement();

  TransactionLocks& locks() { return locks_; }
  const TransactionLocks& locks() const { return locks_; }
  TransactionSnapshot& snapshot() { return reads_.snapshot(); }
  const TransactionSnapshot& snapshot() const { return reads_.snapshot(); }
  TransactionReads& reads() { return reads_; }
  TransactionWrites& writes() { return writes_; }
  LoggedChanges& changes() { return changes_; }
  // As TransactionWrites::empty says: does the end need the log?
  bool has_writes() const { return !writes_.empty(); }

  // From now on the transaction alone has the table, empty but for what it has put there itself
  // (but see LoadOptions). A load takes further entries to the commit; borrowed. The primary index
  // comes first. kLockBusy when others have rows or locks; with checked_rows, when the transaction
  // has done more than to add rows. For the last statement: reads miss what a load has.
  Status BeginLoad(std::vector<LoadIndex> indexes, LoadOptions options, BulkLoad** load);
  // SQL savepoints. Any may be released; rolling back to one ends those set after it.
  using Savepoint = txn::Savepoint;
  Status SetSavepoint(Savepoint* savepoint);
  Status RollbackToSavepoint(const Savepoint& savepoint);
  void ReleaseSavepoint(const Savepoint& savepoint);
  // active -> prepared. `name` identifies it after a crash (docs/format/wal.md). After Ok the
  // transaction survives a crash according to `durability`.
  // With `may_outlive_connection` (user XA) others may decide it, nothing is read any more, and
  // TransactionLocks::ReleaseReads comes with it.
  Status Prepare(Bytes name, Durability durability, bool may_outlive_connection = false);
  // active or prepared -> idle, with everything visible and the locks released. A prepared
  // transaction's commit need not be durable when a coordinator's log decides it: `durability`
  // says. On error of an active one the transaction is still active and must be rolled back; of a
  // prepared one it stays prepared. Writes to temporary tables are committed first.
  Status Commit(Durability durability);
  // -> idle, nothing left.
  Status Rollback();
  // What the log holds so far, commits of this connection among it, is made as durable as asked
  // for.
  Status MakeDurable(Durability durability);

  TransactionManager* manager() const { return manager_; }
  Bytes name() const { return name_; }

 private:
  friend class TransactionManager;

  Status ReserveTable(std::span<const IndexId> indexes, const LoadOptions& options);
  Status CommitIngestJob(Durability durability);
  void Finish();

  TransactionManager* const manager_;
  TransactionLocks locks_;
  std::atomic<State> state_{State::kIdle};
  Settings settings_;
  mutable TransactionWrites writes_;  // the mutex of its logged ones also guards name_ in Describe
  TransactionReads reads_;
  LoggedChanges changes_;
  size_t statement_lock_position_ = 0;
  std::string name_;
  store::WalCommitter committer_;
  bool registered_ = false;  // with the manager, which must be told of the end
};

}  // namespace basalt::txn
