// SPDX-License-Identifier: GPL-2.0-only
#include "engine/database.h"

#include <chrono>
#include <thread>
#include <vector>

#include "base/worker_thread.h"
#include "engine/key_prefixes.h"
#include "store/opening/read_only_store.h"
#include "store/wal/wal_repair.h"

namespace basalt::engine {

// Once a second: makes what the log holds durable, for commits that asked for no more than that,
// ends transactions that could not be ended, releases what idle cursors pin, drops change logs that
// nobody needs, and has deletions in memory written out before scans suffer.
class Database::Housekeeper {
 public:
  explicit Housekeeper(const Database& database)
      : store_(database.store()),
        cursors_(database.transactions()->idle_cursors()),
        decided_(database.decided()),
        closed_logs_(database.closed_logs()),
        thread_(StartWorkerThread("housekeeper", [this] { Run(); })) {}
  ~Housekeeper() {
    {
      MutexLock guard(mutex_);
      stop_ = true;
    }
    changed_.NotifyAll();
    thread_.join();
  }

 private:
  // It looks at each block in the cache.
  static constexpr uint32_t kSecondsOfADivision = 30;

  void Run() {
    uint32_t seconds = 0;
    MutexLock lock(mutex_);
    while (!changed_.WaitFor(lock, std::chrono::seconds(1), [this] { return stop_; })) {
      lock.Unlock();
      // A failure stops the store from taking writes, which is where users learn of it.
      (void)store_->SyncWal(true);
      decided_->Tick();
      cursors_->Tick();
      (void)closed_logs_->Tick();  // what fails is tried again
      store_->flushes().FlushForScans();
      store_->compactions().PaceBackgroundWork();
      if (seconds++ % kSecondsOfADivision == 0) store_->settings().DivideBlockCache();
      lock.Lock();
    }
  }

  store::Store* const store_;
  txn::IdleCursors* const cursors_;
  txn::DecidedTransactions* const decided_;
  ClosedLogs* const closed_logs_;
  Mutex mutex_;
  CondVar changed_;
  bool stop_ = false;
  std::thread thread_;
};

Database::Database() = default;

Database::~Database() { (void)Close(); }

// Judges what is in the directory before the store is opened, and with that written to.
Status Database::Inspect(const store::StoreOptions& options) {
  std::unique_ptr<store::ReadOnlyStore> read_only;
  BASALT_RETURN_IF_ERROR(store::ReadOnlyStore::Open(options, &read_only));
  summary_.made = read_only == nullptr;
  if (read_only == nullptr) return Status::Ok();
  summary_.options_file = read_only->options_file();
  if (read_only->system() == nullptr) return read_only->CheckEmpty();
  catalog::DictionarySummary dictionary;
  const Status checked = catalog::Catalog::Check(
      {read_only->db(), read_only->system(), read_only->column_families()}, &dictionary);
  if (!checked.ok()) return read_only->Refuse(checked);
  if (!read_only->log_is_torn() || !store::CutsTornWalFiles(options)) return Status::Ok();
  store::TornWalFiles torn;
  BASALT_RETURN_IF_ERROR(store::FindTornWalFiles(options, read_only->first_logs(), &torn));
  read_only.reset();
  return store::CutTornWalFiles(options, torn);
}

void Database::Summarize(size_t finished_commits) {
  summary_.column_families = store_->ColumnFamilyHandles().size();
  summary_.dictionary = catalog_->summary();
  if (summary_.made) summary_.dictionary.column_family_records_added = 0;  // not missing, but new
  summary_.finished_commits = finished_commits;
  summary_.prepared_transactions = transactions_->DetachedNames().size();
  summary_.removed_bulk_loads = store_->removed_bulk_loads();
}

Status Database::Open(Options options, std::unique_ptr<Database>* database) {
  std::unique_ptr<Database> opened(new Database);
  BASALT_RETURN_IF_ERROR(opened->Inspect(options.store));
  opened->key_prefixes_ = std::make_shared<KeyPrefixes>();
  options.store.key_prefixes = opened->key_prefixes_;
  BASALT_RETURN_IF_ERROR(store::Store::Open(std::move(options.store), &opened->store_));
  BASALT_RETURN_IF_ERROR(catalog::Catalog::Load(opened->store_.get(), &opened->catalog_));
  opened->transactions_ = std::make_unique<txn::TransactionManager>(
      opened->store_.get(), opened->catalog_.get(), options.transactions);
  opened->decided_ = std::make_unique<txn::DecidedTransactions>(opened->transactions_.get());
  opened->closed_logs_ =
      std::make_unique<ClosedLogs>(opened->catalog_.get(), opened->transactions_.get());
  size_t finished_commits = 0;
  BASALT_RETURN_IF_ERROR(opened->transactions_->Recover(&finished_commits));
  opened->Summarize(finished_commits);
  opened->reclaimer_ = std::make_unique<catalog::IndexReclaimer>(opened->catalog_.get());
  *database = std::move(opened);
  return Status::Ok();
}

Status Database::StartBackgroundWork() {
  MutexLock guard(mutex_);
  if (housekeeper_ != nullptr) return Status::Ok();
  housekeeper_ = std::make_unique<Housekeeper>(*this);
  reclaimer_->Start();
  return Status::Ok();
}

void Database::StopBackgroundWork() {
  MutexLock guard(mutex_);
  if (housekeeper_ == nullptr) return;
  reclaimer_->Stop();
  housekeeper_.reset();
}

Status Database::Close() {
  if (store_ == nullptr) return Status::Ok();
  StopBackgroundWork();
  reclaimer_.reset();
  closed_logs_.reset();
  decided_.reset();
  transactions_.reset();
  catalog_.reset();
  Status closed = store_->Close();
  store_.reset();
  return closed;
}

std::shared_ptr<TableCounters> Database::CountersOf(IndexId primary) {
  MutexLock guard(mutex_);
  std::shared_ptr<TableCounters>& counters = counters_[primary];
  if (counters == nullptr) counters = std::make_shared<TableCounters>();
  return counters;
}

void Database::ForgetCounters(IndexId primary) {
  MutexLock guard(mutex_);
  counters_.erase(primary);
}

}  // namespace basalt::engine
