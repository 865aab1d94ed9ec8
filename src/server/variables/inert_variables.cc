// SPDX-License-Identifier: GPL-2.0-only
#include "server/variables/inert_variables.h"

#include <cstring>

#include "server/variables/system_variables.h"
#include "server/variables/variable_table.h"

namespace basalt::server {

namespace {

const char* const kWritePolicies[] = {"write_committed", "write_prepared", "write_unprepared",
                                      nullptr};
TYPELIB write_policies = {3, "write policies", const_cast<const char**>(kWritePolicies), nullptr};

constexpr unsigned kText = PLUGIN_VAR_RQCMDARG | PLUGIN_VAR_MEMALLOC;
constexpr unsigned kOptionalText = PLUGIN_VAR_OPCMDARG | PLUGIN_VAR_MEMALLOC;

void Warn(THD* thd, const char* name, const char* reason) {
  if (!WarnsWithoutEffect()) return;
  push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_UNKNOWN_ERROR,
                      "ROCKSDB: rocksdb_%s has no effect: %s", name, reason);
}

// --- The table. Like those of variable_table.h, with the reason why there is nothing to set in the
//     place of text, check and update. ---
// clang-format off
#define BASALT_INERT(GLOBAL, SESSION)                                                              \
  GLOBAL(UINT, access_hint_on_compaction_start, kAtStart,                                          \
         "RocksDB has no such option any more", 1, 0, 3, 0)                                        \
  GLOBAL(BOOL, cache_dump, kAtStart,                                                               \
         "what a core file holds is the operating system's to say", 1)                             \
  GLOBAL(DOUBLE, cache_high_pri_pool_ratio, kAtStart,                                              \
         "the block cache has no pools; index and filter blocks of open files are pinned",         \
         0, 0, 1, 0)                                                                               \
  GLOBAL(BOOL, collect_sst_properties, kAtStart,                                                   \
         "statistics are always collected when table files are written", 1)                        \
  GLOBAL(BOOL, create_missing_column_families, kAtStart,                                           \
         "the families that the engine needs are always made", 0)                                  \
  GLOBAL(UINT, debug_manual_compaction_delay, kAnyTime,                                            \
         "compactions are never delayed", 0, 0, UINT_MAX, 0)                                       \
  GLOBAL(BOOL, debug_optimizer_no_zero_cardinality, kAnyTime,                                      \
         "an index with rows never has a cardinality of zero", 1)                                  \
  GLOBAL(BOOL, enable_2pc, kAnyTime,                                                               \
         "two-phase commit with the binary log is always on", 1)                                   \
  GLOBAL(BOOL, enable_bulk_load_api, kAtStart,                                                     \
         "bulk loads always write table files", 1)                                                 \
  GLOBAL(BOOL, enable_insert_with_update_caching, kSwitchAnyTime,                                  \
         "INSERT .. ON DUPLICATE KEY UPDATE always reads the row once", 1)                         \
  GLOBAL(BOOL, error_on_suboptimal_collation, kSwitchAtStart,                                      \
         "indexes on all collations can be read alone", 1)                                         \
  GLOBAL(BOOL, force_compute_memtable_stats, kAnyTime,                                             \
         "estimates always include memtables", 1)                                                  \
  GLOBAL(UINT, force_compute_memtable_stats_cachetime, kAnyTime,                                   \
         "estimates always include memtables", 60 * 1000 * 1000, 0, INT_MAX, 0)                    \
  GLOBAL(BOOL, hash_index_allow_collision, kAtStart,                                               \
         "RocksDB has no such option any more", 1)                                                 \
  GLOBAL(UINT, ignore_datadic_errors, kAtStart,                                                    \
         "a dictionary that contradicts itself is refused; rocksdb_validate_tables mends what "    \
         "can be mended", 0, 0, 1, 0)                                                              \
  GLOBAL(BOOL, ignore_unknown_options, kSwitchAtStart,                                             \
         "options of a store are taken from variables, and unknown ones refused", 1)               \
  GLOBAL(UINT, io_write_timeout, kAnyTime,                                                         \
         "a write that takes long is waited for; nothing ends the server", 0, 0, UINT_MAX, 0)      \
  GLOBAL(UINT, max_manual_compactions, kAnyTime,                                                   \
         "a manual compaction belongs to the statement that asks for it", 10, 0, UINT_MAX, 0)      \
  GLOBAL(BOOL, new_table_reader_for_compaction_inputs, kAtStart,                                   \
         "RocksDB has no such option any more", 0)                                                 \
  GLOBAL(STR, persistent_cache_path, kAtStart,                                                     \
         "RocksDB's persistent cache is not used", "")                                             \
  GLOBAL(ULONGLONG, persistent_cache_size_mb, kAtStart,                                            \
         "RocksDB's persistent cache is not used", 0, 0, ULLONG_MAX, 0)                            \
  GLOBAL(UINT, seconds_between_stat_computes, kAnyTime,                                            \
         "statistics are renewed when a tenth of a table has changed", 3600, 0, UINT_MAX, 0)       \
  GLOBAL(LONGLONG, sim_cache_size, kAtStart,                                                       \
         "no other cache is simulated", 0, 0, LLONG_MAX, 0)                                        \
  GLOBAL(ULONGLONG, sst_mgr_rate_bytes_per_sec, kAnyTime,                                          \
         "files that nobody needs any more are deleted at once", 0, 0, ULLONG_MAX, 0)              \
  GLOBAL(UINT, stats_recalc_rate, kAnyTime,                                                        \
         "statistics are renewed when a tenth of a table has changed", 0, 0, UINT_MAX, 0)          \
  GLOBAL(BOOL, strict_collation_check, kAnyTime,                                                   \
         "indexes on all collations are allowed", 1)                                               \
  GLOBAL(STR, strict_collation_exceptions, kText,                                                  \
         "indexes on all collations are allowed", "")                                              \
  GLOBAL(UINT, table_stats_sampling_pct, kAnyTime,                                                 \
         "small indexes are counted whole, of large ones an eighth", 10, 0, 100, 0)                \
  GLOBAL(BOOL, use_clock_cache, kAtStart,                                                          \
         "the block cache always is RocksDB's HyperClockCache", 0)                                 \
  GLOBAL(ENUM, write_policy, kAtStart,                                                             \
         "the policy is write_committed", 0, &write_policies)                                      \
  SESSION(BOOL, blind_delete_primary_key, kAnyTime,                                                \
          "a DELETE looks whether there is a row", 0)                                              \
  SESSION(BOOL, bulk_load_allow_sk, kAnyTime,                                                      \
          "a bulk load takes all indexes", 0)                                                      \
  SESSION(ULONG, bulk_load_size, kAnyTime,                                                         \
          "rocksdb_merge_buf_size bounds the memory of a load", 1000, 1, 1024 * 1024 * 1024, 0)    \
  SESSION(INT, checksums_pct, kAnyTime,                                                            \
          "blocks of table files have checksums; rows get none of their own", 100, 0, 100, 0)      \
  SESSION(BOOL, commit_in_the_middle, kAnyTime,                                                    \
          "statements of any size are whole, and bounded in memory", 0)                            \
  SESSION(BOOL, commit_time_batch_for_recovery, kAnyTime,                                          \
          "the policy is write_committed", 1)                                                      \
  SESSION(ULONGLONG, deadlock_detect_depth, kAnyTime,                                              \
          "cycles of lock waits are found whatever their length", 50, 2, ULLONG_MAX, 0)            \
  SESSION(BOOL, master_skip_tx_api, kAnyTime,                                                      \
          "every change takes its row lock", 0)                                                    \
  SESSION(ULONGLONG, max_row_locks, kAnyTime,                                                      \
          "transactions have no limit of row locks; see rocksdb_lock_escalation_threshold",        \
          1048576, 1, 1024 * 1024 * 1024, 0)                                                       \
  SESSION(ULONGLONG, merge_combine_read_size, kAnyTime,                                            \
          "a merge reads 256 KiB of each run at a time", kGiB, 100, ULLONG_MAX, 1)                 \
  SESSION(ULONGLONG, merge_tmp_file_removal_delay_ms, kAnyTime,                                    \
          "temporary files are removed at once", 0, 0, ULLONG_MAX, 1)                              \
  SESSION(BOOL, skip_bloom_filter_on_read, kAnyTime,                                               \
          "filters are used wherever they can be", 0)                                              \
  SESSION(STR, skip_unique_check_tables, kText,                                                    \
          "unique keys are always checked", ".*")                                                  \
  SESSION(BOOL, store_row_debug_checksums, kAnyTime,                                               \
          "blocks of table files have checksums; rows get none of their own", 0)                   \
  SESSION(STR, tmpdir, kOptionalText,                                                              \
          "nothing is sorted outside the store", "")                                               \
  SESSION(BOOL, trace_sst_api, kAnyTime,                                                           \
          "bulk loads are not traced", 0)                                                          \
  SESSION(BOOL, verify_row_debug_checksums, kAnyTime,                                              \
          "checksums of rows, which MyRocks may have written, are passed over; CHECK TABLE "       \
          "reads the blocks' own", 0)                                                              \
  SESSION(ULONGLONG, write_batch_max_bytes, kAnyTime,                                              \
          "transactions have no limit of bytes; see rocksdb_spill_threshold",                      \
          0, 0, ULLONG_MAX, 1)                                                                     \
  SESSION(BOOL, write_disable_wal, kAnyTime,                                                       \
          "every change is logged", 0)                                                             \
  SESSION(BOOL, write_ignore_missing_column_families, kAnyTime,                                    \
          "a column family of an index is never missing", 0)
// clang-format on

// The server keeps a copy of a text (PLUGIN_VAR_MEMALLOC).
template <typename T>
constexpr bool kIsText = std::is_same_v<T, STR>;

#define BASALT_INERT_CHECK(type, name, reason) \
  (kIsText<type> ? [](THD* thd, st_mysql_sys_var*, void* save,                   \
                      st_mysql_value* value) {                                   \
    *static_cast<const char**>(save) = GivenText(thd, value);                    \
    Warn(thd, #name, reason);                                                    \
    return 0;                                                                    \
  } : static_cast<mysql_var_check_func>(nullptr))
#define BASALT_INERT_UPDATE(type, name, reason)                                        \
  (kIsText<type> ? static_cast<mysql_var_update_func>(nullptr)                         \
                 : [](THD* thd, st_mysql_sys_var*, void* variable, const void* save) { \
                     StoreValue<type>(variable, save);                                 \
                     Warn(thd, #name, reason);                                         \
                   })
#define BASALT_INERT_VALUE(type, name, ...) type name;
#define BASALT_INERT_GLOBAL(type, name, flags, reason, ...)                \
  MYSQL_SYSVAR_##type(name, values.name, flags, "Without effect: " reason, \
                      BASALT_INERT_CHECK(type, name, reason),              \
                      BASALT_INERT_UPDATE(type, name, reason), __VA_ARGS__);
#define BASALT_INERT_SESSION(type, name, flags, reason, ...)  \
  MYSQL_THDVAR_##type(name, flags, "Without effect: " reason, \
                      BASALT_INERT_CHECK(type, name, reason), \
                      BASALT_INERT_UPDATE(type, name, reason), __VA_ARGS__);

struct Values {
  BASALT_INERT(BASALT_INERT_VALUE, BASALT_NO_VALUE)
};
Values values;
BASALT_INERT(BASALT_INERT_GLOBAL, BASALT_INERT_SESSION)
st_mysql_sys_var* const variables[] = {BASALT_INERT(BASALT_VARIABLE_ENTRY, BASALT_VARIABLE_ENTRY)};

template <typename T, typename Standard>
bool Same(T value, const Standard& standard) {
  if constexpr (kIsText<T>) {
    return value == nullptr || std::strcmp(value, standard) == 0;
  } else {
    return value == static_cast<T>(standard);
  }
}

void LogUnlessSame(bool same, const char* name, const char* reason) {
  if (!same) sql_print_information("ROCKSDB: rocksdb_%s has no effect: %s", name, reason);
}

}  // namespace

void AppendInertVariables(std::vector<st_mysql_sys_var*>* list) {
  AppendVariables(variables, list);
}

#define BASALT_LOG_GLOBAL(type, name, flags, reason, standard, ...) \
  LogUnlessSame(Same(values.name, standard), #name, reason);
#define BASALT_LOG_SESSION(type, name, flags, reason, standard, ...) \
  LogUnlessSame(Same(THDVAR(nullptr, name), standard), #name, reason);

void LogInertSettings() { BASALT_INERT(BASALT_LOG_GLOBAL, BASALT_LOG_SESSION) }

}  // namespace basalt::server
