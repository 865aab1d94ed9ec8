// SPDX-License-Identifier: GPL-2.0-only
//
// Variables of a connection's statements, and those that say how failures are dealt with.
#include "server/variables/system_variables.h"
#include "server/variables/variable_table.h"

namespace basalt::server {

namespace {

void UpdateKeptDeadlocks(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<UINT>(variable, save);
  ApplyToDatabase([save](engine::Database& database) {
    database.transactions()->waits()->KeepReports(*static_cast<const UINT*>(save));
  });
}

const char* const kReadFreeModes[] = {"OFF", "PK_ONLY", "PK_SK", nullptr};
TYPELIB read_free_modes = {3, "read free modes", const_cast<const char**>(kReadFreeModes), nullptr};

// clang-format off
#define BASALT_SESSION_VARIABLES(GLOBAL, SESSION)                                                  \
  GLOBAL(UINT, debug_optimizer_n_rows, kHiddenAtStart,                                             \
         "For tests: the optimizer is told that every table has so many rows; 0: as it is",        \
         nullptr, nullptr, 0, 0, INT_MAX, 0)                                                       \
  GLOBAL(UINT, max_latest_deadlocks, kAnyTime,                                                     \
         "Deadlocks that information_schema.ROCKSDB_DEADLOCK remembers",                           \
         nullptr, UpdateKeptDeadlocks, 5, 0, UINT_MAX, 0)                                          \
  GLOBAL(BOOL, no_create_column_family, kSwitchAnyTime,                                            \
         "CREATE and ALTER that name a column family that is not there are refused",               \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(BOOL, print_snapshot_conflict_queries, kAnyTime,                                          \
         "Statements that fail because a row has changed since the snapshot "                      \
         "(rocksdb_locking_style=MYROCKS) are written to the error log",                           \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(ENUM, read_free_rpl, kAnyTime,                                                            \
         "A replica applies row events with whole before images without reading the rows: OFF "    \
         "never, PK_ONLY in tables with a primary key alone, PK_SK in all that have one. Where "   \
         "the replica differs from its primary, no error says so any more",                        \
         nullptr, nullptr, 0, &read_free_modes)                                                    \
  GLOBAL(BOOL, rollback_on_timeout, kSwitchAnyTime,                                                \
         "A lock wait timeout rolls the whole transaction back, not only the statement",           \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(BOOL, warn_without_effect, kSwitchAnyTime,                                                \
         "A warning says so where a variable or a clause is accepted that has no effect; OFF: as " \
         "in MyRocks, which says nothing",                                                         \
         nullptr, nullptr, 1)                                                                      \
  SESSION(UINT, force_index_records_in_range, kAnyTime,                                            \
          "With FORCE INDEX every range is estimated to have so many rows; 0: as others",          \
          nullptr, nullptr, 0, 0, INT_MAX, 0)                                                      \
  SESSION(BOOL, lock_scanned_rows, kAnyTime,                                                       \
          "Rows that a statement locks and then finds not to match stay locked",                   \
          nullptr, nullptr, 0)                                                                     \
  SESSION(INT, manual_compaction_threads, kAnyTime,                                                \
          "Threads that share a compaction by SET GLOBAL rocksdb_compact_cf; 0: one, or "          \
          "rocksdb_max_subcompactions",                                                            \
          nullptr, nullptr, 0, 0, 128, 0)                                                          \
  SESSION(INT, perf_context_level, kAnyTime,                                                       \
          "How much of a statement's work is measured for "                                        \
          "information_schema.ROCKSDB_PERF_CONTEXT: 0 and 1 nothing, 2 counters, 3 to 5 also "     \
          "times",                                                                                 \
          nullptr, nullptr, 0, 0, 5, 0)                                                            \
  SESSION(UINT, records_in_range, kAnyTime,                                                        \
          "Every range is estimated to have so many rows; 0: by statistics",                       \
          nullptr, nullptr, 0, 0, INT_MAX, 0)                                                      \
  SESSION(BOOL, skip_fill_cache, kAnyTime,                                                         \
          "Reads leave the block cache as it is",                                                  \
          nullptr, nullptr, 0)                                                                     \
  SESSION(BOOL, unsafe_for_binlog, kAnyTime,                                                       \
          "Statements may be logged as such also where ranges are not locked (READ COMMITTED, "    \
          "rocksdb_locking_style=MYROCKS): a replica may then find other rows",                    \
          nullptr, nullptr, 0)
// clang-format on

BASALT_DEFINE_VARIABLES(BASALT_SESSION_VARIABLES)

}  // namespace

void AppendSessionVariables(std::vector<st_mysql_sys_var*>* list) {
  AppendVariables(variables, list);
}

uint32_t KeptDeadlocks() { return values.max_latest_deadlocks; }
uint64_t RowsToldToOptimizer() { return values.debug_optimizer_n_rows; }
bool MayCreateColumnFamilies() { return !values.no_create_column_family; }
bool UnsafeForBinlog(THD* thd) { return THDVAR(thd, unsafe_for_binlog); }
bool WarnsWithoutEffect() { return values.warn_without_effect; }
bool PrintSnapshotConflicts() { return values.print_snapshot_conflict_queries; }
ReadFreeApply ReadFreeApplyMode() { return static_cast<ReadFreeApply>(values.read_free_rpl); }
bool RollbackOnTimeout() { return values.rollback_on_timeout; }

uint64_t RecordsInRange(THD* thd, bool forced_index) {
  const uint64_t any = THDVAR(thd, records_in_range);
  if (any != 0 || !forced_index) return any;
  return THDVAR(thd, force_index_records_in_range);
}

bool LockScannedRows(THD* thd) { return THDVAR(thd, lock_scanned_rows); }
uint32_t ManualCompactionThreads(THD* thd) {
  return static_cast<uint32_t>(THDVAR(thd, manual_compaction_threads));
}
int PerfContextLevel(THD* thd) { return THDVAR(thd, perf_context_level); }
bool SkipFillCache(THD* thd) { return THDVAR(thd, skip_fill_cache); }

}  // namespace basalt::server
