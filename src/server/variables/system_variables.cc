// SPDX-License-Identifier: GPL-2.0-only
#include "server/variables/system_variables.h"

#include <rocksdb/advanced_cache.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "server/error_map.h"
#include "server/measures/statement_progress.h"
#include "server/variables/inert_variables.h"
#include "server/variables/variable_table.h"
#include "store/options/memory_budget.h"
#include "store/options/memory_limit.h"
#include "store/options/option_string.h"

namespace basalt::server {

namespace {

// Read when the plugin is loaded, before the server asks for the defaults of its variables.
const uint64_t kMemoryBytes = store::MemoryLimit();
const auto kDefaultCacheBytes = static_cast<longlong>(store::DefaultCacheBytes(kMemoryBytes));

const char* const kLockingStyles[] = {"INNODB", "MYROCKS", nullptr};
TYPELIB locking_styles = {2, "locking styles", const_cast<const char**>(kLockingStyles), nullptr};

// --- Actions: variables that do something when they are set ---

constexpr int kInvalidDirectory = 4;  // RocksDB's code of an invalid argument

int CheckCreateCheckpoint(THD*, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  char buffer[FN_REFLEN];
  int length = sizeof(buffer);
  const char* path = value->val_str(value, buffer, &length);
  *static_cast<const char**>(save) = "";
  if (path == nullptr || length <= 0) {
    // The words of MyRocks, which set the variable back to its default by this.
    my_printf_error(ER_GET_ERRMSG, "Got error %d '%s' from ROCKSDB", MYF(0), kInvalidDirectory,
                    "Invalid argument: invalid checkpoint directory name");
    return 1;
  }
  const std::string directory(path, static_cast<size_t>(length));
  return RunOnDatabase([&directory](engine::Database& database) {
    const Status status = database.store()->checkpoints().Create(directory);
    if (!status.ok()) return ReportError(status, "checkpoint in " + directory);
    sql_print_information("ROCKSDB: made a checkpoint in %s", directory.c_str());
    return 0;
  });
}

// The only directory that rocksdb_remove_mariabackup_checkpoint removes.
std::filesystem::path BackupCheckpoint() {
  return std::filesystem::path(DataDirectory()) / "mariabackup-checkpoint";
}

int CheckRemoveCheckpoint(THD*, st_mysql_sys_var*, void* save, st_mysql_value*) {
  *static_cast<my_bool*>(save) = 0;
  std::error_code error;
  std::filesystem::remove_all(BackupCheckpoint(), error);
  if (!error) return 0;
  return ReportError(Status(Code::kIoError, BackupCheckpoint().string() + ": " + error.message()),
                     "removing the checkpoint");
}

int CheckForceFlush(THD*, st_mysql_sys_var*, void* save, st_mysql_value*) {
  *static_cast<my_bool*>(save) = 0;
  return RunOnDatabase([](engine::Database& database) {
    return ReportError(database.store()->flushes().Flush(), "flush of the memtables");
  });
}

int CompactFamily(THD* thd, store::Store& store, const std::string& name) {
  rocksdb::ColumnFamilyHandle* handle = store.FindColumnFamily(name);
  if (handle == nullptr) {
    // Scripts name families that a server may not have yet, and MyRocks lets them.
    if (!WarnsWithoutEffect()) return 0;
    push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_WRONG_ARGUMENTS,
                        "ROCKSDB: no column family '%s': nothing to compact", name.c_str());
    return 0;
  }
  StatementProgress progress(thd);
  progress.Start(1);
  store::ManualCompaction compaction;
  compaction.family = handle;
  compaction.threads = ManualCompactionThreads(thd);
  compaction.report = [&progress](uint64_t done, uint64_t expected) {
    return progress.Report(done, expected);
  };
  return ReportError(store.compactions().Compact(compaction), "compaction of " + name);
}

int CheckCompact(THD* thd, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  char buffer[FN_REFLEN];
  int length = sizeof(buffer);
  const char* text = value->val_str(value, buffer, &length);
  *static_cast<const char**>(save) = "";
  if (text == nullptr || length <= 0) return 0;
  const std::string name(text, static_cast<size_t>(length));
  return RunOnDatabase([thd, &name](engine::Database& database) {
    return CompactFamily(thd, *database.store(), name);
  });
}

void UpdateNothing(THD*, st_mysql_sys_var*, void*, const void*) {}

// --- Changes of running settings ---

void UpdateBlockCache(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<LONGLONG>(variable, save);
  const auto bytes = static_cast<uint64_t>(*static_cast<const LONGLONG*>(save));
  ApplyToDatabase([bytes](engine::Database& database) {
    database.store()->settings().SetBlockCacheBytes(bytes);
  });
}

void UpdateBackgroundJobs(THD* thd, st_mysql_sys_var*, void* variable, const void* save) {
  const int jobs = *static_cast<const int*>(save);
  Status status;
  ApplyToDatabase([&](engine::Database& database) {
    status = database.store()->settings().SetBackgroundJobs(jobs);
  });
  if (!status.ok()) {
    push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_WRONG_VALUE_FOR_VAR,
                        "rocksdb_max_background_jobs: %s", status.ToString().c_str());
    return;
  }
  *static_cast<int*>(variable) = jobs;
}

using store::TimeToLiveSettings;

// Lives as long as the process, like the variables.
const std::shared_ptr<TimeToLiveSettings>& TimeToLiveOfVariables() {
  static const auto settings = std::make_shared<TimeToLiveSettings>();
  return settings;
}

template <std::atomic<bool> TimeToLiveSettings::*setting>
void UpdateTtlSwitch(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  const my_bool value = *static_cast<const my_bool*>(save);
  *static_cast<my_bool*>(variable) = value;
  (*TimeToLiveOfVariables()).*setting = value != 0;
}

template <std::atomic<int> TimeToLiveSettings::*setting>
void UpdateTtlOffset(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  const int value = *static_cast<const int*>(save);
  *static_cast<int*>(variable) = value;
  (*TimeToLiveOfVariables()).*setting = value;
}

// Of rocksdb_rate_limiter_bytes_per_sec and rocksdb_rate_limiter_auto_tuned, which are below.
void SetRateLimit(engine::Database& database);

template <typename T>
void UpdateRateLimit(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<T>(variable, save);
  ApplyToDatabase(SetRateLimit);
}

constexpr char kAlwaysDetected[] =
    "ROCKSDB: rocksdb_deadlock_detect=OFF has no effect: deadlocks are always detected";

void UpdateDeadlockDetect(THD* thd, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<BOOL>(variable, save);
  if (*static_cast<const BOOL*>(save) || !WarnsWithoutEffect()) return;
  push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_UNKNOWN_ERROR, kAlwaysDetected);
}

void UpdateRecoveryMode(THD* thd, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<UINT>(variable, save);
  if (!WarnsWithoutEffect()) return;
  push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_UNKNOWN_ERROR,
               "ROCKSDB: rocksdb_wal_recovery_mode has no effect on a running server: the log is "
               "replayed at start, as the option file says then");
}

// --- The table. GLOBAL(type, name, flags, text, check, update, default[, min, max, block]);
//     SESSION likewise. ---
// clang-format off
#define BASALT_VARIABLES(GLOBAL, SESSION)                                                          \
  GLOBAL(STR, datadir, kSwitchAtStart,                                                                   \
         "Directory of the store, relative to the server's data directory or absolute",            \
         nullptr, nullptr, "./#rocksdb")                                                           \
  GLOBAL(STR, wal_dir, kAtStart, "Directory of the write-ahead log; empty: inside rocksdb_datadir",\
         nullptr, nullptr, "")                                                                     \
  GLOBAL(BOOL, create_if_missing, kAtStart, "Make the store when rocksdb_datadir has none",  \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, allow_to_start_after_corruption, kSwitchAtStart,                                    \
         "Open a store in which an earlier run has marked damaged data",                           \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(UINT, validate_tables, kAtStart,                                                         \
         "At start the dictionary is compared with the .frm files: 0 not at all, 1 the engine "    \
         "does not start when they disagree, 2 what disagrees is mended and logged",               \
         nullptr, nullptr, 2, 0, 2, 0)                                                             \
  GLOBAL(BOOL, start_server_without_engine, kSwitchAtStart,                                        \
         "When the store cannot be opened the server starts without ROCKSDB; transactions that "   \
         "were committed right before a crash may then be lost",                                   \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(LONGLONG, block_cache_size, PLUGIN_VAR_RQCMDARG,                                         \
         "Memory for blocks of table files and for memtables together, in bytes; by default an "   \
         "eighth of the memory that the server may use, from 16 to 512 MiB",                       \
         nullptr, UpdateBlockCache, kDefaultCacheBytes, 1024, LLONG_MAX, 1024)                     \
  GLOBAL(INT, compressed_cache_percent, kAtStart,                                                  \
         "Percent of rocksdb_block_cache_size for blocks that reads have driven out, compressed; " \
         "-1: 60 with rocksdb_use_direct_reads, otherwise none, as the page cache has files "      \
         "compressed",                                                                             \
         nullptr, nullptr, -1, -1, 90, 0)                                                          \
  GLOBAL(ULONGLONG, db_write_buffer_size, kAtStart,                                                \
         "Memory of all memtables together, in bytes; 0: half of rocksdb_block_cache_size, which they " \
         "are a part of",                                                                           \
         nullptr, nullptr, 0, 0, ULLONG_MAX, 0)                                                \
  GLOBAL(INT, max_background_jobs, PLUGIN_VAR_RQCMDARG,                                            \
         "Flush and compaction threads; 0 and -1: from the number of cores",                       \
         nullptr, UpdateBackgroundJobs, 0, -1, 64, 0)                                               \
  GLOBAL(INT, max_open_files, kAtStart,                                                            \
         "Table files kept open; -1: all, -2: half of open_files_limit",                           \
         nullptr, nullptr, -1, -2, INT_MAX, 0)                                                     \
  GLOBAL(ULONGLONG, max_total_wal_size, kAtStart,                                                  \
         "Log size in bytes at which the oldest memtables are written out",                        \
         nullptr, nullptr, 2 * kGiB, 0, ULLONG_MAX / 2, 0)                                         \
  GLOBAL(ULONGLONG, rate_limiter_bytes_per_sec, kAnyTime,                                          \
         "Most bytes a second that background work writes; 0: no limit",                           \
         nullptr, UpdateRateLimit<ULONGLONG>, 0, 0, kLargestSigned, 0)                             \
  GLOBAL(BOOL, rate_limiter_auto_tuned, PLUGIN_VAR_OPCMDARG,                                       \
         "Background work writes only as much a second as it needs to keep up, within "            \
         "rocksdb_rate_limiter_bytes_per_sec",                                                     \
         nullptr, UpdateRateLimit<BOOL>, 1)                                                        \
  GLOBAL(UINT, stats_dump_period_sec, kAtStart,                                                    \
         "Seconds between statistics in RocksDB's LOG; 0: never",                                  \
         nullptr, nullptr, 600, 0, INT_MAX, 0)                                                     \
  GLOBAL(BOOL, use_direct_reads, kAtStart, "Read table files with O_DIRECT",                 \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(BOOL, use_direct_io_for_flush_and_compaction, kAtStart,                             \
         "Background work reads and writes with O_DIRECT",                                         \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(BOOL, use_fsync, kAtStart, "fsync instead of fdatasync", nullptr, nullptr, 0)       \
  GLOBAL(BOOL, paranoid_checks, kAtStart, "RocksDB verifies more, and stops at damage",      \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(UINT, wal_recovery_mode, kAnyTime,                                                        \
         "How the log is replayed: 0 tolerate a torn tail, 1 absolute consistency, 2 point in "    \
         "time, 3 skip damage",                                                                    \
         nullptr, UpdateRecoveryMode, 2, 0, 3, 0)                                                             \
  GLOBAL(UINT, flush_log_at_trx_commit, PLUGIN_VAR_RQCMDARG,                                      \
         "A commit is on the device when acknowledged (1), with the operating system (2), or "     \
         "written once a second (0)",                                                              \
         nullptr, nullptr, 1, 0, 2, 0)                                                             \
  GLOBAL(STR, default_cf_options, kAtStart, "RocksDB options of every column family",              \
         nullptr, nullptr, "")                                                                     \
  GLOBAL(STR, override_cf_options, kAtStart,                                                       \
         "RocksDB options by column family: cf1={...};cf2={...}",                                  \
         nullptr, nullptr, "")                                                                     \
  GLOBAL(ULONGLONG, reserved_free_space, kAtStart,                                                 \
         "Writing stops while the disk has less free space, in bytes; 0: watch nothing",           \
         nullptr, nullptr, 64 * kMiB, 0, ULLONG_MAX / 2, 0)                                        \
  GLOBAL(ULONGLONG, spill_threshold, kAtStart,                                                     \
         "Bytes of uncommitted writes a transaction keeps in memory before they move to disk, "    \
         "64 KiB at least; 0: an eighth of rocksdb_block_cache_size, from 1 to 32 MiB",            \
         nullptr, nullptr, 0, 0, ULLONG_MAX / 2, 0)                                                \
  GLOBAL(UINT, lock_escalation_threshold, kAtStart,                                                \
         "Row locks of a transaction in one index before they become one lock of the index",       \
         nullptr, nullptr, 1u << 20, 1, UINT_MAX, 0)                                               \
  GLOBAL(STR, create_checkpoint, kAnyTime,                        \
         "Setting it makes a consistent copy of the store in that directory",                      \
         CheckCreateCheckpoint, UpdateNothing, "")                                                 \
  GLOBAL(BOOL, remove_mariabackup_checkpoint, kAnyTime,           \
         "Setting it removes the copy that mariabackup has made",                                  \
         CheckRemoveCheckpoint, UpdateNothing, 0)                                                  \
  GLOBAL(BOOL, force_flush_memtable_now, kAnyTime,                \
         "Setting it writes all memtables to table files",                                         \
         CheckForceFlush, UpdateNothing, 0)                                                        \
  GLOBAL(STR, compact_cf, kAnyTime,                               \
         "Setting it compacts the column family of that name",                                     \
         CheckCompact, UpdateNothing, "")                                                          \
  GLOBAL(BOOL, large_prefix, kAnyTime,                                                  \
         "Index parts of new tables may have 3072 bytes; OFF: 767",                                \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, index_type_lsmtree, PLUGIN_VAR_OPCMDARG,                                            \
         "SHOW INDEX says LSMTREE, as MyRocks does, instead of BTREE",                             \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(BOOL, enable_ttl, PLUGIN_VAR_RQCMDARG,                                                    \
         "Compactions drop rows whose time to live is over",                                       \
         nullptr, UpdateTtlSwitch<&TimeToLiveSettings::drop_expired>, 1)                           \
  GLOBAL(BOOL, enable_ttl_read_filtering, PLUGIN_VAR_RQCMDARG,                                     \
         "Statements do not see rows whose time to live is over; OFF: they do, until a "           \
         "compaction drops them, even in the middle of a transaction",                             \
         nullptr, UpdateTtlSwitch<&TimeToLiveSettings::hide_expired>, 1)                           \
  GLOBAL(INT, debug_ttl_rec_ts, PLUGIN_VAR_RQCMDARG,                                               \
         "For tests: seconds added to the time stamps of rows that are written",                   \
         nullptr, UpdateTtlOffset<&TimeToLiveSettings::stamp_offset>, 0, -3600, 3600, 0)           \
  GLOBAL(INT, debug_ttl_read_filter_ts, PLUGIN_VAR_RQCMDARG,                                       \
         "For tests: seconds added to the time stamps of rows that are read",                      \
         nullptr, UpdateTtlOffset<&TimeToLiveSettings::reading_offset>, 0, -3600, 3600, 0)         \
  GLOBAL(INT, debug_ttl_snapshot_ts, PLUGIN_VAR_RQCMDARG,                                          \
         "For tests: compactions take the present and this many seconds for the time, whatever "   \
         "snapshots are open; 0: off",                                                             \
         nullptr, UpdateTtlOffset<&TimeToLiveSettings::compaction_offset>, 0, -3600, 3600, 0)      \
  GLOBAL(BOOL, debug_ttl_ignore_pk, PLUGIN_VAR_RQCMDARG,                                           \
         "For tests: compactions drop entries of secondary indexes only",                          \
         nullptr, UpdateTtlSwitch<&TimeToLiveSettings::spare_rows>, 0)                             \
  SESSION(BOOL, myrocks_compatible_format, PLUGIN_VAR_OPCMDARG,                                    \
          "New indexes are written in the newest format that MyRocks reads; what that cannot "     \
          "express is refused",                                                                    \
          nullptr, nullptr, 0)                                                                     \
  SESSION(ULONGLONG, lock_wait_timeout, PLUGIN_VAR_RQCMDARG,                                           \
          "Seconds that a statement waits for a row lock",                                         \
          nullptr, nullptr, 50, 1, 1024 * 1024 * 1024, 0)                                          \
  SESSION(BOOL, deadlock_detect, kAnyTime,                                                         \
          "Cycles of lock waits are found; OFF has no effect: they are found in any case",         \
          nullptr, UpdateDeadlockDetect, 1)                                                        \
  SESSION(ENUM, locking_style, PLUGIN_VAR_RQCMDARG,                                                \
          "Under REPEATABLE READ, from the next transaction on. INNODB: locking reads see the "    \
          "latest rows, ranges are locked against inserts. MYROCKS: they see the snapshot, a row " \
          "that has changed since fails with error 1213, ranges are not locked",                   \
          nullptr, nullptr, 0, &locking_styles)
// clang-format on

BASALT_DEFINE_VARIABLES(BASALT_VARIABLES)

void SetRateLimit(engine::Database& database) {
  database.store()->options().rate_limiter->SetLimit(values.rate_limiter_bytes_per_sec,
                                                     values.rate_limiter_auto_tuned);
}

std::string Text(const char* text) { return text == nullptr ? std::string() : text; }

void LogLine(store::LogLevel level, std::string_view text) {
  const int length = static_cast<int>(text.size());
  switch (level) {
    case store::LogLevel::kInformation:
      sql_print_information("ROCKSDB: %.*s", length, text.data());
      break;
    case store::LogLevel::kWarning:
      sql_print_warning("ROCKSDB: %.*s", length, text.data());
      break;
    case store::LogLevel::kError:
      sql_print_error("ROCKSDB: %.*s", length, text.data());
      break;
  }
}

void LogOldValues(const char* name, const char* option_string) {
  if (!WarnsWithoutEffect()) return;
  const std::string old = store::DescribeOldValues(Text(option_string));
  if (!old.empty()) sql_print_warning("ROCKSDB: %s: %s", name, old.c_str());
}

void LogSettingsWithoutEffect() {
  if (!THDVAR(nullptr, deadlock_detect)) sql_print_warning("%s", kAlwaysDetected);
  LogInertSettings();
  LogMaintenanceSettings();
  LogOldValues("rocksdb_default_cf_options", values.default_cf_options);
  LogOldValues("rocksdb_override_cf_options", values.override_cf_options);
}

std::shared_ptr<TimeToLiveSettings> TimeToLiveFromVariables() {
  const std::shared_ptr<TimeToLiveSettings>& settings = TimeToLiveOfVariables();
  settings->drop_expired = values.enable_ttl;
  settings->hide_expired = values.enable_ttl_read_filtering;
  settings->stamp_offset = values.debug_ttl_rec_ts;
  settings->reading_offset = values.debug_ttl_read_filter_ts;
  settings->compaction_offset = values.debug_ttl_snapshot_ts;
  settings->spare_rows = values.debug_ttl_ignore_pk;
  return settings;
}

// -2 stands for half of what the operating system allows the server; so does more than it allows,
// with a warning. The variable shows what has come of it.
int OpenFiles() {
  constexpr int kHalf = -2;
  const int half = static_cast<int>(open_files_limit / 2);
  if (values.max_open_files > 0 && static_cast<ulong>(values.max_open_files) > open_files_limit) {
    sql_print_warning(
        "RocksDB: rocksdb_max_open_files should not be greater than the open_files_limit, which is "
        "%lu: it is set to %d",
        open_files_limit, half);
    values.max_open_files = half;
  }
  if (values.max_open_files == kHalf) values.max_open_files = half;
  return values.max_open_files;
}

uint32_t CompressedCachePercent() {
  constexpr uint32_t kOfDirectReads =
      60;  // measured: docs/lab/io.md, "A compressed part of the cache"
  if (values.compressed_cache_percent >= 0)
    return static_cast<uint32_t>(values.compressed_cache_percent);
  return values.use_direct_reads ? kOfDirectReads : 0;
}

void LogSmallMemory() {
  constexpr auto kOfLargeMachines = static_cast<longlong>(store::DefaultCacheBytes(UINT64_MAX));
  if (values.block_cache_size != kDefaultCacheBytes || kDefaultCacheBytes == kOfLargeMachines)
    return;
  sql_print_information(
      "ROCKSDB: rocksdb_block_cache_size is %llu MiB by default, for the server may use %llu MiB "
      "of memory",
      static_cast<unsigned long long>(kDefaultCacheBytes) / kMiB,
      static_cast<unsigned long long>(kMemoryBytes / kMiB));
}

}  // namespace

st_mysql_sys_var** SystemVariables() {
  static std::vector<st_mysql_sys_var*> all = [] {
    std::vector<st_mysql_sys_var*> list;
    AppendVariables(variables, &list);
    AppendDatabaseVariables(&list);
    AppendTableFileVariables(&list);
    AppendSessionVariables(&list);
    AppendFullTextVariables(&list);
    AppendMaintenanceVariables(&list);
    AppendBulkLoadVariables(&list);
    AppendInertVariables(&list);
    list.push_back(nullptr);
    return list;
  }();
  return all.data();
}

engine::Database::Options DatabaseOptionsFromVariables() {
  LogSettingsWithoutEffect();
  LogSmallMemory();
  engine::Database::Options options;
  store::StoreOptions& store = options.store;
  store.directory = Text(values.datadir);
  store.wal_directory = Text(values.wal_dir);
  store.create_if_missing = values.create_if_missing;
  store.ignore_corruption_marker = values.allow_to_start_after_corruption;
  store.block_cache_bytes = static_cast<uint64_t>(values.block_cache_size);
  store.compressed_cache_percent = CompressedCachePercent();
  store.total_write_buffer_bytes = values.db_write_buffer_size;
  store.max_background_jobs = values.max_background_jobs;
  store.max_open_files = OpenFiles();
  store.max_total_wal_bytes = values.max_total_wal_size;
  store.rate_limiter = std::make_shared<store::BackgroundRateLimiter>(
      values.rate_limiter_bytes_per_sec, values.rate_limiter_auto_tuned);
  store.statistics_dump_seconds = values.stats_dump_period_sec;
  store.use_direct_reads = values.use_direct_reads;
  store.use_direct_io_for_flush_and_compaction = values.use_direct_io_for_flush_and_compaction;
  store.use_fsync = values.use_fsync;
  store.paranoid_checks = values.paranoid_checks;
  store.wal_recovery_mode = static_cast<int>(values.wal_recovery_mode);
  store.default_column_family_options = Text(values.default_cf_options);
  store.override_column_family_options = Text(values.override_cf_options);
  store.reserved_free_bytes = values.reserved_free_space;
  store.log = LogLine;
  store.time_to_live = TimeToLiveFromVariables();
  AdjustDatabase(&store);
  AdjustTableFiles(&store);
  options.transactions.writes.spill_bytes =
      values.spill_threshold == 0 ? store::TransactionBytes(store)
                                  : std::max<uint64_t>(values.spill_threshold, 64 << 10);
  options.transactions.locks.escalation_threshold = values.lock_escalation_threshold;
  return options;
}

const char* DataDirectory() { return values.datadir; }

txn::Durability CommitDurability() {
  return static_cast<txn::Durability>(values.flush_log_at_trx_commit);
}

bool MyRocksCompatibleFormat(THD* thd) { return THDVAR(thd, myrocks_compatible_format); }

bool LargePrefix() { return values.large_prefix; }

bool IndexTypeIsLsmTree() { return values.index_type_lsmtree; }

uint64_t LockWaitSeconds(THD* thd) { return THDVAR(thd, lock_wait_timeout); }

TableValidation ValidateTables() { return static_cast<TableValidation>(values.validate_tables); }

bool ServerMayStartWithoutEngine() { return values.start_server_without_engine; }

bool HasMyRocksLockingStyle(THD* thd) { return THDVAR(thd, locking_style) == 1; }

}  // namespace basalt::server
