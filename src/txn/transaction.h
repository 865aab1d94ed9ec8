// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/utilities/transaction.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "txn/ingested_writes.h"
#include "txn/temporary_writes.h"
#include "txn/transaction_locks.h"
#include "txn/transaction_snapshot.h"
#include "txn/transaction_types.h"
#include "txn/write_set.h"

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

namespace basalt::txn {

class TransactionManager;

// One transaction of one connection; reused for the next one. Own writes are always seen.
// Used by one thread at a time, except Interrupt (any thread). CommitOrdered may run in another
// thread than the one that prepared, when that one waits.
class Transaction {
 public:
  struct Settings {
    Isolation isolation = Isolation::kRepeatableRead;
    uint64_t lock_wait_microseconds = 50'000'000;
    // Under REPEATABLE READ: locking reads look at the snapshot, and a row that has changed since
    // fails with kSnapshotConflict (MyRocks' behaviour).
    bool detect_conflicts = false;
    // Blocks that reads bring in stay in the block cache.
    bool fill_cache = true;
  };

  Transaction(TransactionManager* manager, uint64_t id);
  ~Transaction();  // rolls back what is active; a prepared one must have been detached
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  enum class State : uint8_t { kIdle, kActive, kPrepared };
  State state() const { return state_.load(std::memory_order_relaxed); }
  uint64_t id() const { return locks_.owner().id(); }
  bool active() const { return state() != State::kIdle; }
  // Who runs it (see wait_observer.h); null: nobody from now on.
  void SetRunner(void* runner);
  TransactionInfo Describe() const;  // what reports show of it; any thread

  // idle -> active. A few stores: snapshot, write batch and locks come at need.
  void Begin(const Settings& settings);
  const Settings& settings() const { return settings_; }
  void set_lock_wait_microseconds(uint64_t wait) { settings_.lock_wait_microseconds = wait; }
  void set_fill_cache(bool fill) { settings_.fill_cache = fill; }

  // The frame of every statement. EndStatement drops a statement snapshot; RollbackStatement also
  // takes its writes back (T4), with the locks of new entries.
  void BeginStatement();
  void EndStatement();
  Status RollbackStatement();

  TransactionSnapshot& snapshot() { return snapshot_; }
  const TransactionSnapshot& snapshot() const { return snapshot_; }
  TransactionLocks& locks() { return locks_; }
  const TransactionLocks& locks() const { return locks_; }

  // Reads one row or index entry, or kNotFound. The value stays pinned until the slice is reset.
  Status Get(rocksdb::ColumnFamilyHandle* family, Bytes key, View view,
             rocksdb::PinnableSlice* value);
  // Reads one entry as Get does, but takes no snapshot. For a statement that reads exactly one key
  // once: then the latest state is the state at one point in time just as well.
  Status GetAlone(rocksdb::ColumnFamilyHandle* family, Bytes key, rocksdb::PinnableSlice* value);
  // Reads many keys at once; statuses[i] is Ok or kNotFound or an error. `keys` sorted in the
  // column family's own order is faster.
  void MultiGet(rocksdb::ColumnFamilyHandle* family, size_t count, const rocksdb::Slice* keys,
                View view, bool sorted, rocksdb::PinnableSlice* values, Code* codes);

  // With Settings::detect_conflicts, after a row was locked: kSnapshotConflict when it is not what
  // the snapshot shows. Takes the snapshot when there is none.
  Status CheckUnchanged(rocksdb::ColumnFamilyHandle* family, Bytes key);
  bool detects_conflicts() const {
    return settings_.detect_conflicts && settings_.isolation == Isolation::kRepeatableRead;
  }
  // What the latest committed state is.
  ViewStamp LatestStamp() const;

  // The writes of one row are made while its gate is open: others that lock ranges see all of them
  // or none.
  class WriteGate {
   public:
    WriteGate() = default;
    ~WriteGate() { Close(); }
    WriteGate(const WriteGate&) = delete;
    WriteGate& operator=(const WriteGate&) = delete;
    void Close();

   private:
    friend class Transaction;
    Transaction* transaction_ = nullptr;
  };
  // Opens the gate when no range of another keeps `added` away. Otherwise kLockBusy, and *held_up
  // is the first entry that is: TransactionLocks::WaitToInsert, then it may succeed.
  Status OpenWrite(std::span<const NewEntry> added, WriteGate* gate, const NewEntry** held_up);

  // Single writes, with or without an open gate.
  Status Put(rocksdb::ColumnFamilyHandle* family, Bytes key, Bytes value);
  Status Delete(rocksdb::ColumnFamilyHandle* family, Bytes key);
  Status SingleDelete(rocksdb::ColumnFamilyHandle* family, Bytes key);
  // The auto-increment counter of a table has reached `next`: written with the commit, kept when a
  // statement is rolled back.
  void NoteAutoIncrement(IndexId primary, uint64_t next);
  // Writes to temporary tables do not count: they need no log and no two-phase commit.
  bool has_writes() const;
  WriteSet& writes() { return writes_; }
  // The uncommitted writes among which those to this column family are.
  WriteSet& writes(const rocksdb::ColumnFamilyHandle* family) {
    return IsTemporary(family) ? temporary_.writes() : writes_;
  }
  TemporaryWrites& temporary_writes() { return temporary_; }

  // From now on the transaction alone has the table, empty but for what it has put there itself. A
  // load takes further entries to the commit; borrowed. The primary index comes first. kLockBusy
  // when others have rows or locks. For the last statement: reads miss what a load has.
  Status BeginLoad(std::vector<LoadIndex> indexes, LoadOptions options, BulkLoad** load);
  // SQL savepoints. Any may be released; rolling back to one ends those set after it.
  using Savepoint = txn::Savepoint;
  Status SetSavepoint(Savepoint* savepoint);
  Status RollbackToSavepoint(const Savepoint& savepoint);
  void ReleaseSavepoint(const Savepoint& savepoint);
  // active -> prepared. `name` identifies it after a crash (docs/format/wal.md). After Ok the
  // transaction survives a crash according to `durability`.
  // With `may_outlive_connection` (user XA) others may decide it, and EndReads comes with it.
  Status Prepare(Bytes name, Durability durability, bool may_outlive_connection = false);
  void EndReads();  // nothing is read any more: gives back shared locks and ranges
  // active or prepared -> idle, with everything visible and the locks released. A prepared
  // transaction's commit need not be durable when a coordinator's log decides it: `durability`
  // says. On error of an active one the transaction is still active and must be rolled back; of a
  // prepared one it stays prepared. Writes to temporary tables are committed first.
  Status Commit(Durability durability);
  // -> idle, nothing left.
  Status Rollback();

  void Interrupt();  // makes a lock wait of this transaction end with kInterrupted; any thread
  void ClearInterrupt();

  TransactionManager* manager() const { return manager_; }
  Bytes name() const { return name_; }

 private:
  friend class TransactionManager;

  bool IsTemporary(const rocksdb::ColumnFamilyHandle* family) const;
  Status EnsureStore();
  Status ReadyToWrite(const rocksdb::ColumnFamilyHandle* family);
  template <typename Write>
  Status WriteTo(const rocksdb::ColumnFamilyHandle* family, const Write& write);
  Status PrepareStore();
  Status WriteAutoIncrements();
  Status CompleteBatch();
  Status CommitIngestJob(Durability durability);
  Status MakeDurable(Durability durability);
  void Finish();

  TransactionManager* const manager_;
  TransactionLocks locks_;
  std::atomic<State> state_{State::kIdle};
  Settings settings_;
  std::unique_ptr<rocksdb::Transaction> store_transaction_;
  bool store_begun_ = false;
  mutable WriteSet writes_;  // its mutex also guards name_ against Describe
  bool gate_open_ = false;   // this thread holds the mutex of writes_
  TemporaryWrites temporary_;
  TransactionSnapshot snapshot_;
  bool in_statement_ = false, statement_marked_ = false;
  WriteSet::Mark statement_mark_ = 0;
  size_t statement_lock_position_ = 0;
  uint64_t statement_operations_ = 0;  // in writes_ when the statement began
  std::string name_;
  bool registered_ = false;  // with the manager, which must be told of the end
  std::vector<AutoIncrement> auto_increments_;
  IngestedWrites ingested_;
};

}  // namespace basalt::txn
