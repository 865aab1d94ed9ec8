// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction.h"

#include <malloc.h>

#include <algorithm>

#include "base/assert.h"
#include "catalog/catalog.h"
#include "store/errors/status_map.h"
#include "store/store.h"
#include "txn/transaction_manager.h"

namespace basalt::txn {

Transaction::Transaction(TransactionManager* manager, uint64_t id)
    : manager_(manager),
      locks_(this, manager, id),
      writes_(manager->spill(), manager->options().writes),
      temporary_(manager),
      snapshot_(manager->store()->base()),
      ingested_(manager) {
  manager_->Enrol(this);
}

Transaction::~Transaction() {
  if (state() == State::kActive) (void)Rollback();
  // A prepared transaction keeps its log record; only the process forgets it.
  if (state() == State::kPrepared) Finish();
  manager_->Strike(this);
}

void Transaction::Begin(const Settings& settings) {
  BASALT_ASSERT(!snapshot_.taken(), "T3: a snapshot ends with its transaction");
  settings_ = settings;
  state_ = State::kActive;
}

void Transaction::BeginStatement() {
  BASALT_ASSERT(settings_.isolation != Isolation::kReadCommitted || !snapshot_.taken(),
                "T3: under read committed a snapshot ends with its statement");
  in_statement_ = true;
  statement_marked_ = false;
  statement_lock_position_ = locks_.owner().position();
  statement_operations_ = writes_.operations();
  temporary_.BeginStatement();
  if (!store_begun_) return;  // nothing to come back to
  statement_mark_ = writes_.SetMark();
  statement_marked_ = true;
}

void Transaction::EndStatement() {
  if (statement_marked_) writes_.ReleaseMark(statement_mark_);
  statement_marked_ = false;
  in_statement_ = false;
  temporary_.EndStatement();
  if (settings_.isolation == Isolation::kReadCommitted || snapshot_.only_estimated()) {
    snapshot_.Release();
  }
}

Status Transaction::RollbackStatement() {
  Status status;
  ingested_.DropLoads();
  if (statement_marked_) {
    status = writes_.RollbackTo(statement_mark_);
  } else if (store_begun_) {
    // The statement was the first to write.
    writes_.Clear();  // the batch is the transaction's own from here on
    status = store::MapStatus(store_transaction_->Rollback(), "rolling back a statement");
    store_begun_ = false;
  }
  BASALT_ASSERT(!status.ok() || writes_.operations() == statement_operations_,
                "T4: a statement that fails leaves the write set as it was when it began");
  Status temporary = temporary_.RollbackStatement();
  if (status.ok()) status = std::move(temporary);
  locks_.ReleaseRefused(statement_lock_position_);
  EndStatement();
  return status;
}

bool Transaction::IsTemporary(const rocksdb::ColumnFamilyHandle* family) const {
  return manager_->catalog()->temporary_tables()->Holds(family);
}

Status Transaction::Get(rocksdb::ColumnFamilyHandle* family, Bytes key, View view,
                        rocksdb::PinnableSlice* value) {
  if (WriteSet& own = writes(family); own.Wrote(family->GetID())) {
    WriteKind kind;
    value->Reset();
    BASALT_RETURN_IF_ERROR(own.Get(family, key, &kind, value->GetSelf()));
    if (kind == WriteKind::kDeleted) return Status(Code::kNotFound);
    if (kind == WriteKind::kPut) {
      value->PinSelf();
      return Status::Ok();
    }
  }
  rocksdb::ReadOptions options;
  options.fill_cache = settings_.fill_cache;
  if (view == View::kSnapshot) options.snapshot = snapshot_.ForReads();
  value->Reset();
  const rocksdb::Status read = manager_->store()->base()->Get(options, family, key, value);
  if (read.ok()) [[likely]]
    return Status::Ok();
  if (read.IsNotFound()) return Status(Code::kNotFound);
  return store::MapStatus(read, "reading a row");
}

Status Transaction::GetAlone(rocksdb::ColumnFamilyHandle* family, Bytes key,
                             rocksdb::PinnableSlice* value) {
  const bool consistent_already = snapshot_.taken();
  return Get(family, key, consistent_already ? View::kSnapshot : View::kLatest, value);
}

void Transaction::MultiGet(rocksdb::ColumnFamilyHandle* family, size_t count,
                           const rocksdb::Slice* keys, View view, bool sorted,
                           rocksdb::PinnableSlice* values, Code* codes) {
  if (writes(family).Wrote(family->GetID())) {
    // Few statements read many rows of a table they have written to: one by one is simple.
    for (size_t i = 0; i < count; ++i) {
      codes[i] = Get(family, Bytes(keys[i].data(), keys[i].size()), view, &values[i]).code();
    }
    return;
  }
  rocksdb::ReadOptions options;
  options.fill_cache = settings_.fill_cache;
  if (view == View::kSnapshot) options.snapshot = snapshot_.ForReads();
  std::vector<rocksdb::Status> statuses(count);
  for (size_t i = 0; i < count; ++i) values[i].Reset();
  manager_->store()->base()->MultiGet(options, family, count, keys, values, statuses.data(),
                                      sorted);
  for (size_t i = 0; i < count; ++i) {
    codes[i] = statuses[i].ok() ? Code::kOk : store::MapStatus(statuses[i]).code();
  }
}

Status Transaction::CheckUnchanged(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  if (!detects_conflicts()) [[likely]]
    return Status::Ok();
  if (!snapshot_.taken()) {
    snapshot_.ForReads();
    return Status::Ok();
  }
  WriteKind own = WriteKind::kNone;
  std::string written;
  if (writes_.Wrote(family->GetID())) {
    BASALT_RETURN_IF_ERROR(writes_.Get(family, key, &own, &written));
  }
  if (own != WriteKind::kNone) return Status::Ok();  // locked, and checked, before
  rocksdb::ReadOptions options;
  rocksdb::PinnableSlice latest;
  const rocksdb::Status now = manager_->store()->base()->Get(options, family, key, &latest);
  options.snapshot = snapshot_.get();
  rocksdb::PinnableSlice before;
  const rocksdb::Status then = manager_->store()->base()->Get(options, family, key, &before);
  for (const rocksdb::Status& read : {now, then}) {
    if (!read.ok() && !read.IsNotFound()) return store::MapStatus(read, "reading a row");
  }
  // A change that was taken back since is none.
  if (now.code() == then.code() && latest == before) return Status::Ok();
  return Status(Code::kSnapshotConflict, " (snapshot conflict)");
}

TransactionInfo Transaction::Describe() const {
  TransactionInfo info;
  info.id = id();
  info.active = active();
  info.prepared = state() == State::kPrepared;
  info.row_locks = locks_.owner().reported_row_locks();
  {
    MutexLock guard(writes_.mutex());
    info.name = name_;
    info.writes = writes_.operations();
  }
  WaitGraph::Waiting waiting;
  info.waiting = manager_->waits()->WhatIsWanted(locks_.owner(), &waiting);
  if (info.waiting) {
    info.wanted_index = waiting.index;
    info.wanted_key = std::move(waiting.key);
    info.wanted = waiting.wanted;
  }
  return info;
}

ViewStamp Transaction::LatestStamp() const { return manager_->LatestStamp(); }

// Readies RocksDB's transaction object, whose batch collects the writes.
Status Transaction::EnsureStore() {
  if (store_begun_) [[likely]]
    return Status::Ok();
  BASALT_RETURN_IF_ERROR(manager_->store()->CheckWritingAllowed());
  rocksdb::WriteOptions write_options;
  rocksdb::TransactionOptions options;
  options.skip_concurrency_control = true;
  rocksdb::Transaction* begun =
      manager_->store()->db()->BeginTransaction(write_options, options, store_transaction_.get());
  if (begun != store_transaction_.get()) store_transaction_.reset(begun);
  store_begun_ = true;
  writes_.Attach(store_transaction_->GetWriteBatch());
  return Status::Ok();
}

// Unchecked: the gate holds the mutex of the writes from OpenWrite on.
BASALT_UNCHECKED_LOCKS void Transaction::WriteGate::Close() {
  if (transaction_ == nullptr) return;
  transaction_->gate_open_ = false;
  transaction_->writes_.mutex().Unlock();
  transaction_ = nullptr;
}

BASALT_UNCHECKED_LOCKS Status Transaction::OpenWrite(std::span<const NewEntry> added,
                                                     WriteGate* gate, const NewEntry** held_up) {
  BASALT_RETURN_IF_ERROR(EnsureStore());
  MutexLock lock(writes_.mutex());
  const RangeLocks& ranges = *manager_->ranges();
  for (const NewEntry& entry : added) writes_.NoteInsert(entry.index);
  for (const NewEntry& entry : added) {
    if (!ranges.MayCover(entry.index)) continue;
    if (!ranges.Covers(locks_.owner(), entry.index, entry.key)) continue;
    *held_up = &entry;
    return Status(Code::kLockBusy);
  }
  gate->transaction_ = this;
  gate_open_ = true;
  lock.HandOn();
  return Status::Ok();
}

Status Transaction::ReadyToWrite(const rocksdb::ColumnFamilyHandle* family) {
  return IsTemporary(family) ? temporary_.Begin() : EnsureStore();
}

// Under the mutex of the writes, unless the gate holds it already, or nobody else ever looks at
// them.
template <typename Write>
Status Transaction::WriteTo(const rocksdb::ColumnFamilyHandle* family, const Write& write) {
  BASALT_ASSERT(state() == State::kActive,
                "T1: what is written is in the write set, or, prepared, in the log");
  BASALT_RETURN_IF_ERROR(ReadyToWrite(family));
  if (gate_open_ || IsTemporary(family)) return write(&writes(family));
  MutexLock lock(writes_.mutex());
  return write(&writes_);
}

Status Transaction::Put(rocksdb::ColumnFamilyHandle* family, Bytes key, Bytes value) {
  return WriteTo(family, [&](WriteSet* writes) { return writes->Put(family, key, value); });
}

Status Transaction::Delete(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  return WriteTo(family, [&](WriteSet* writes) { return writes->Delete(family, key); });
}

Status Transaction::SingleDelete(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  return WriteTo(family, [&](WriteSet* writes) { return writes->SingleDelete(family, key); });
}

bool Transaction::has_writes() const {
  return !writes_.empty() || !auto_increments_.empty() || ingested_.has_loads();
}

void Transaction::NoteAutoIncrement(IndexId primary, uint64_t next) {
  for (AutoIncrement& noted : auto_increments_) {
    if (noted.primary != primary) continue;
    noted.next = std::max(noted.next, next);
    return;
  }
  auto_increments_.push_back({primary, next});
}

Status Transaction::WriteAutoIncrements() {
  if (auto_increments_.empty()) return Status::Ok();
  BASALT_RETURN_IF_ERROR(EnsureStore());
  for (const AutoIncrement& noted : auto_increments_) {
    BASALT_RETURN_IF_ERROR(manager_->catalog()->AppendAutoIncrementMerge(
        store_transaction_->GetWriteBatch(), noted.primary, noted.next));
  }
  auto_increments_.clear();
  return Status::Ok();
}

Status Transaction::SetSavepoint(Savepoint* savepoint) {
  // A mark needs the batch, so that writes after it have something to be measured against.
  BASALT_RETURN_IF_ERROR(EnsureStore());
  savepoint->mark = writes_.SetMark();
  savepoint->temporary_mark = temporary_.SetMark();
  savepoint->lock_position = locks_.owner().position();
  return Status::Ok();
}

Status Transaction::RollbackToSavepoint(const Savepoint& savepoint) {
  ingested_.DropLoads();
  BASALT_RETURN_IF_ERROR(writes_.RollbackTo(savepoint.mark));
  BASALT_RETURN_IF_ERROR(temporary_.RollbackTo(savepoint.temporary_mark));
  locks_.ReleaseRefused(savepoint.lock_position);
  return Status::Ok();
}

void Transaction::ReleaseSavepoint(const Savepoint& savepoint) {
  writes_.ReleaseMark(savepoint.mark);
  temporary_.ReleaseMark(savepoint.temporary_mark);
}

Status Transaction::BeginLoad(std::vector<LoadIndex> indexes, LoadOptions options,
                              BulkLoad** load) {
  BASALT_RETURN_IF_ERROR(EnsureStore());
  std::vector<IndexId> ids;
  for (const LoadIndex& index : indexes) ids.push_back(index.id);
  if (!options.of_no_table) {
    BASALT_RETURN_IF_ERROR(manager_->OwnTable(this, ids, !options.beside_rows));
  }
  *load = ingested_.AddLoad(std::move(indexes), options, &writes_);
  return Status::Ok();
}

// What is prepared may stay for long: others need not wait for its outcome to add entries where it
// has read, or to change what it has only read.
void Transaction::EndReads() { locks_.ReleaseReads(); }

Status Transaction::Prepare(Bytes name, Durability durability, bool may_outlive_connection) {
  BASALT_RETURN_IF_ERROR(EnsureStore());
  writes_.SetOpaque(true);
  {
    MutexLock guard(writes_.mutex());
    name_.assign(name);
  }
  BASALT_RETURN_IF_ERROR(PrepareStore());
  // The files of a spilled transaction are not looked into.
  if (ingested_.job() == nullptr) writes_.SetOpaque(false);
  BASALT_ASSERT(store_transaction_->GetState() == rocksdb::Transaction::PREPARED,
                "T5: a prepared transaction survives the process");
  state_ = State::kPrepared;
  if (may_outlive_connection) {
    EndReads();
    BASALT_RETURN_IF_ERROR(manager_->Register(this));
    registered_ = true;
  }
  return MakeDurable(durability);
}

// Large writes go into files, of which the batch leaves only the record; counters come into it.
Status Transaction::CompleteBatch() {
  if (writes_.spilled() || ingested_.has_loads()) {
    BASALT_RETURN_IF_ERROR(ingested_.Build(&writes_, store_transaction_->GetWriteBatch()));
  }
  return WriteAutoIncrements();
}

Status Transaction::PrepareStore() {
  BASALT_RETURN_IF_ERROR(CompleteBatch());
  BASALT_RETURN_IF_ERROR(
      store::MapStatus(store_transaction_->SetName(name_), "naming a prepared transaction"));
  return store::MapStatus(store_transaction_->Prepare(), "preparing");
}

// What the log holds so far is made as durable as asked for.
Status Transaction::MakeDurable(Durability durability) {
  if (durability == Durability::kNone) return Status::Ok();
  return manager_->store()->SyncWal(durability == Durability::kSync);
}

Status Transaction::Commit(Durability durability) {
  BASALT_RETURN_IF_ERROR(temporary_.Commit());
  if (state() == State::kActive) {
    if (!has_writes()) {
      Finish();
      return Status::Ok();
    }
    BASALT_RETURN_IF_ERROR(EnsureStore());
  }
  writes_.SetOpaque(true);  // until Finish
  if (state() == State::kActive) BASALT_RETURN_IF_ERROR(CompleteBatch());
  if (ingested_.job() != nullptr) return CommitIngestJob(durability);
  BASALT_RETURN_IF_ERROR(store::MapStatus(store_transaction_->Commit(), "committing"));
  store_begun_ = false;
  Status durable = MakeDurable(durability);
  Finish();
  return durable;
}

// The batch holds only the job record. Once that is committed the files must follow, whatever it
// takes: until then the locks stay, so that no one sees or changes the rows in between.
Status Transaction::CommitIngestJob(Durability durability) {
  BASALT_RETURN_IF_ERROR(store::MapStatus(store_transaction_->Commit(), "committing"));
  store_begun_ = false;
  // While there is a snapshot, RocksDB gives the files a sequence number, and compacts those of the
  // last level once more to take it away again.
  snapshot_.Release();
  Status status = manager_->FinishCommit(*ingested_.job());
  if (status.ok()) status = MakeDurable(durability);
  Finish();
  ingested_.Forget(/*files=*/false);
  return status;
}

Status Transaction::Rollback() {
  Status status;
  const bool prepared = state() == State::kPrepared;
  if (store_begun_) {
    writes_.SetOpaque(true);  // until Finish
    status = store::MapStatus(store_transaction_->Rollback(), "rolling back");
    if (!status.ok() && prepared) return status;
  }
  // A prepared transaction stands in the log: unless its roll-back is durable as well, a crash
  // would bring it back after the roll-back was acknowledged (T5).
  if (prepared) status = manager_->store()->SyncWal(true);
  // A roll-back that is not durable may be undone by a crash, and then the files are needed again;
  // what nobody needs is removed when the store opens next.
  const bool remove_files = status.ok();
  Finish();
  ingested_.Forget(remove_files);
  return status;
}

// -> idle. The locks go last (T6).
void Transaction::Finish() {
  const bool large =
      writes_.spilled() || temporary_.writes().spilled() || ingested_.job() != nullptr;
  writes_.Clear();
  ingested_.DropLoads();
  temporary_.Clear();
  store_begun_ = false;
  auto_increments_.clear();
  if (registered_) manager_->Unregister(this);
  registered_ = false;
  {
    MutexLock guard(writes_.mutex());
    name_.clear();
  }
  snapshot_.Release();
  statement_marked_ = false;
  in_statement_ = false;
  state_ = State::kIdle;
  manager_->undecided()->Forget(this);
  BASALT_ASSERT(writes_.operations() == 0 && !registered_,
                "T6: locks are released after the writes are visible or gone");
  locks_.ReleaseAll();
  // The memory of batch, index and locks goes back to the system, not to the next statement.
  if (large) malloc_trim(0);
}

void Transaction::SetRunner(void* runner) { manager_->waits()->SetRunner(&locks_.owner(), runner); }
void Transaction::Interrupt() { manager_->waits()->Interrupt(&locks_.owner()); }
void Transaction::ClearInterrupt() { WaitGraph::ClearInterrupt(&locks_.owner()); }

}  // namespace basalt::txn
