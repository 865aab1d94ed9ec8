// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction_manager.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <rocksdb/write_batch.h>

#include "catalog/dictionary_records.h"
#include "store/status_map.h"
#include "txn/ingestion.h"

namespace basalt::txn {
namespace {

// Locks the rows that a prepared transaction has written, so that nobody changes them before its
// outcome is known, and finds its ingest job if it has one.
class PreparedReader : public rocksdb::WriteBatch::Handler {
 public:
  PreparedReader(store::Store* store, LockTable* locks, LockOwner* owner, WriteSet* writes)
      : store_(store), locks_(locks), owner_(owner), writes_(writes) {}

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    if (family != store_->system()->GetID()) return Note(family, key);
    catalog::IngestJob job;
    if (catalog::DecodeIngestJob(Bytes(key.data(), key.size()), Bytes(value.data(), value.size()),
                                 &job)
            .ok()) {
      job_ = std::make_unique<catalog::IngestJob>(std::move(job));
    }
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(uint32_t family, const rocksdb::Slice& key) override {
    return Note(family, key);
  }
  rocksdb::Status SingleDeleteCF(uint32_t family, const rocksdb::Slice& key) override {
    return Note(family, key);
  }
  rocksdb::Status MergeCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status MarkNoop(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkBeginPrepare(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkEndPrepare(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  void LogData(const rocksdb::Slice&) override {}

  std::unique_ptr<catalog::IngestJob> TakeJob() { return std::move(job_); }

  // A key that the transaction has written.
  void Note(IndexId index, Bytes key) {
    // Prepared transactions held their locks together, so none can conflict with another.
    (void)locks_->Acquire(owner_, index, key, LockMode::kExclusive, LockWait::kNoWait, 0);
    writes_->NoteInsert(index);
  }

 private:
  rocksdb::Status Note(uint32_t family, const rocksdb::Slice& key) {
    if (key.size() >= kIndexNumberBytes) {
      Note(IndexId{family, LoadBigEndian32(key.data())}, Bytes(key.data(), key.size()));
    }
    return rocksdb::Status::OK();
  }

  store::Store* const store_;
  LockTable* const locks_;
  LockOwner* const owner_;
  WriteSet* const writes_;
  std::unique_ptr<catalog::IngestJob> job_;
};

}  // namespace

TransactionManager::TransactionManager(store::Store* store, catalog::Catalog* catalog,
                                       Options options)
    : store_(store),
      catalog_(catalog),
      options_(options),
      locks_(options.locks, &waits_),
      ranges_(options.ranges, &waits_),
      spill_(store) {}

TransactionManager::~TransactionManager() = default;

Status TransactionManager::Recover() {
  BASALT_RETURN_IF_ERROR(spill_.Reset());
  std::vector<catalog::IngestJob> jobs;
  BASALT_RETURN_IF_ERROR(catalog_->PendingIngestJobs(&jobs));
  for (const catalog::IngestJob& job : jobs) BASALT_RETURN_IF_ERROR(FinishIngestJob(job));

  std::vector<rocksdb::Transaction*> prepared;
  store_->db()->GetAllPreparedTransactions(&prepared);
  for (rocksdb::Transaction* transaction : prepared) {
    BASALT_RETURN_IF_ERROR(AdoptPrepared(transaction));
  }
  std::set<std::string> kept;
  for (const Prepared& entry : prepared_) {
    if (entry.transaction->ingest_job_ == nullptr) continue;
    for (const auto& file : entry.transaction->ingest_job_->files) kept.insert(file.name);
  }
  return RemoveOrphanedIngestFiles(store_, kept);
}

std::unique_ptr<Transaction> TransactionManager::NewTransaction() {
  return std::make_unique<Transaction>(this, next_id_.fetch_add(1));
}

void TransactionManager::Enrol(Transaction* transaction) {
  std::lock_guard guard(transactions_mutex_);
  transactions_.push_back(transaction);
}

void TransactionManager::Strike(Transaction* transaction) {
  std::lock_guard guard(transactions_mutex_);
  const auto found = std::find(transactions_.begin(), transactions_.end(), transaction);
  *found = transactions_.back();
  transactions_.pop_back();
}

std::vector<TransactionInfo> TransactionManager::ActiveTransactions() const {
  std::vector<TransactionInfo> active;
  std::shared_lock registry(transactions_mutex_);
  for (const Transaction* transaction : transactions_) {
    if (transaction->active()) active.push_back(transaction->Describe());
  }
  return active;
}

ViewStamp TransactionManager::LatestStamp() const {
  return {store_->base()->GetLatestSequenceNumber(), ingestions_.load()};
}

Status TransactionManager::LockRange(Transaction* asker, IndexId index, Bytes start, Bytes end,
                                     LockWait wait) {
  LockOwner* owner = &asker->owner_;
  if (!ranges_.Ask(owner, index, start, end)) return Status::Ok();
  const uint64_t deadline = WaitGraph::DeadlineAfter(asker->settings().lock_wait_microseconds);
  Status status;
  while (status.ok() && WatchInserters(asker, index, start, end)) {
    std::unique_lock lock(waits_.mutex());
    if (wait == LockWait::kNoWait) {
      waits_.EndLocked(owner);
      status = Status(Code::kLockBusy);
    } else {
      status = waits_.AwaitChangeLocked(owner, {index, start, LockKind::kRange}, &lock, deadline);
    }
  }
  if (status.ok()) {
    ranges_.Grant(owner);
  } else {
    ranges_.Withdraw(owner);
  }
  return status;
}

// Looks into the write sets of all others for uncommitted entries in the range that `asker` has
// asked for, and makes it watch those who have some. False when there are none.
bool TransactionManager::WatchInserters(Transaction* asker, IndexId index, Bytes start, Bytes end) {
  LockOwner* owner = &asker->owner_;
  bool found = false;
  std::shared_lock registry(transactions_mutex_);
  for (Transaction* other : transactions_) {
    if (other == asker) continue;
    if (!other->writes_.MayHaveInserted(index) && !ranges_.IsExempt(*owner, other->id())) continue;
    std::lock_guard writes(other->writes_.mutex());
    const bool has = other->writes_.HasInsertBetween(store_, index, start, end);
    ranges_.SetExempt(owner, other->id(), has);
    if (!has) continue;
    // While its mutex is held the other cannot end: it will see the watch.
    std::lock_guard lock(waits_.mutex());
    if (!found) waits_.StartLocked(owner);
    WaitGraph::AddWatchLocked(owner, &other->owner_);
    found = true;
  }
  return found;
}

Status TransactionManager::AdoptPrepared(rocksdb::Transaction* prepared) {
  std::unique_ptr<Transaction> transaction = NewTransaction();
  transaction->state_ = Transaction::State::kPrepared;
  transaction->store_transaction_.reset(prepared);
  transaction->store_begun_ = true;
  transaction->name_ = prepared->GetName();
  transaction->writes_.Adopt(prepared);
  PreparedReader reader(store_, &locks_, &transaction->owner_, &transaction->writes_);
  const rocksdb::Status read = prepared->GetWriteBatch()->GetWriteBatch()->Iterate(&reader);
  BASALT_RETURN_IF_ERROR(store::MapStatus(read, "reading a prepared transaction"));
  transaction->ingest_job_ = reader.TakeJob();
  if (transaction->ingest_job_ != nullptr) {
    BASALT_RETURN_IF_ERROR(
        VisitIngestFiles(store_, *transaction->ingest_job_,
                         [&](IndexId index, Bytes key) { reader.Note(index, key); }));
    transaction->writes_.SetOpaque(true);
  }
  Detach(std::move(transaction));
  return Status::Ok();
}

Status TransactionManager::FinishIngestJob(const catalog::IngestJob& job) {
  constexpr int kAttempts = 5;
  Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100 << attempt));
    status = RunIngestJob(store_, job);
    if (status.ok()) break;
  }
  BASALT_RETURN_IF_ERROR(std::move(status));
  ingestions_.fetch_add(1);
  rocksdb::WriteBatch batch;
  BASALT_RETURN_IF_ERROR(catalog_->AppendRemoveIngestJob(&batch, job.number));
  return store_->Write(&batch, false);
}

TransactionManager::Registry::iterator TransactionManager::FindByName(Bytes name) {
  return std::find_if(prepared_.begin(), prepared_.end(),
                      [&](const Prepared& entry) { return entry.transaction->name() == name; });
}

TransactionManager::Registry::iterator TransactionManager::Find(const Transaction* prepared) {
  return std::find_if(prepared_.begin(), prepared_.end(),
                      [&](const Prepared& entry) { return entry.transaction == prepared; });
}

void TransactionManager::Register(Transaction* prepared) {
  std::lock_guard guard(mutex_);
  prepared_.push_back({prepared, nullptr});
}

void TransactionManager::Unregister(const Transaction* prepared) {
  std::lock_guard guard(mutex_);
  const auto found = Find(prepared);
  if (found != prepared_.end()) prepared_.erase(found);
  registry_changed_.notify_all();
}

void TransactionManager::Detach(std::unique_ptr<Transaction> prepared) {
  std::lock_guard guard(mutex_);
  Transaction* const transaction = prepared.get();
  transaction->registered_ = false;  // from here on the registry owns it
  const auto found = Find(transaction);
  if (found != prepared_.end()) {
    found->detached = std::move(prepared);
  } else {
    prepared_.push_back({transaction, std::move(prepared)});
  }
  registry_changed_.notify_all();
}

std::vector<std::string> TransactionManager::DetachedNames() const {
  std::lock_guard guard(mutex_);
  std::vector<std::string> names;
  for (const Prepared& entry : prepared_) {
    if (entry.detached != nullptr) names.emplace_back(entry.transaction->name());
  }
  return names;
}

Status TransactionManager::TakeDetached(Bytes name, std::unique_ptr<Transaction>* transaction) {
  constexpr auto kLongestDetach = std::chrono::seconds(30);
  std::unique_lock lock(mutex_);
  auto found = prepared_.end();
  registry_changed_.wait_for(lock, kLongestDetach, [&] {
    found = FindByName(name);
    return found == prepared_.end() || found->detached != nullptr;
  });
  if (found == prepared_.end() || found->detached == nullptr) {
    return Status(Code::kNotFound, "no prepared transaction of that name");
  }
  *transaction = std::move(found->detached);
  prepared_.erase(found);
  return Status::Ok();
}

Status TransactionManager::CommitDetached(Bytes name, Durability durability) {
  std::unique_ptr<Transaction> transaction;
  BASALT_RETURN_IF_ERROR(TakeDetached(name, &transaction));
  Status committed = transaction->Commit(durability);
  if (transaction->state() == Transaction::State::kPrepared) Detach(std::move(transaction));
  return committed;
}

Status TransactionManager::RollbackDetached(Bytes name) {
  std::unique_ptr<Transaction> transaction;
  BASALT_RETURN_IF_ERROR(TakeDetached(name, &transaction));
  Status rolled_back = transaction->Rollback();
  if (transaction->state() == Transaction::State::kPrepared) Detach(std::move(transaction));
  return rolled_back;
}

}  // namespace basalt::txn
