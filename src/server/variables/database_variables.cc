// SPDX-License-Identifier: GPL-2.0-only
//
// Variables that are options of RocksDB as a whole, handed on as they are.
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <string>

#include "server/variables/system_variables.h"
#include "server/variables/variable_table.h"

namespace basalt::server {

namespace {

const char* const kLogLevels[] = {"debug_level", "info_level",  "warn_level",
                                  "error_level", "fatal_level", nullptr};
TYPELIB log_levels = {5, "log levels", const_cast<const char**>(kLogLevels), nullptr};

// Gives a running store the new value of an option; a value it refuses is not taken.
bool SetOption(THD* thd, const char* name, unsigned long long value) {
  Status status;
  ApplyToDatabase([&](engine::Database& database) {
    status = database.store()->settings().SetDatabaseOptions(std::string(name) + "=" +
                                                             std::to_string(value));
  });
  if (status.ok()) return true;
  push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_WRONG_VALUE_FOR_VAR,
                      "ROCKSDB: rocksdb_%s: %s", name, status.ToString().c_str());
  return false;
}

// Option `name` of RocksDB has the name of the variable.
#define BASALT_SET_OPTION(type, name)                                                             \
  [](THD* thd, st_mysql_sys_var*, void* variable, const void* save) {                             \
    if (SetOption(thd, #name, *static_cast<const type*>(save))) StoreValue<type>(variable, save); \
  }

// RocksDB's own default would follow the rate limiter, which has no limit as a rule.
unsigned long long DelayedWriteRate(unsigned long long given) {
  return given == 0 ? 16 * kMiB : given;
}

void UpdateDelayedWriteRate(THD* thd, st_mysql_sys_var*, void* variable, const void* save) {
  const unsigned long long rate = DelayedWriteRate(*static_cast<const ULONGLONG*>(save));
  if (SetOption(thd, "delayed_write_rate", rate)) StoreValue<ULONGLONG>(variable, save);
}

void UpdateLogLevel(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<ENUM>(variable, save);
  const auto level = static_cast<rocksdb::InfoLogLevel>(*static_cast<const ENUM*>(save));
  ApplyToDatabase([level](engine::Database& database) {
    database.store()->settings().SetInformationLogLevel(level);
  });
}

void UpdateStatisticsLevel(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<UINT>(variable, save);
  const auto level = static_cast<rocksdb::StatsLevel>(*static_cast<const UINT*>(save));
  ApplyToDatabase([level](engine::Database& database) {
    database.store()->statistics()->set_stats_level(level);
  });
}

#define BASALT_WORD(number) #number
#define BASALT_VERSION(major, minor, patch) \
  BASALT_WORD(major) "." BASALT_WORD(minor) "." BASALT_WORD(patch)
constexpr char kRocksDbVersion[] = "v" BASALT_VERSION(ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);

// clang-format off
#define BASALT_DATABASE_VARIABLES(GLOBAL, SESSION)                                                 \
  GLOBAL(BOOL, advise_random_on_open, kAtStart,                                                    \
         "The operating system is told that table files are read at random",                       \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, allow_concurrent_memtable_write, kAtStart,                                          \
         "Several connections insert into a memtable at the same time",                            \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, allow_mmap_reads, kAtStart, "Table files are read through mmap",                    \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(BOOL, allow_mmap_writes, kAtStart, "Table files are written through mmap",                \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(ULONGLONG, bytes_per_sync, kAnyTime,                                                      \
         "Table files are synced every so many bytes; 0: at their end",                            \
         nullptr, BASALT_SET_OPTION(ULONGLONG, bytes_per_sync), kMiB, 0, ULLONG_MAX, 0)            \
  GLOBAL(ULONGLONG, compaction_readahead_size, kAnyTime,                                           \
         "Bytes that a compaction reads ahead of itself",                                          \
         nullptr, BASALT_SET_OPTION(ULONGLONG, compaction_readahead_size), 2 * kMiB, 0,            \
         ULLONG_MAX, 0)                                                                            \
  GLOBAL(ULONGLONG, delayed_write_rate, kAnyTime,                                                  \
         "Bytes a second that are written while compactions are behind; 0: 16 MB",                 \
         nullptr, UpdateDelayedWriteRate, 0, 0, ULLONG_MAX, 0)                                     \
  GLOBAL(ULONGLONG, delete_obsolete_files_period_micros, kAtStart,                                 \
         "Microseconds between searches for files that nobody needs, beside what is deleted at "   \
         "once",                                                                                   \
         nullptr, nullptr, 21600000000, 0, kLargestSigned, 0)                                      \
  GLOBAL(BOOL, enable_thread_tracking, kAtStart,                                                   \
         "SHOW ENGINE ROCKSDB STATUS says what background threads do",                             \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, enable_write_thread_adaptive_yield, kAtStart,                                       \
         "Connections that wait for their turn to write spin for a moment before they sleep",      \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, error_if_exists, kAtStart, "Refuse a store that is there already",                  \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(STR, git_hash, kAtStart,                                                                  \
         "Version of RocksDB", nullptr, nullptr, kRocksDbVersion)                                  \
  GLOBAL(ENUM, info_log_level, kAnyTime,                                                           \
         "What RocksDB writes to its file LOG; its errors are in the error log, too",              \
         nullptr, UpdateLogLevel, 1, &log_levels)                                                  \
  GLOBAL(BOOL, is_fd_close_on_exec, kAtStart,                                                      \
         "Programs that the server starts do not inherit its open files",                          \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(ULONGLONG, keep_log_file_num, kAtStart, "How many old LOG files are kept",                \
         nullptr, nullptr, 10, 0, ULLONG_MAX, 0)                                                   \
  GLOBAL(STR, log_dir, kAtStart, "Directory of RocksDB's file LOG; empty: rocksdb_datadir",        \
         nullptr, nullptr, "")                                                                     \
  GLOBAL(ULONGLONG, log_file_time_to_roll, kAtStart,                                               \
         "Seconds after which a new LOG file is begun; 0: never for that reason",                  \
         nullptr, nullptr, 0, 0, ULLONG_MAX, 0)                                                    \
  GLOBAL(ULONGLONG, manifest_preallocation_size, kAtStart,                                         \
         "Bytes by which the file MANIFEST grows on disk",                                         \
         nullptr, nullptr, 4 * kMiB, 0, ULLONG_MAX, 0)                                             \
  GLOBAL(BOOL, manual_wal_flush, kAtStart,                                                         \
         "The log is handed to the operating system at commits, not at each write",                \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(ULONGLONG, max_log_file_size, kAtStart,                                                   \
         "Bytes after which a new LOG file is begun; 0: never for that reason",                    \
         nullptr, nullptr, 64 * kMiB, 0, ULLONG_MAX, 0)                                            \
  GLOBAL(ULONGLONG, max_manifest_file_size, kAtStart,                                              \
         "Bytes after which the file MANIFEST is written anew",                                    \
         nullptr, nullptr, kGiB, 0, ULLONG_MAX, 0)                                                 \
  GLOBAL(UINT, max_subcompactions, kAtStart,                                                       \
         "Threads that share one compaction of level 0",                                           \
         nullptr, nullptr, 1, 1, 64, 0)                                                            \
  GLOBAL(UINT, stats_level, kAnyTime,                                                              \
         "0: count nothing, 1: count, 2: with histograms, 3 to 5: with more and more timers",      \
         nullptr, UpdateStatisticsLevel, 1, 0, 5, 0)                                               \
  GLOBAL(STR, supported_compression_types, PLUGIN_VAR_READONLY | PLUGIN_VAR_NOCMDOPT,              \
         "Compressions that this build can write and read", nullptr, nullptr, nullptr)             \
  GLOBAL(INT, table_cache_numshardbits, kAtStart,                                                  \
         "Logarithm of the number of parts of the cache of open files",                            \
         nullptr, nullptr, 6, 0, 19, 0)                                                            \
  GLOBAL(BOOL, two_write_queues, kAtStart,                                                         \
         "Prepared transactions are logged in a queue of their own, so that they do not wait "     \
         "for inserts into memtables",                                                             \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, use_adaptive_mutex, kAtStart, "RocksDB's mutexes spin before they sleep",           \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(ULONGLONG, wal_bytes_per_sync, kAnyTime, "The log likewise (see bytes_per_sync)",         \
         nullptr, BASALT_SET_OPTION(ULONGLONG, wal_bytes_per_sync), 0, 0, ULLONG_MAX, 0)           \
  GLOBAL(ULONGLONG, wal_size_limit_mb, kAtStart,                                                   \
         "Old logs are kept until they have so many MB; 0: they are deleted",                      \
         nullptr, nullptr, 0, 0, kLargestSigned, 0)                                                \
  GLOBAL(ULONGLONG, wal_ttl_seconds, kAtStart,                                                     \
         "Old logs are kept for so many seconds; 0: they are deleted",                             \
         nullptr, nullptr, 0, 0, kLargestSigned, 0)
// clang-format on

BASALT_DEFINE_VARIABLES(BASALT_DATABASE_VARIABLES)

// "LZ4,ZSTD", in words of column family options without their "k" and "Compression".
std::string SupportedCompressions() {
  std::string text;
  for (const rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
    std::string name;
    if (type == rocksdb::kNoCompression) continue;  // MyRocks does not list it either
    if (!rocksdb::GetStringFromCompressionType(&name, type).ok()) continue;
    if (name.starts_with("k")) name.erase(0, 1);
    if (name.ends_with("Compression")) name.resize(name.size() - strlen("Compression"));
    text.append(text.empty() ? "" : ",").append(name);
  }
  return text;
}

void AdjustLogs(rocksdb::DBOptions* db) {
  db->info_log_level = static_cast<rocksdb::InfoLogLevel>(values.info_log_level);
  db->keep_log_file_num = std::max<size_t>(1, values.keep_log_file_num);
  if (values.log_dir != nullptr) db->db_log_dir = values.log_dir;
  db->log_file_time_to_roll = values.log_file_time_to_roll;
  db->max_log_file_size = values.max_log_file_size;
  db->manifest_preallocation_size = values.manifest_preallocation_size;
  db->max_manifest_file_size = values.max_manifest_file_size;
  db->wal_bytes_per_sync = values.wal_bytes_per_sync;
  db->WAL_size_limit_MB = values.wal_size_limit_mb;
  db->WAL_ttl_seconds = values.wal_ttl_seconds;
}

void AdjustThreads(rocksdb::DBOptions* db) {
  db->allow_concurrent_memtable_write = values.allow_concurrent_memtable_write;
  db->delayed_write_rate = DelayedWriteRate(values.delayed_write_rate);
  db->enable_thread_tracking = values.enable_thread_tracking;
  db->enable_write_thread_adaptive_yield = values.enable_write_thread_adaptive_yield;
  db->max_subcompactions = values.max_subcompactions;
  db->table_cache_numshardbits = values.table_cache_numshardbits;
  db->two_write_queues = values.two_write_queues;
  db->use_adaptive_mutex = values.use_adaptive_mutex;
}

void AdjustFiles(rocksdb::DBOptions* db) {
  db->advise_random_on_open = values.advise_random_on_open;
  db->allow_mmap_reads = values.allow_mmap_reads;
  db->allow_mmap_writes = values.allow_mmap_writes;
  db->bytes_per_sync = values.bytes_per_sync;
  db->compaction_readahead_size = values.compaction_readahead_size;
  db->delete_obsolete_files_period_micros = values.delete_obsolete_files_period_micros;
  db->error_if_exists = values.error_if_exists;
  db->is_fd_close_on_exec = values.is_fd_close_on_exec;
}

}  // namespace

void AppendDatabaseVariables(std::vector<st_mysql_sys_var*>* list) {
  AppendVariables(variables, list);
}

void AdjustDatabase(store::StoreOptions* options) {
  // Not when the library is loaded: RocksDB may not have its table of compressions yet.
  static std::string compressions = SupportedCompressions();
  values.supported_compression_types = compressions.data();
  options->manual_wal_flush = values.manual_wal_flush;
  options->statistics_level = static_cast<rocksdb::StatsLevel>(values.stats_level);
  options->adjust_database = [](rocksdb::DBOptions* db) {
    AdjustLogs(db);
    AdjustThreads(db);
    AdjustFiles(db);
  };
}

}  // namespace basalt::server
