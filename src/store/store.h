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

#include "base/mutex.h"
#include "base/status.h"
#include "store/column_families.h"
#include "store/compaction/compaction_journal.h"
#include "store/compaction/manual_compaction.h"
#include "store/compaction/ttl_compaction_filter.h"
#include "store/errors/ballast.h"
#include "store/errors/error_policy.h"
#include "store/errors/manifest_guard.h"
#include "store/errors/status_map.h"
#include "store/format/column_family_names.h"
#include "store/format/comparator.h"
#include "store/memtables/flush_triggers.h"
#include "store/options/store_options.h"
#include "store/statistics/index_statistics.h"
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
  rocksdb::ColumnFamilyHandle* FindColumnFamily(uint32_t id) const { return families_.Find(id); }
  rocksdb::ColumnFamilyHandle* FindColumnFamily(std::string_view name) const {
    return families_.Find(name);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> ColumnFamilyHandles() const { return families_.All(); }
  // Finds or makes the column family, with the options for its name. kInvalidArgument for a bad
  // option string, kReadOnly and kIoError as for any write.
  Status GetOrCreateColumnFamily(const std::string& name, rocksdb::ColumnFamilyHandle** handle);
  // Drops a column family with everything in it; not one of the store's own. Nobody may write to it
  // any more. Its handle stays valid until Close, and FindColumnFamily does not find it.
  Status DropColumnFamily(rocksdb::ColumnFamilyHandle* handle);
  // Does the order of keys run backwards there?
  static bool IsReverse(std::string_view column_family_name);
  static bool IsReverse(const rocksdb::ColumnFamilyHandle* handle);

  // --- Writing ---
  // Writes a batch outside any transaction, without row locks: the dictionary, and row writes
  // whose locks the transaction layer holds already. With sync = true it is durable on return;
  // otherwise it is durable after the next SyncWal(true).
  Status Write(rocksdb::WriteBatch* batch, bool sync);
  // The same, but also allowed while disk space is low: for drops, and whatever else ends in more
  // free space.
  Status WriteToFreeSpace(rocksdb::WriteBatch* batch, bool sync);
  // Writes what a crash may lose: no log. Waits while memtables are full, but not for a disk that
  // is full: kNoSpace or kReadOnly then.
  Status WriteUnlogged(rocksdb::WriteBatch* batch);
  // Hands the buffered log to the operating system; with sync = true also makes it durable. Callers
  // that come together share one sync. kNoSpace: the disk is full; what was written before waits in
  // memory and becomes durable when there is space.
  Status SyncWal(bool sync);

  // --- Error policy ---
  bool writing_allowed() const { return policy_.writing_allowed(); }
  // Ok, or kReadOnly / kNoSpace with the reason and what to do.
  Status CheckWritingAllowed() const { return policy_.CheckWritingAllowed(); }
  // Nothing but a restart will make it take writes again.
  bool NeedsRestart() const { return policy_.NeedsRestart(); }
  // Takes no writes any more until a restart, because of `reason`.
  void StopWriting(const std::string& reason) { policy_.StopUntilRestart(reason, Code::kReadOnly); }
  // Tries to take writes again after the cause of an error is gone. Ok when writing is allowed.
  Status ResumeWriting();

  // --- Administration ---
  // Makes a consistent copy in `path`, which must not exist: hard links to table files, a copy of
  // the rest, the log included. Removed again when it fails.
  Status Checkpoint(const std::string& path);
  // Writes all memtables (or one column family's) to table files and waits until they are written
  // and in StatisticsOf(). kNoSpace or kReadOnly when the store stops taking writes meanwhile: the
  // flush is then done when it takes them again.
  Status Flush();
  Status Flush(rocksdb::ColumnFamilyHandle* handle);
  // Compacts a family, or as told, and waits. kInterrupted: CancelManualCompactions(), its report.
  Status Compact(rocksdb::ColumnFamilyHandle* handle);
  Status Compact(const ManualCompaction& compaction);
  // Takes finished table files over, all of them or none. What they delete is compacted away soon.
  Status Ingest(const std::vector<rocksdb::IngestExternalFileArg>& arguments);
  // To be called once a second, by one thread: has memtables written out that scans suffer from,
  // because rows were deleted in masses or have many versions. Does not wait.
  void FlushForScans();
  // Likewise: has background work go as fast as it must, where its limit is automatic.
  void PaceBackgroundWork();
  // Compacts what level 0 holds into the next level; waits for compactions that work on it.
  Status CompactLevelZero();
  // Stops flushes and compactions, waiting for those that run, or lets them go on. Counted.
  Status PauseBackgroundWork(bool pause);
  // Ends running manual compactions and refuses new ones until AllowManualCompactions(). Counted.
  void CancelManualCompactions();
  void AllowManualCompactions();
  // No file of the store is deleted between the two. Counted.
  Status DisableFileDeletions();
  Status EnableFileDeletions();

  // --- Options, statistics ---
  // Changes options of an open column family or of the store, RocksDB option strings.
  Status SetColumnFamilyOptions(rocksdb::ColumnFamilyHandle* handle, const std::string& options);
  Status SetDatabaseOptions(const std::string& options);
  // As StoreOptions::max_background_jobs.
  Status SetBackgroundJobs(int jobs);
  // As StoreOptions::block_cache_bytes: the cache, and what all memtables together may take of it.
  // A single memtable may be as large as before.
  void SetBlockCacheBytes(uint64_t bytes);
  // The same for several column families, by name: "cf1={...};cf2={...}". All texts are checked
  // before the first is applied. A family that is made later begins with it.
  Status UpdateColumnFamilyOptions(std::string_view text);
  // How much RocksDB writes to its own log.
  void SetInformationLogLevel(rocksdb::InfoLogLevel level);
  // RocksDB's counters begin at zero again.
  Status ResetStatistics();
  rocksdb::Cache* block_cache() const { return cache_.get(); }
  rocksdb::Statistics* statistics() const { return statistics_.get(); }
  const StoreOptions& options() const { return options_; }
  // Sum over the table files of an index, from memory. Entries in memtables are not in it.
  IndexStatistics StatisticsOf(IndexId index) const { return keeper_.StatisticsOf(index); }
  // The same read from the files themselves, for all indexes of one column family.
  Status ReadIndexStatistics(rocksdb::ColumnFamilyHandle* handle,
                             std::vector<IndexStatisticsRecord>* records) const;
  // Which entries expire, and the counters of those that have.
  TimeToLive* time_to_live() const { return time_to_live_.get(); }
  // Files of bulk loads that never finished, removed when the store was opened.
  size_t removed_bulk_loads() const { return removed_bulk_loads_; }
  // Entries of table files written since the open, all indexes together.
  IndexStatistics WrittenEntries() const { return keeper_.Written(); }
  const CompactionJournal* compactions() const { return &journal_; }
  // Compact() calls: how many there were, how many run.
  uint64_t manual_compactions() const { return manual_compactions_.load(); }
  uint64_t running_manual_compactions() const { return running_manual_compactions_.load(); }
  uint64_t wal_sync_rounds() const { return sync_group_->rounds(); }

 private:
  class Listener;
  explicit Store(StoreOptions options);

  Status WriteAnyway(rocksdb::WriteBatch* batch, bool sync);
  rocksdb::Status FlushLog(bool sync);
  Status CheckLogWritable();
  Status AwaitFlush() const;
  rocksdb::Status RequestFlush(rocksdb::ColumnFamilyHandle* handle);
  Status RequestFlushInTurn(rocksdb::ColumnFamilyHandle* handle, const std::string& doing);
  bool HasBackgroundWork(rocksdb::ColumnFamilyHandle* handle);
  bool HasUnwrittenMemtables(rocksdb::ColumnFamilyHandle* handle);
  bool HasUncountedFiles(rocksdb::ColumnFamilyHandle* handle);
  Status FlushAndWait(const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                      const std::string& doing);
  // The steps of Open, and what they share.
  Status PrepareDirectory();
  Status OpenDatabase();
  Status OpenFamilies(const std::vector<rocksdb::ColumnFamilyDescriptor>& families);
  Status OpenInSpiteOfDamage(const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors,
                             std::vector<rocksdb::ColumnFamilyHandle*>* handles);
  Status RemoveUnfinishedBulkLoads();
  void BuildDatabaseOptions();
  Status ListColumnFamilies(std::vector<std::string>* names);
  Status BuildColumnFamilyOptions(const std::string& name,
                                  rocksdb::ColumnFamilyOptions* options) const;
  Status CompactLevelZero(rocksdb::ColumnFamilyHandle* handle);
  Status LoadStatistics();
  rocksdb::Status CloseDatabase(const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  void LoadStatisticsOneByOne(rocksdb::ColumnFamilyHandle* handle);
  void StartWatcher();
  std::string In(std::string_view what) const;  // "what in DIRECTORY", for messages
  void Log(LogLevel level, std::string_view text) const;
  // MapStatus for changes after which RocksDB writes an OPTIONS file: without it, Ok and a warning.
  Status MapChange(const rocksdb::Status& status, const std::string& what) const;

  const StoreOptions options_;
  std::map<std::string, std::string> overrides_;  // column family -> option string; create_mutex_'s
  rocksdb::DBOptions database_options_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> collector_factory_;
  std::shared_ptr<TimeToLive> time_to_live_;
  ErrorPolicy policy_;
  ManifestGuard manifest_guard_;
  WalBacklog backlog_;
  std::unique_ptr<rocksdb::Env> env_;  // the operating system's, with the files of these two
  std::unique_ptr<Ballast> ballast_;
  StatisticsKeeper keeper_;
  CompactionJournal journal_;
  std::shared_ptr<Listener> listener_;
  std::unique_ptr<WalSyncGroup> sync_group_;
  std::unique_ptr<SpaceWatcher> watcher_;
  std::map<uint32_t, FlushTriggers> flush_triggers_;  // by column family; FlushForScans' own
  Mutex create_mutex_;                                // one CreateColumnFamily at a time
  ColumnFamilies families_;
  rocksdb::TransactionDB* db_ = nullptr;  // owned
  rocksdb::DB* base_ = nullptr;
  rocksdb::ColumnFamilyHandle* system_ = nullptr;
  rocksdb::ColumnFamilyHandle* default_ = nullptr;
  size_t removed_bulk_loads_ = 0;
  std::atomic<uint64_t> manual_compactions_{0};
  std::atomic<uint64_t> running_manual_compactions_{0};
  bool closed_ = false;
};

}  // namespace basalt::store
