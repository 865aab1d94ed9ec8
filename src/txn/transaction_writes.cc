// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction_writes.h"

#include <algorithm>

#include "base/assert.h"
#include "catalog/catalog.h"
#include "store/errors/status_map.h"
#include "store/store.h"
#include "txn/transaction_manager.h"
#include "txn/written_entries.h"

namespace basalt::txn {

// Unchecked: the gate holds the mutex of the writes from OpenWrite on.
BASALT_UNCHECKED_LOCKS void WriteGate::Close() {
  if (writes_ == nullptr) return;
  writes_->gate_open_ = false;
  writes_->logged_.mutex().Unlock();
  writes_ = nullptr;
}

TransactionWrites::TransactionWrites(TransactionManager* manager, LockOwner* owner)
    : manager_(manager),
      owner_(owner),
      logged_(manager->spill(), manager->options().writes),
      temporary_(manager),
      ingested_(manager) {}

bool TransactionWrites::IsTemporary(const rocksdb::ColumnFamilyHandle* family) const {
  return manager_->catalog()->temporary_tables()->Holds(family);
}

Status TransactionWrites::Begin() {
  if (begun_) [[likely]]
    return Status::Ok();
  BASALT_RETURN_IF_ERROR(manager_->store()->CheckWritingAllowed());
  rocksdb::WriteOptions write_options;
  rocksdb::TransactionOptions options;
  options.skip_concurrency_control = true;
  rocksdb::Transaction* begun =
      manager_->store()->db()->BeginTransaction(write_options, options, store_transaction_.get());
  if (begun != store_transaction_.get()) store_transaction_.reset(begun);
  begun_ = true;
  logged_.Attach(store_transaction_->GetWriteBatch());
  return Status::Ok();
}

BASALT_UNCHECKED_LOCKS Status TransactionWrites::OpenWrite(std::span<const NewEntry> added,
                                                           WriteGate* gate,
                                                           const NewEntry** held_up) {
  BASALT_RETURN_IF_ERROR(Begin());
  MutexLock lock(logged_.mutex());
  const RangeLocks& ranges = *manager_->ranges();
  for (const NewEntry& entry : added) logged_.NoteInsert(entry.index);
  for (const NewEntry& entry : added) {
    if (!ranges.MayCover(entry.index)) continue;
    if (!ranges.Covers(*owner_, entry.index, entry.key)) continue;
    *held_up = &entry;
    return Status(Code::kLockBusy);
  }
  gate->writes_ = this;
  gate_open_ = true;
  lock.HandOn();
  return Status::Ok();
}

// Unchecked: the gate holds the mutex of the writes.
BASALT_UNCHECKED_LOCKS void TransactionWrites::NoteLoaded(std::span<const NewEntry> added) {
  for (const NewEntry& entry : added) logged_.NoteLoaded(entry.index, entry.key);
}

Status TransactionWrites::HasDeletions(IndexId index, bool* has) {
  rocksdb::ColumnFamilyHandle* family = manager_->store()->FindColumnFamily(index.column_family);
  WrittenEntries entry(&logged_, family, store::IsReverse(family), index);
  while (entry.Valid() && !entry.deleted()) entry.Next();
  *has = entry.Valid();
  return entry.status();
}

Status TransactionWrites::ReadyToWrite(const rocksdb::ColumnFamilyHandle* family) {
  return IsTemporary(family) ? temporary_.Begin() : Begin();
}

// Under the mutex of the writes, unless the gate holds it already, or nobody else ever looks at
// them.
template <typename Write>
Status TransactionWrites::WriteTo(const rocksdb::ColumnFamilyHandle* family, const Write& write) {
  BASALT_RETURN_IF_ERROR(ReadyToWrite(family));
  BASALT_ASSERT(
      IsTemporary(family) || store_transaction_->GetState() == rocksdb::Transaction::STARTED,
      "T1: what is written is in the write set, or, prepared, in the log");
  if (gate_open_ || IsTemporary(family)) return write(&Of(family));
  MutexLock lock(logged_.mutex());
  return write(&logged_);
}

Status TransactionWrites::Put(rocksdb::ColumnFamilyHandle* family, Bytes key, Bytes value) {
  return WriteTo(family, [&](WriteSet* writes) { return writes->Put(family, key, value); });
}

Status TransactionWrites::Delete(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  return WriteTo(family, [&](WriteSet* writes) { return writes->Delete(family, key); });
}

Status TransactionWrites::SingleDelete(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  return WriteTo(family, [&](WriteSet* writes) { return writes->SingleDelete(family, key); });
}

void TransactionWrites::NoteAutoIncrement(IndexId primary, uint64_t next) {
  for (AutoIncrement& noted : auto_increments_) {
    if (noted.primary != primary) continue;
    noted.next = std::max(noted.next, next);
    return;
  }
  auto_increments_.push_back({primary, next});
}

bool TransactionWrites::empty() const {
  return logged_.empty() && auto_increments_.empty() && !ingested_.has_loads();
}

bool TransactionWrites::large() {
  return logged_.spilled() || temporary_.writes().spilled() || ingested_.job() != nullptr;
}

void TransactionWrites::BeginStatement() {
  statement_marked_ = false;
  statement_operations_ = logged_.operations();
  temporary_.BeginStatement();
  if (!begun_) return;  // nothing to come back to
  statement_mark_ = logged_.SetMark();
  statement_marked_ = true;
}

void TransactionWrites::EndStatement() {
  if (statement_marked_) logged_.ReleaseMark(statement_mark_);
  statement_marked_ = false;
  temporary_.EndStatement();
}

Status TransactionWrites::RollbackStatement() {
  Status status;
  ingested_.ClearLoads();
  if (statement_marked_) {
    status = logged_.RollbackTo(statement_mark_);
  } else if (begun_) {
    // The statement was the first to write.
    logged_.Clear();  // the batch is the transaction's own from here on
    status = store::MapStatus(store_transaction_->Rollback(), "rolling back a statement");
    begun_ = false;
  }
  BASALT_ASSERT(!status.ok() || logged_.operations() == statement_operations_,
                "T4: a statement that fails leaves the write set as it was when it began");
  Status temporary = temporary_.RollbackStatement();
  if (status.ok()) status = std::move(temporary);
  return status;
}

Status TransactionWrites::SetMark(WriteMark* mark) {
  // A mark needs the batch, so that writes after it have something to be measured against.
  BASALT_RETURN_IF_ERROR(Begin());
  mark->logged = logged_.SetMark();
  mark->temporary = temporary_.SetMark();
  return Status::Ok();
}

Status TransactionWrites::RollbackTo(const WriteMark& mark) {
  ingested_.ClearLoads();
  BASALT_RETURN_IF_ERROR(logged_.RollbackTo(mark.logged));
  return temporary_.RollbackTo(mark.temporary);
}

void TransactionWrites::ReleaseMark(const WriteMark& mark) {
  logged_.ReleaseMark(mark.logged);
  temporary_.ReleaseMark(mark.temporary);
}

Status TransactionWrites::WriteAutoIncrements() {
  if (auto_increments_.empty()) return Status::Ok();
  BASALT_RETURN_IF_ERROR(Begin());
  for (const AutoIncrement& noted : auto_increments_) {
    BASALT_RETURN_IF_ERROR(manager_->catalog()->auto_increments().AppendMerge(
        store_transaction_->GetWriteBatch(), noted.primary, noted.next));
  }
  auto_increments_.clear();
  return Status::Ok();
}

// Large writes go into files, of which the batch leaves only the record; counters come into it.
Status TransactionWrites::FinishBatch() {
  if (logged_.spilled() || ingested_.has_loads()) {
    BASALT_RETURN_IF_ERROR(ingested_.Build(&logged_, store_transaction_->GetWriteBatch()));
  }
  return WriteAutoIncrements();
}

void TransactionWrites::WaitForRoom() {
  place_ = manager_->store()->flushes().room().Take(
      *store_transaction_->GetWriteBatch()->GetWriteBatch());
}

Status TransactionWrites::Prepare(const std::string& name) {
  logged_.SetOpaque(true);
  BASALT_RETURN_IF_ERROR(FinishBatch());
  WaitForRoom();
  BASALT_RETURN_IF_ERROR(
      store::MapStatus(store_transaction_->SetName(name), "naming a prepared transaction"));
  BASALT_RETURN_IF_ERROR(store::MapStatus(store_transaction_->Prepare(), "preparing"));
  // The files of a spilled transaction are not looked into.
  if (ingested_.job() == nullptr) logged_.SetOpaque(false);
  BASALT_ASSERT(store_transaction_->GetState() == rocksdb::Transaction::PREPARED,
                "T5: a prepared transaction survives the process");
  return Status::Ok();
}

Status TransactionWrites::Commit(bool prepared) {
  if (!prepared) BASALT_RETURN_IF_ERROR(Begin());
  logged_.SetOpaque(true);  // until Clear
  if (!prepared) {
    BASALT_RETURN_IF_ERROR(FinishBatch());
    WaitForRoom();
  }
  const rocksdb::Status committed = store_transaction_->Commit();
  // RocksDB keeps what it could not write, and would put all of it behind that a second time.
  if (prepared && !committed.ok()) store_transaction_->GetCommitTimeWriteBatch()->Clear();
  BASALT_RETURN_IF_ERROR(store::MapStatus(committed, "committing"));
  place_.Release();
  begun_ = false;
  return Status::Ok();
}

Status TransactionWrites::Rollback() {
  if (!begun_) return Status::Ok();
  logged_.SetOpaque(true);  // until Clear
  return store::MapStatus(store_transaction_->Rollback(), "rolling back");
}

void TransactionWrites::Clear() {
  logged_.Clear();
  ingested_.ClearLoads();
  temporary_.Clear();
  auto_increments_.clear();
  place_.Release();
  begun_ = false;
  statement_marked_ = false;
}

void TransactionWrites::Adopt(rocksdb::Transaction* prepared) {
  store_transaction_.reset(prepared);
  begun_ = true;
  logged_.Adopt(prepared->GetWriteBatch());
}

}  // namespace basalt::txn
