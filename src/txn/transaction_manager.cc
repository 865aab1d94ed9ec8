// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction_manager.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <rocksdb/write_batch.h>

#include "base/assert.h"
#include "catalog/dictionary_records.h"
#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"
#include "store/reports/empty_index.h"
#include "txn/bulk_load.h"
#include "txn/ingestion.h"

namespace basalt::txn {
namespace {

// How often a commit that is decided and cannot be finished is tried again.
constexpr int kAttempts = 20;
constexpr std::chrono::milliseconds kBetweenAttempts{100};

// Tells of every entry of an index that is put or deleted in a batch. What the batch says of the
// dictionary, whose column family is `system`, is passed over here.
class EntryReader : public rocksdb::WriteBatch::Handler {
 public:
  explicit EntryReader(uint32_t system) : system_(system) {}
  virtual void Take(IndexId index, Bytes key, bool put) = 0;

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice&) override {
    return Notify(family, key, true);
  }
  rocksdb::Status DeleteCF(uint32_t family, const rocksdb::Slice& key) override {
    return Notify(family, key, false);
  }
  rocksdb::Status SingleDeleteCF(uint32_t family, const rocksdb::Slice& key) override {
    return Notify(family, key, false);
  }
  rocksdb::Status MergeCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status MarkNoop(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkBeginPrepare(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkEndPrepare(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  void LogData(const rocksdb::Slice&) override {}

 protected:
  bool IsDictionary(uint32_t family) const { return family == system_; }

 private:
  rocksdb::Status Notify(uint32_t family, const rocksdb::Slice& key, bool put) {
    if (!IsDictionary(family) && key.size() >= kIndexNumberBytes) {
      Take(IndexId{family, LoadBigEndian32(key.data())}, key.ToStringView(), put);
    }
    return rocksdb::Status::OK();
  }

  const uint32_t system_;
};

// Locks what a prepared transaction has written, so that nobody changes it before its outcome is
// known, and notes what it has put, and where; finds its ingest job if it has one.
class PreparedReader : public EntryReader {
 public:
  PreparedReader(uint32_t system, LockTable* locks, LockOwner* owner, WriteSet* writes,
                 UndecidedKeys* undecided, const Transaction* transaction)
      : EntryReader(system),
        locks_(locks),
        owner_(owner),
        writes_(writes),
        undecided_(undecided),
        transaction_(transaction) {}

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    if (!IsDictionary(family)) return EntryReader::PutCF(family, key, value);
    catalog::IngestJob job;
    if (catalog::DecodeIngestJob(key.ToStringView(), value.ToStringView(), &job).ok()) {
      job_ = std::make_unique<catalog::IngestJob>(std::move(job));
    }
    return rocksdb::Status::OK();
  }
  rocksdb::Status MergeCF(uint32_t family, const rocksdb::Slice& key,
                          const rocksdb::Slice& value) override {
    IndexId primary;
    uint64_t next = 0;
    const Bytes record(key.data(), key.size());
    if (IsDictionary(family) && catalog::DecodeIndexKey(record, &primary).ok() &&
        catalog::DecodeAutoIncrement(record, value.ToStringView(), &next).ok()) {
      undecided_->AddAutoIncrement(transaction_, primary, next);
    }
    return rocksdb::Status::OK();
  }

  void Take(IndexId index, Bytes key, bool put) override {
    indexes_.insert(index);
    // Prepared transactions held their locks together, so none can conflict with another.
    (void)locks_->Acquire(owner_, index, key, LockMode::kExclusive, LockWait::kNoWait, 0);
    if (!put) return;
    MutexLock lock(writes_->mutex());
    writes_->NoteInsert(index);
    undecided_->Add(transaction_, index, key);
  }

  std::unique_ptr<catalog::IngestJob> TakeJob() { return std::move(job_); }
  std::set<IndexId> TakeIndexes() { return std::move(indexes_); }

 private:
  LockTable* const locks_;
  LockOwner* const owner_;
  WriteSet* const writes_;
  UndecidedKeys* const undecided_;
  const Transaction* const transaction_;
  std::unique_ptr<catalog::IngestJob> job_;
  std::set<IndexId> indexes_;
};

// Notes which indexes a batch has entries of.
class IndexCollector : public EntryReader {
 public:
  IndexCollector(uint32_t system, std::set<IndexId>* indexes)
      : EntryReader(system), indexes_(indexes) {}
  void Take(IndexId index, Bytes, bool) override { indexes_->insert(index); }

 private:
  std::set<IndexId>* const indexes_;
};

bool IsEmpty(const store::Store& store, IndexId index) {
  rocksdb::ColumnFamilyHandle* family = store.FindColumnFamily(index.column_family);
  return store::IsEmpty(store.base(), family, store::IndexBounds(index, store::IsReverse(family)));
}

}  // namespace

namespace {

// The store outlives the manager.
std::shared_ptr<rocksdb::Cache> Borrowed(rocksdb::Cache* cache) {
  return {std::shared_ptr<rocksdb::Cache>(), cache};
}

TransactionManager::Options ChargedTo(store::MemoryCharge* memory,
                                      TransactionManager::Options options) {
  options.writes.memory = memory;
  return options;
}

}  // namespace

TransactionManager::TransactionManager(store::Store* store, catalog::Catalog* catalog,
                                       Options options)
    : store_(store),
      catalog_(catalog),
      memory_charge_(Borrowed(store->block_cache())),
      options_(ChargedTo(&memory_charge_, options)),
      locks_(options.locks, &waits_),
      ranges_(options.ranges, &waits_),
      spill_(store),
      undecided_(options.locks.escalation_threshold) {}

TransactionManager::~TransactionManager() = default;

Status TransactionManager::Recover(size_t* finished_commits) {
  BASALT_RETURN_IF_ERROR(spill_.Reset());
  BASALT_RETURN_IF_ERROR(catalog_->temporary_tables()->Reset());
  std::vector<catalog::IngestJob> jobs;
  BASALT_RETURN_IF_ERROR(catalog_->ingest_jobs().Pending(&jobs));
  for (const catalog::IngestJob& job : jobs) BASALT_RETURN_IF_ERROR(FinishIngestJob(job));
  if (finished_commits != nullptr) *finished_commits = jobs.size();

  std::vector<rocksdb::Transaction*> prepared;
  store_->db()->GetAllPreparedTransactions(&prepared);
  for (rocksdb::Transaction* transaction : prepared) {
    BASALT_RETURN_IF_ERROR(AdoptPrepared(transaction));
  }
  std::set<std::string> kept;
  MutexLock lock(mutex_);
  for (const Prepared& entry : prepared_) {
    const catalog::IngestJob* job = entry.transaction->writes().ingested().job();
    if (job == nullptr) continue;
    for (const auto& file : job->files) kept.insert(file.name);
  }
  return RemoveOrphanedIngestFiles(store_, kept);
}

std::unique_ptr<Transaction> TransactionManager::NewTransaction() {
  return std::make_unique<Transaction>(this, next_id_.fetch_add(1));
}

void TransactionManager::AddTransaction(Transaction* transaction) {
  WriterLock guard(transactions_mutex_);
  transactions_.push_back(transaction);
}

void TransactionManager::RemoveTransaction(Transaction* transaction) {
  WriterLock guard(transactions_mutex_);
  const auto found = std::find(transactions_.begin(), transactions_.end(), transaction);
  *found = transactions_.back();
  transactions_.pop_back();
}

std::vector<TransactionInfo> TransactionManager::ActiveTransactions() const {
  std::vector<TransactionInfo> active;
  ReaderLock registry(transactions_mutex_);
  for (const Transaction* transaction : transactions_) {
    if (transaction->active()) active.push_back(transaction->Describe());
  }
  return active;
}

// A transaction says that a change comes before it takes its position. So who has one in front of
// `first`, which is read before, is seen.
uint64_t TransactionManager::FirstUndecidedChange() const {
  uint64_t first = next_change();
  ReaderLock registry(transactions_mutex_);
  for (const Transaction* transaction : transactions_) {
    const uint64_t change = transaction->changes_.first();
    if (change != 0) first = std::min(first, change);
  }
  return first;
}

ViewStamp TransactionManager::LatestStamp() const {
  return {store_->base()->GetLatestSequenceNumber(), ingestions_.load()};
}

Status TransactionManager::LockRange(Transaction* asker, IndexId index, Bytes start, Bytes end,
                                     LockWait wait) {
  LockOwner* owner = &asker->locks().owner();
  if (!ranges_.Ask(owner, index, start, end)) return Status::Ok();
  const uint64_t deadline = WaitGraph::DeadlineAfter(asker->settings().lock_wait_microseconds);
  Status status;
  while (status.ok() && WatchInserters(asker, index, start, end)) {
    MutexLock lock(waits_.mutex());
    if (wait == LockWait::kNoWait) {
      waits_.EndLocked(owner);
      status = Status(Code::kLockBusy);
    } else {
      BASALT_ASSERT(ranges_.WaitsForExemptOnly(*owner),
                    "R4: while a range is pending, the owners it waits for are exempt");
      status = waits_.WaitForChangeLocked(owner, {index, start, LockKind::kRange}, &lock, deadline);
    }
  }
  if (status.ok()) {
    BASALT_ASSERT(!AnyIsExempt(*owner),
                  "R2: when a range is granted, nobody else has an uncommitted new entry in it");
    ranges_.Grant(owner);
  } else {
    ranges_.Withdraw(owner);
  }
  return status;
}

// May any other transaction go on adding entries to the range that the owner has asked for?
bool TransactionManager::AnyIsExempt(const LockOwner& owner) {
  ReaderLock registry(transactions_mutex_);
  return std::any_of(transactions_.begin(), transactions_.end(), [&](const Transaction* other) {
    return ranges_.IsExempt(owner, other->id());
  });
}

// Two ways lead to an entry of a table: to add it, which a range lock of all primary keys keeps
// others from, since a new row has a new primary entry; and to lock its key or its value, entry or
// not, which a lock of the whole index does. What others have in their hands already, ranges
// included, they keep: then the table is not to be had.
bool TransactionManager::AcquireAlone(Transaction* asker, std::span<const IndexId> indexes,
                                      size_t* taken) {
  LockOwner* owner = &asker->locks().owner();
  for (const IndexId index : indexes) {
    if (ranges_.OthersHave(*owner, index)) return false;
  }
  for (const IndexId index : indexes) {
    if (!locks_.TryAcquireIndex(owner, index)) return false;
    ++*taken;
  }
  return true;
}

Status TransactionManager::OwnTable(Transaction* asker, std::span<const IndexId> indexes,
                                    bool empty) {
  LockOwner* owner = &asker->locks().owner();
  const IndexId primary = indexes.front();
  const bool has_read = std::any_of(indexes.begin(), indexes.end(),
                                    [&](IndexId index) { return ranges_.HasAny(*owner, index); });
  const bool stale = asker->detects_conflicts() && asker->snapshot().taken();
  const auto may_have_rows = [&] { return empty && !IsEmpty(*store_, primary); };
  if (has_read || stale || may_have_rows()) return Status(Code::kLockBusy);
  const store::IndexBounds bounds(primary, false);
  BASALT_RETURN_IF_ERROR(
      LockRange(asker, primary, bounds.first(), bounds.past_end(), LockWait::kNoWait));
  WriteSet& writes = asker->writes().logged();
  {
    MutexLock lock(writes.mutex());
    for (const IndexId index : indexes) writes.NoteInsert(index);
  }
  // Before the look at the ranges of others: who asks for one now finds that there may be entries.
  writes.SetOpaque(true);
  size_t taken = 0;
  const bool alone = AcquireAlone(asker, indexes, &taken);
  if (alone && !may_have_rows()) return Status::Ok();
  if (!asker->writes().ingested().owns_tables()) writes.SetOpaque(false);
  for (size_t i = 0; i < taken; ++i) locks_.ReleaseWholeIndex(owner, indexes[i]);
  ranges_.ReleaseIndex(owner, primary);
  return Status(Code::kLockBusy);
}

// Looks into the write sets of all others for uncommitted entries in the range that `asker` has
// asked for, and makes it watch those who have some. False when there are none.
bool TransactionManager::WatchInserters(Transaction* asker, IndexId index, Bytes start, Bytes end) {
  LockOwner* owner = &asker->locks().owner();
  bool found = false;
  ReaderLock registry(transactions_mutex_);
  for (Transaction* other : transactions_) {
    if (other == asker) continue;
    WriteSet& writes = other->writes().logged();
    if (!writes.MayHaveInserted(index) && !ranges_.IsExempt(*owner, other->id())) continue;
    MutexLock guard(writes.mutex());
    const bool has = writes.HasInsertBetween(store_, index, start, end);
    ranges_.SetExempt(owner, other->id(), has);
    if (!has) continue;
    // While its mutex is held the other cannot end: it will see the watch.
    MutexLock lock(waits_.mutex());
    if (!found) waits_.ResetLocked(owner);
    WaitGraph::AddWatchLocked(owner, &other->locks().owner());
    found = true;
  }
  return found;
}

Status TransactionManager::AdoptPrepared(rocksdb::Transaction* prepared) {
  // RocksDB lets these sync the log on their own; commit and roll-back do it, with the others.
  prepared->GetWriteOptions()->sync = false;
  std::unique_ptr<Transaction> transaction = NewTransaction();
  transaction->state_ = Transaction::State::kPrepared;
  transaction->name_ = prepared->GetName();
  TransactionWrites& writes = transaction->writes();
  writes.Adopt(prepared);
  PreparedReader reader(store_->system()->GetID(), &locks_, &transaction->locks().owner(),
                        &writes.logged(), &undecided_, transaction.get());
  const rocksdb::Status read = prepared->GetWriteBatch()->GetWriteBatch()->Iterate(&reader);
  BASALT_RETURN_IF_ERROR(store::MapStatus(read, "reading a prepared transaction"));
  writes.AdoptJob(reader.TakeJob());
  if (const catalog::IngestJob* job = writes.ingested().job(); job != nullptr) {
    BASALT_RETURN_IF_ERROR(ReadIngestFiles(
        store_, *job,
        [&reader](IndexId index, Bytes key, bool put) { reader.Take(index, key, put); }));
    writes.logged().SetOpaque(true);
  }
  Prepared entry;
  entry.name = transaction->name();
  entry.transaction = transaction.get();
  entry.indexes = reader.TakeIndexes();
  entry.detached = std::move(transaction);
  MutexLock guard(mutex_);
  prepared_.push_back(std::move(entry));
  return Status::Ok();
}

Status TransactionManager::FinishCommit(const catalog::IngestJob& job) {
  Status status;
  for (int left = kAttempts; left > 0;) {
    // The record must not be lost while the files may be taken over.
    status = store_->SyncWal(true);
    if (status.ok()) status = FinishIngestJob(job);
    if (status.ok() || store_->errors().NeedsRestart()) return status;
    // A full disk, or a store that is coming back from an error, is waited for.
    if (status.code() != Code::kNoSpace && store_->writing_allowed()) --left;
    std::this_thread::sleep_for(kBetweenAttempts);
  }
  store_->errors().StopUntilRestart("a large commit could not be finished (" +
                                        std::string(status.message()) +
                                        ") and will be at the next start",
                                    Code::kReadOnly);
  return status;
}

Status TransactionManager::FinishIngestJob(const catalog::IngestJob& job) {
  BASALT_RETURN_IF_ERROR(RunIngestJob(store_, job));
  ingestions_.fetch_add(1);
  rocksdb::WriteBatch batch;
  BASALT_RETURN_IF_ERROR(catalog_->ingest_jobs().AppendRemoval(&batch, job.number));
  return store_->WriteToFreeSpace(&batch, false);
}

TransactionManager::Registry::iterator TransactionManager::FindByName(Bytes name) {
  return std::find_if(prepared_.begin(), prepared_.end(),
                      [&](const Prepared& entry) { return entry.name == name; });
}

TransactionManager::Registry::iterator TransactionManager::Find(const Transaction* prepared) {
  return std::find_if(prepared_.begin(), prepared_.end(),
                      [&](const Prepared& entry) { return entry.transaction == prepared; });
}

Status TransactionManager::IndexesOf(Transaction* prepared, std::set<IndexId>* indexes) {
  IndexCollector collector(store_->system()->GetID(), indexes);
  const TransactionWrites& writes = prepared->writes();
  BASALT_RETURN_IF_ERROR(store::MapStatus(writes.prepared_batch()->Iterate(&collector),
                                          "reading a prepared transaction"));
  if (writes.ingested().job() == nullptr) return Status::Ok();
  return ReadIngestFiles(store_, *writes.ingested().job(),
                         [&](IndexId index, Bytes, bool) { indexes->insert(index); });
}

Status TransactionManager::Register(Transaction* prepared) {
  Prepared entry;
  entry.name = prepared->name();
  entry.transaction = prepared;
  BASALT_RETURN_IF_ERROR(IndexesOf(prepared, &entry.indexes));
  MutexLock guard(mutex_);
  prepared_.push_back(std::move(entry));
  return Status::Ok();
}

void TransactionManager::Unregister(const Transaction* prepared) {
  MutexLock guard(mutex_);
  const auto found = Find(prepared);
  if (found != prepared_.end()) prepared_.erase(found);
  registry_changed_.NotifyAll();
}

void TransactionManager::Detach(std::unique_ptr<Transaction> prepared) {
  Prepared fresh;
  fresh.name = prepared->name();
  fresh.transaction = prepared.get();
  // Files that cannot be read now will fail its commit, too.
  if (!prepared->registered_) (void)IndexesOf(prepared.get(), &fresh.indexes);
  MutexLock guard(mutex_);
  prepared->registered_ = false;           // from here on the registry owns it
  prepared->writes().temporary().Clear();  // their tables go with the connection
  auto found = Find(prepared.get());
  if (found == prepared_.end()) found = prepared_.insert(found, std::move(fresh));
  found->detached = std::move(prepared);
  registry_changed_.NotifyAll();
}

std::vector<std::string> TransactionManager::DetachedNames() const {
  MutexLock guard(mutex_);
  std::vector<std::string> names;
  for (const Prepared& entry : prepared_) {
    if (entry.detached != nullptr) names.push_back(entry.name);
  }
  return names;
}

bool TransactionManager::PreparedHasWritesOf(IndexId index) const {
  MutexLock guard(mutex_);
  return std::any_of(prepared_.begin(), prepared_.end(),
                     [&](const Prepared& entry) { return entry.indexes.contains(index); });
}

Status TransactionManager::TakeDetached(Bytes name, std::unique_ptr<Transaction>* taken) {
  constexpr auto kLongestDetach = std::chrono::seconds(30);
  MutexLock lock(mutex_);
  auto found = prepared_.end();
  registry_changed_.WaitFor(lock, kLongestDetach, [&]() BASALT_REQUIRES(mutex_) {
    found = FindByName(name);
    return found == prepared_.end() || found->detached != nullptr;
  });
  if (found == prepared_.end() || found->detached == nullptr) {
    return Status(Code::kNotFound, "no prepared transaction of that name");
  }
  *taken = std::move(found->detached);
  return Status::Ok();
}

// Until its entries are in the store, or gone, it is registered. What it answers: the indexes of
// one that has ended.
std::set<IndexId> TransactionManager::PutBack(std::unique_ptr<Transaction> decided) {
  std::set<IndexId> ended;
  MutexLock lock(mutex_);
  const auto found = Find(decided.get());
  if (decided->state() == Transaction::State::kPrepared) {
    found->detached = std::move(decided);
  } else {
    ended = std::move(found->indexes);
    prepared_.erase(found);
  }
  registry_changed_.NotifyAll();
  return ended;
}

Status TransactionManager::CommitDetached(Bytes name, Durability durability) {
  std::unique_ptr<Transaction> taken;
  BASALT_RETURN_IF_ERROR(TakeDetached(name, &taken));
  Status committed = taken->Commit(durability);
  const std::set<IndexId> written = PutBack(std::move(taken));
  if (!committed.ok()) return committed;
  return catalog_->DropLeftBehind(written);
}

Status TransactionManager::RollbackDetached(Bytes name) {
  std::unique_ptr<Transaction> taken;
  BASALT_RETURN_IF_ERROR(TakeDetached(name, &taken));
  Status rolled_back = taken->Rollback();
  PutBack(std::move(taken));
  return rolled_back;
}

}  // namespace basalt::txn
