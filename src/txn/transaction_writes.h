// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/utilities/transaction.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "catalog/ingest_job.h"
#include "store/maintenance/memtable_room.h"
#include "txn/ingested_writes.h"
#include "txn/lock_owner.h"
#include "txn/temporary_writes.h"
#include "txn/transaction_types.h"
#include "txn/write_set.h"

namespace basalt::txn {

class TransactionManager;
class TransactionWrites;

// The writes of one row are made while its gate is open: others that lock ranges see all of them or
// none.
class WriteGate {
 public:
  WriteGate() = default;
  ~WriteGate() { Close(); }
  WriteGate(const WriteGate&) = delete;
  WriteGate& operator=(const WriteGate&) = delete;
  void Close();

 private:
  friend class TransactionWrites;
  TransactionWrites* writes_ = nullptr;
};

// The uncommitted writes of one transaction: to tables, to temporary tables, of loads, and what
// auto-increment counters have reached. Takes them, takes them back, and puts them into the store.
// Whether it may is the transaction's to know (transaction.h has the states and T1-T7).
//
// Used by one thread at a time, as the transaction is; others look into logged() under its mutex.
class TransactionWrites {
 public:
  // Borrows the manager and the owner of the transaction's locks.
  TransactionWrites(TransactionManager* manager, LockOwner* owner);
  TransactionWrites(const TransactionWrites&) = delete;
  TransactionWrites& operator=(const TransactionWrites&) = delete;

  // Readies RocksDB's transaction object, whose batch collects the logged writes. Before the first
  // of them; later calls do nothing.
  Status Begin();
  // Opens the gate when no range of another keeps `added` away. Otherwise kLockBusy, and *held_up
  // is the first entry that is: TransactionLocks::WaitToInsert, then it may succeed.
  Status OpenWrite(std::span<const NewEntry> added, WriteGate* gate, const NewEntry** held_up);
  // With an open gate, for what OpenWrite was given: these entries are not going to be put here but
  // added to a load, when the gate is closed.
  void NoteLoaded(std::span<const NewEntry> added);
  // Single writes, with or without an open gate. T2 is the caller's.
  Status Put(rocksdb::ColumnFamilyHandle* family, Bytes key, Bytes value);
  Status Delete(rocksdb::ColumnFamilyHandle* family, Bytes key);
  Status SingleDelete(rocksdb::ColumnFamilyHandle* family, Bytes key);
  // The auto-increment counter of a table has reached `next`: written with the commit, kept when a
  // statement is rolled back.
  void NoteAutoIncrement(IndexId primary, uint64_t next);
  // Adds a load of a table that the transaction alone has. After Begin; owned by this.
  BulkLoad* AddLoad(std::vector<LoadIndex> indexes, const LoadOptions& options) {
    return ingested_.AddLoad(std::move(indexes), options, &logged_);
  }

  // Writes to temporary tables do not count: they need no log and no two-phase commit.
  bool empty() const;
  // Does the transaction delete anything in an index? Looks at all it has written there.
  Status HasDeletions(IndexId index, bool* has);
  WriteSet& logged() { return logged_; }
  TemporaryWrites& temporary() { return temporary_; }
  // Those writes among which the ones to this column family are.
  WriteSet& Of(const rocksdb::ColumnFamilyHandle* family) {
    return IsTemporary(family) ? temporary_.writes() : logged_;
  }
  const IngestedWrites& ingested() const { return ingested_; }
  // Writes are, or are going to be, in files: their memory is worth giving back to the system.
  bool large();

  // --- Taking writes back. Loads go, wherever they began. ---
  void BeginStatement();
  void EndStatement();
  Status RollbackStatement();  // EndStatement follows (T4)
  Status SetMark(WriteMark* mark);
  Status RollbackTo(const WriteMark& mark);
  void ReleaseMark(const WriteMark& mark);

  // --- The end of the logged writes; temporary().Commit comes before it ---
  // Puts them into the log under this name, to be committed or rolled back later, too.
  Status Prepare(const std::string& name);
  // `prepared`: Prepare was called, or Adopt. When ingested() then has a job, its files must
  // follow.
  Status Commit(bool prepared);
  Status Rollback();
  // What was prepared may stay so for long: memtables need keep no room for it.
  void ReleaseRoom() { place_.Release(); }
  // Forgets all writes, in the store or not, but for the job of ingested().
  void Clear();
  // Forgets the job. `files`: they go too, because nothing was committed.
  void ForgetJob(bool files) { ingested_.Forget(files); }

  // --- A prepared transaction that was found at start ---
  // Takes it over; its writes are only looked into.
  void Adopt(rocksdb::Transaction* prepared);
  void AdoptJob(std::unique_ptr<catalog::IngestJob> job) { ingested_.Adopt(std::move(job)); }
  // What a prepared transaction has put into the log.
  const rocksdb::WriteBatch* prepared_batch() const {
    return store_transaction_->GetWriteBatch()->GetWriteBatch();
  }

 private:
  friend class WriteGate;

  bool IsTemporary(const rocksdb::ColumnFamilyHandle* family) const;
  Status ReadyToWrite(const rocksdb::ColumnFamilyHandle* family);
  template <typename Write>
  Status WriteTo(const rocksdb::ColumnFamilyHandle* family, const Write& write);
  Status WriteAutoIncrements();
  Status FinishBatch();
  void WaitForRoom();

  TransactionManager* const manager_;
  LockOwner* const owner_;
  std::unique_ptr<rocksdb::Transaction> store_transaction_;
  bool begun_ = false;
  bool gate_open_ = false;  // this thread holds the mutex of logged_
  bool statement_marked_ = false;
  WriteSet::Mark statement_mark_ = 0;
  uint64_t statement_operations_ = 0;  // in logged_ when the statement began
  WriteSet logged_;
  TemporaryWrites temporary_;
  std::vector<AutoIncrement> auto_increments_;
  IngestedWrites ingested_;
  store::MemtableRoom::Place place_;  // of the batch in the memtables, until it is there
};

}  // namespace basalt::txn
