// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/utilities/transaction_db.h>

#include "base/status.h"
#include "store/compaction/compaction_journal.h"
#include "store/compaction/long_compaction_log.h"
#include "store/compaction/ttl_compaction_filter.h"
#include "store/errors/ballast.h"
#include "store/errors/error_policy.h"
#include "store/errors/manifest_guard.h"
#include "store/families/family_manager.h"
#include "store/maintenance/checkpoints.h"
#include "store/maintenance/compactions.h"
#include "store/maintenance/flushes.h"
#include "store/maintenance/live_settings.h"
#include "store/options/store_options.h"
#include "store/statistics/statistics_keeper.h"
#include "store/wal/wal_backlog.h"
#include "store/wal/wal_sync_group.h"

namespace basalt::store {

class SpaceWatcher;

// One RocksDB, opened as a TransactionDB with the write-committed policy, and what belongs to it:
// column families, the block cache, the error policy, statistics of indexes.
//
// RocksDB's own point locks are off: row locks are the transaction layer's. Every transaction must
// be begun with TransactionOptions::skip_concurrency_control = true, and plain batches must go
// through Write(); TransactionDB::Put and its kin would start an internal transaction each.
//
// Thread-safety: all functions from any thread, except Open and Close. Close, or the destructor,
// only when nobody uses the store, its handles, iterators, snapshots or transactions any more.
class Store {
 public:
  // Opens the store in options.directory, or makes it. All existing column families are opened,
  // each with the comparator its name asks for; `default` and `__system__` are made when missing.
  // On failure *store stays untouched, and the message names the directory and what to do.
  static Status Open(StoreOptions options, std::unique_ptr<Store>* store);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Stops background work, makes the log durable, closes RocksDB. Afterwards only destruction is
  // allowed. Idempotent. Transactions that were prepared stay in the log for the next start.
  Status Close();

  rocksdb::TransactionDB* db() const { return db_; }
  // RocksDB below the transaction layer: reads, properties, compactions. Write with Write().
  rocksdb::DB* base() const { return base_; }

  // --- Column families. Handles live until Close. ---
  rocksdb::ColumnFamilyHandle* system() const { return system_; }
  rocksdb::ColumnFamilyHandle* default_column_family() const { return default_; }
  // Null when there is none. Lock-free.
  rocksdb::ColumnFamilyHandle* FindColumnFamily(uint32_t id) const {
    return families_.all().Find(id);
  }
  rocksdb::ColumnFamilyHandle* FindColumnFamily(std::string_view name) const {
    return families_.all().Find(name);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> ColumnFamilyHandles() const {
    return families_.all().All();
  }
  // Makes, configures and drops them.
  FamilyManager& families() { return families_; }

  // --- Writing ---
  // Writes a batch outside any transaction, without row locks: the dictionary, and row writes
  // whose locks the transaction layer holds already. With sync = true it is durable on return;
  // otherwise it is durable after the next SyncWal(true).
  Status Write(rocksdb::WriteBatch* batch, bool sync);
  // Writes a batch as Write does, but also while disk space is low: for drops, and whatever else
  // ends in more free space.
  Status WriteToFreeSpace(rocksdb::WriteBatch* batch, bool sync);
  // Writes what a crash may lose: no log. Waits while memtables are full, but not for a disk that
  // is full: kNoSpace or kReadOnly then.
  Status WriteUnlogged(rocksdb::WriteBatch* batch);
  // Hands the buffered log to the operating system; with sync = true also makes it durable. Callers
  // that come together share one sync. kNoSpace: the disk is full; what was written before waits in
  // memory and becomes durable when there is space. `committer`: as for WalSyncGroup::Sync.
  Status SyncWal(bool sync, WalCommitter* committer = nullptr);

  // --- Error policy ---
  bool writing_allowed() const { return policy_.writing_allowed(); }
  // Ok, or kReadOnly / kNoSpace with the reason and what to do.
  Status CheckWritingAllowed() const { return policy_.CheckWritingAllowed(); }
  // What has stopped writes, and for how long; the space on the disk.
  ErrorPolicy& errors() { return policy_; }
  // Tries to take writes again after the cause of an error is gone. Ok when writing is allowed.
  Status ResumeWriting();

  // --- Work that is asked for ---
  Flushes& flushes() { return maintenance_->flushes; }
  Compactions& compactions() { return maintenance_->compactions; }
  Checkpoints& checkpoints() { return maintenance_->checkpoints; }
  LiveSettings& settings() { return maintenance_->settings; }

  // --- Options, statistics ---
  rocksdb::Cache* block_cache() const { return cache_.get(); }
  rocksdb::Statistics* statistics() const { return statistics_.get(); }
  const StoreOptions& options() const { return options_; }
  // Sums over the SST files of each index, from memory. Entries in memtables are not in them.
  const StatisticsKeeper& index_statistics() const { return observed_.keeper; }
  // Compactions that run, and the last ones.
  const CompactionJournal& compaction_journal() const { return observed_.journal; }
  // Which entries expire, and the counters of those that have.
  TimeToLive* time_to_live() const { return time_to_live_.get(); }
  // Files of bulk loads that never finished, removed when the store was opened.
  size_t removed_bulk_loads() const { return removed_bulk_loads_; }
  const WalSyncGroup& wal_syncs() const { return *sync_group_; }

 private:
  class Listener;
  explicit Store(StoreOptions options);

  // What lies between RocksDB and the operating system's files.
  struct Files {
    ManifestGuard manifest_guard;
    WalBacklog wal_backlog;
    std::unique_ptr<rocksdb::Env> env;
    std::unique_ptr<Ballast> ballast;
  };
  // What RocksDB reports.
  struct Observed {
    StatisticsKeeper keeper;
    CompactionJournal journal;
    std::unique_ptr<LongCompactionLog> long_compactions;
    std::shared_ptr<Listener> listener;
  };
  struct Maintenance {
    explicit Maintenance(Store* store);
    Flushes flushes;
    Compactions compactions;
    Checkpoints checkpoints;
    LiveSettings settings;
  };

  Status WriteAnyway(rocksdb::WriteBatch* batch, bool sync);
  rocksdb::Status FlushLog(bool sync);
  // The steps of Open.
  Status PrepareDirectory();
  Status OpenDatabase();
  Status OpenFamilies(const std::vector<rocksdb::ColumnFamilyDescriptor>& families);
  Status OpenInSpiteOfDamage(const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors,
                             std::vector<rocksdb::ColumnFamilyHandle*>* handles);
  Status RemoveUnfinishedBulkLoads();
  rocksdb::DBOptions BuildDatabaseOptions();
  Status ListColumnFamilies(std::vector<std::string>* names);
  Status LoadStatistics();
  void LoadStatisticsOneByOne(rocksdb::ColumnFamilyHandle* handle);
  void StartWatcher();
  rocksdb::Status CloseDatabase(const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  std::string In(std::string_view what) const;  // "what in DIRECTORY", for messages
  void Log(LogLevel level, std::string_view text) const;

  const StoreOptions options_;
  const std::shared_ptr<rocksdb::Cache> cache_;
  const std::shared_ptr<rocksdb::Statistics> statistics_;
  const std::shared_ptr<TimeToLive> time_to_live_;
  ErrorPolicy policy_;
  Files files_;
  Observed observed_;
  rocksdb::DBOptions database_options_;
  FamilyManager families_;
  std::unique_ptr<WalSyncGroup> sync_group_;
  std::unique_ptr<Maintenance> maintenance_;  // while the database is open
  std::unique_ptr<SpaceWatcher> watcher_;
  rocksdb::TransactionDB* db_ = nullptr;  // owned
  rocksdb::DB* base_ = nullptr;
  rocksdb::ColumnFamilyHandle* system_ = nullptr;
  rocksdb::ColumnFamilyHandle* default_ = nullptr;
  size_t removed_bulk_loads_ = 0;
  bool closed_ = false;
};

}  // namespace basalt::store
