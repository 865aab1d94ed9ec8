// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction.h"

#include <malloc.h>

#include <utility>

#include "base/assert.h"
#include "store/store.h"
#include "txn/transaction_manager.h"

namespace basalt::txn {

Transaction::Transaction(TransactionManager* manager, uint64_t id)
    : manager_(manager),
      locks_(this, manager, id),
      writes_(manager, &locks_.owner()),
      reads_(manager, &settings_, &writes_),
      changes_(manager, &writes_) {
  manager_->AddTransaction(this);
}

Transaction::~Transaction() {
  if (state() == State::kActive) (void)Rollback();
  // A prepared transaction keeps its log record; only the process forgets it.
  if (state() == State::kPrepared) Finish();
  manager_->RemoveTransaction(this);
}

void Transaction::Begin(const Settings& settings) {
  BASALT_ASSERT(!snapshot().taken(), "T3: a snapshot ends with its transaction");
  settings_ = settings;
  state_ = State::kActive;
}

void Transaction::BeginStatement() {
  BASALT_ASSERT(settings_.isolation != Isolation::kReadCommitted || !snapshot().taken(),
                "T3: under read committed a snapshot ends with its statement");
  statement_lock_position_ = locks_.owner().position();
  writes_.BeginStatement();
}

void Transaction::EndStatement() {
  writes_.EndStatement();
  if (settings_.isolation == Isolation::kReadCommitted || snapshot().only_estimated()) {
    snapshot().Release();
  }
}

Status Transaction::RollbackStatement() {
  Status status = writes_.RollbackStatement();
  locks_.ReleaseRefused(statement_lock_position_);
  EndStatement();
  return status;
}

TransactionInfo Transaction::Describe() const {
  TransactionInfo info;
  info.id = id();
  info.active = active();
  info.prepared = state() == State::kPrepared;
  info.row_locks = locks_.owner().reported_row_locks();
  {
    MutexLock guard(writes_.logged().mutex());
    info.name = name_;
    info.writes = writes_.logged().operations();
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

Status Transaction::SetSavepoint(Savepoint* savepoint) {
  BASALT_RETURN_IF_ERROR(writes_.SetMark(&savepoint->writes));
  savepoint->lock_position = locks_.owner().position();
  return Status::Ok();
}

Status Transaction::RollbackToSavepoint(const Savepoint& savepoint) {
  BASALT_RETURN_IF_ERROR(writes_.RollbackTo(savepoint.writes));
  locks_.ReleaseRefused(savepoint.lock_position);
  return Status::Ok();
}

void Transaction::ReleaseSavepoint(const Savepoint& savepoint) {
  writes_.ReleaseMark(savepoint.writes);
}

// What is checked row by row leaves the table to others. The load takes over what was written
// before, and knows how to put entries only.
Status Transaction::ReserveTable(std::span<const IndexId> indexes, const LoadOptions& options) {
  if (!options.checked_rows) return manager_->OwnTable(this, indexes, !options.beside_rows);
  if (detects_conflicts()) return Status(Code::kLockBusy);
  for (const IndexId index : indexes) {
    bool has = false;
    BASALT_RETURN_IF_ERROR(writes_.HasDeletions(index, &has));
    if (has) return Status(Code::kLockBusy);
  }
  return Status::Ok();
}

Status Transaction::BeginLoad(std::vector<LoadIndex> indexes, LoadOptions options,
                              BulkLoad** load) {
  BASALT_RETURN_IF_ERROR(writes_.Begin());
  std::vector<IndexId> ids;
  ids.reserve(indexes.size());
  for (const LoadIndex& index : indexes) ids.push_back(index.id);
  if (!options.of_no_table) {
    BASALT_RETURN_IF_ERROR(ReserveTable(ids, options));
    LoadCounts* counts = manager_->load_counts();
    counts->begun.fetch_add(1);
    if (options.checked_rows) counts->of_checked_rows.fetch_add(1);
  }
  *load = writes_.AddLoad(std::move(indexes), options);
  return Status::Ok();
}

Status Transaction::Prepare(Bytes name, Durability durability, bool may_outlive_connection) {
  BASALT_RETURN_IF_ERROR(writes_.Begin());
  {
    MutexLock guard(writes_.logged().mutex());
    name_.assign(name);
  }
  BASALT_RETURN_IF_ERROR(writes_.Prepare(name_));
  state_ = State::kPrepared;
  if (may_outlive_connection) {
    // It may stay for long: others need not wait for its outcome to add entries where it has read,
    // or to change what it has only read.
    locks_.ReleaseReads();
    writes_.ReleaseRoom();
    BASALT_RETURN_IF_ERROR(manager_->Register(this));
    registered_ = true;
  }
  return MakeDurable(durability);
}

Status Transaction::MakeDurable(Durability durability) {
  if (durability == Durability::kNone) return Status::Ok();
  return manager_->store()->SyncWal(durability == Durability::kSync, &committer_);
}

Status Transaction::Commit(Durability durability) {
  BASALT_RETURN_IF_ERROR(writes_.temporary().Commit());
  const bool prepared = state() == State::kPrepared;
  if (!prepared && !has_writes()) {
    Finish();
    return Status::Ok();
  }
  BASALT_RETURN_IF_ERROR(writes_.Commit(prepared));
  if (writes_.ingested().job() != nullptr) return CommitIngestJob(durability);
  Status durable = MakeDurable(durability);
  Finish();
  return durable;
}

// The batch held only the job record. Now that it is committed the files must follow, whatever it
// takes: until then the locks stay, so that no one sees or changes the rows in between.
Status Transaction::CommitIngestJob(Durability durability) {
  // While there is a snapshot, RocksDB gives the files a sequence number, and compacts those of the
  // last level once more to take it away again.
  snapshot().Release();
  Status status = manager_->FinishCommit(*writes_.ingested().job());
  if (status.ok()) status = MakeDurable(durability);
  Finish();
  writes_.ForgetJob(/*files=*/false);
  return status;
}

Status Transaction::Rollback() {
  const bool prepared = state() == State::kPrepared;
  Status status = writes_.Rollback();
  if (!status.ok() && prepared) return status;
  // A prepared transaction stands in the log: unless its roll-back is durable as well, a crash
  // would bring it back after the roll-back was acknowledged (T5).
  if (prepared) status = manager_->store()->SyncWal(true);
  // A roll-back that is not durable may be undone by a crash, and then the files are needed again;
  // what nobody needs is removed when the store opens next.
  const bool remove_files = status.ok();
  Finish();
  writes_.ForgetJob(remove_files);
  return status;
}

// -> idle. The locks go last (T6).
void Transaction::Finish() {
  const bool large = writes_.large();
  writes_.Clear();
  changes_.Clear();
  if (registered_) manager_->Unregister(this);
  registered_ = false;
  if (!name_.empty()) {
    MutexLock guard(writes_.logged().mutex());
    name_.clear();
  }
  snapshot().Release();
  state_ = State::kIdle;
  manager_->undecided()->Forget(this);
  BASALT_ASSERT(writes_.logged().operations() == 0 && !registered_,
                "T6: locks are released after the writes are visible or gone");
  locks_.ReleaseAll();
  // The memory of batch, index and locks goes back to the system, not to the next statement.
  if (large) malloc_trim(0);
}

}  // namespace basalt::txn
