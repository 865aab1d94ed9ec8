// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "store/compaction/background_rate_limiter.h"
#include "store/compaction/deletion_trigger.h"
#include "store/compaction/ttl_compaction_filter.h"
#include "store/statistics/key_prefix_provider.h"

namespace basalt::store {

// How loud a line of the store's log is. The server writes kWarning and kError to its error log.
enum class LogLevel : uint8_t { kInformation, kWarning, kError };

// Everything Store::Open needs. The defaults are what a server without a single setting runs with;
// column_family_defaults.cc gives the reasons. 0 or empty means "choose for this machine" wherever
// that makes sense.
struct StoreOptions {
  // Directory of the store; made when missing (its parent must exist). Required.
  std::string directory;
  // Directory of the write-ahead log; empty = inside `directory`.
  std::string wal_directory;
  // false: opening a directory without a store is an error instead of making one.
  bool create_if_missing = true;

  // The old plugin leaves a file ROCKSDB_CORRUPTED behind when it has met damaged data; with such a
  // file the store opens only when this is set.
  bool ignore_corruption_marker = false;

  // --- Memory, in bytes: memory_budget.h ---
  uint64_t block_cache_bytes = 512ull << 20;
  // Of that, the part that keeps blocks compressed, in percent (block_cache.h); 0 = none.
  uint32_t compressed_cache_percent = 0;
  // One memtable of one column family; 0 = from block_cache_bytes.
  uint64_t write_buffer_bytes = 0;
  // All memtables together; 0 = from block_cache_bytes.
  uint64_t total_write_buffer_bytes = 0;

  // --- Background work and files ---
  // Flush and compaction threads; 0 = from the number of cores, at least 2.
  int max_background_jobs = 0;
  int max_open_files = -1;  // -1: every file stays open
  uint64_t max_total_wal_bytes = 2ull << 30;
  uint32_t statistics_dump_seconds = 600;
  std::shared_ptr<BackgroundRateLimiter> rate_limiter;  // null: none
  bool use_direct_reads = false;
  bool use_direct_io_for_flush_and_compaction = false;
  bool use_fsync = false;
  bool paranoid_checks = true;
  // A compaction that has taken so long deserves a line in the log (long_compaction_log.h).
  std::chrono::microseconds long_compaction = std::chrono::minutes(1);

  // Counters only: histograms and timers would read the clock several times for each row.
  rocksdb::StatsLevel statistics_level = rocksdb::StatsLevel::kExceptHistogramOrTimers;

  // --- Options that are RocksDB's own ---
  // Called once, with the options as database_defaults.cc and column_family_defaults.cc make them
  // (the latter before any option string): changes those that the caller passes on as they are.
  // What the store relies on must stay: 2PC, listeners, statistics. Empty: nothing is changed.
  std::function<void(rocksdb::DBOptions*)> adjust_database;
  std::function<void(rocksdb::BlockBasedTableOptions*)> adjust_tables;
  // May be changed while the store runs. Null: table files are not compacted for deletions.
  std::shared_ptr<const DeletionTriggerSettings> deletion_trigger;

  // --- Write-ahead log ---
  // rocksdb::WALRecoveryMode. 2 (point in time) starts after any crash with everything that was
  // acknowledged; 1 (absolute consistency, the old plugin's default) refuses a torn tail, which is
  // what kill -9 leaves behind. src/store/README.md has the whole story.
  int wal_recovery_mode = 2;
  // Log records wait in memory until SyncWal(); saves a system call for each write. Whoever
  // acknowledges something must call SyncWal().
  bool manual_wal_flush = true;

  // --- Column families ---
  // RocksDB option string applied over the built-in defaults of every column family
  // ("write_buffer_size=64m;block_based_table_factory={block_size=16384}").
  std::string default_column_family_options;
  // Per column family over that: "cf1={...};rev:cf2={...}".
  std::string override_column_family_options;

  // --- Space ---
  // The store stops taking writes while its file system has less free space than this, and resumes
  // by itself at one and a half times as much. It keeps the log from running into a full disk,
  // which RocksDB cannot recover from without reopening. 0 = watch nothing.
  uint64_t reserved_free_bytes = 64ull << 20;

  // --- Hooks ---
  // Environment for fault tests; null = the operating system's. Not owned.
  rocksdb::Env* env = nullptr;
  // Receives lines for the server's log; may be called from any thread, even inside RocksDB's
  // background work, so it must not call back into the store. Empty: lines are dropped (RocksDB's
  // own information log in `directory`/LOG is written in any case).
  std::function<void(LogLevel, std::string_view)> log;
  // Where the parts of a key end, for per-file statistics; null: no distinct counts.
  std::shared_ptr<KeyPrefixProvider> key_prefixes;
  // May be changed while the store runs. Null: the defaults.
  std::shared_ptr<TimeToLiveSettings> time_to_live;
};

}  // namespace basalt::store
