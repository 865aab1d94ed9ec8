// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/database_defaults.h"

#include <algorithm>
#include <memory>
#include <thread>

#include <rocksdb/write_buffer_manager.h>

#include "store/options/memory_budget.h"

namespace basalt::store {
namespace {

void SetLog(const StoreOptions& options, rocksdb::DBOptions* db) {
  // Prepared transactions must survive, so the log is kept until they are decided. TransactionDB
  // turns this on in any case; it stands here for who reads the options.
  db->allow_2pc = true;
  // Prepare writes only to the log; with a queue of its own it does not wait for the memtable
  // inserts of commits. (Excludes pipelined writes, which also rule out the commit of large
  // transactions as a memtable.)
  db->two_write_queues = true;
  db->enable_pipelined_write = false;
  db->manual_wal_flush = options.manual_wal_flush;
  db->wal_recovery_mode = static_cast<rocksdb::WALRecoveryMode>(options.wal_recovery_mode);
  db->max_total_wal_size = options.max_total_wal_bytes;
  db->wal_dir = options.wal_directory;
  // What is not logged (spilled changes, temporary tables) is gone after a restart anyway. Flushing
  // it would flush everything else too, also what a broken log has lost: some column families would
  // then be ahead of the log, and the store could not be opened again.
  db->avoid_flush_during_shutdown = true;
}

void SetFiles(const StoreOptions& options, rocksdb::DBOptions* db) {
  db->max_open_files = options.max_open_files;
  db->use_direct_reads = options.use_direct_reads;
  db->use_direct_io_for_flush_and_compaction = options.use_direct_io_for_flush_and_compaction;
  db->use_fsync = options.use_fsync;
  // Write-back in small portions, so that the sync at the end of a file does not stop everybody.
  db->bytes_per_sync = 1 << 20;
  db->rate_limiter = options.rate_limiter;
  db->keep_log_file_num = 10;
  db->max_log_file_size = 64 << 20;
  db->stats_dump_period_sec = options.statistics_dump_seconds;
  db->stats_persist_period_sec = 0;  // a thread for numbers that nobody reads
}

}  // namespace

int BackgroundJobs(const StoreOptions& options) {
  if (options.max_background_jobs > 0) return options.max_background_jobs;
  // At least one flush and one compaction at a time; more than eight help only machines that are
  // set up by hand anyway.
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 2, 8);
}

rocksdb::DBOptions DatabaseOptions(const StoreOptions& options,
                                   std::shared_ptr<rocksdb::Cache> cache) {
  rocksdb::DBOptions db;
  db.create_if_missing = options.create_if_missing;
  db.create_missing_column_families = true;
  db.paranoid_checks = options.paranoid_checks;
  if (options.env != nullptr) db.env = options.env;
  db.max_background_jobs = BackgroundJobs(options);
  // How often files are looked at that are read in vain, when nothing is written.
  db.max_compaction_trigger_wakeup_seconds = 60;
  // The old plugin's directories may hold a plain delete below a single delete. RocksDB can live
  // with that, but by default would rather stop all writes.
  db.enforce_single_del_contracts = false;
  db.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(AllMemtablesBytes(options), std::move(cache));
  SetLog(options, &db);
  SetFiles(options, &db);
  if (options.adjust_database) options.adjust_database(&db);
  return db;
}

void OpenFilesLater(rocksdb::DBOptions* db) {
  db->open_files_async = true;
  db->skip_stats_update_on_db_open = true;  // would open files, and open_files_async asks for it
}

rocksdb::TransactionDBOptions TransactionOptionsOfDatabase() {
  rocksdb::TransactionDBOptions options;
  options.write_policy = rocksdb::WRITE_COMMITTED;
  options.skip_concurrency_control = true;  // row locks are ours, for plain batches too
  options.num_stripes = 1;                  // nothing is ever locked in RocksDB's table
  return options;
}

}  // namespace basalt::store
