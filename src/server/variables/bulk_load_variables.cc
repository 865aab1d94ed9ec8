// SPDX-License-Identifier: GPL-2.0-only
//
// Variables of bulk loads: docs/bulk-load.md.
#include <atomic>

#include "server/variables/system_variables.h"
#include "server/variables/variable_table.h"

namespace basalt::server {

namespace {

std::atomic<LoadFinisher> finish_load{nullptr};

void UpdateBulkLoad(THD* thd, st_mysql_sys_var*, void* variable, const void* save);
int CheckBulkLoadOrder(THD* thd, st_mysql_sys_var*, void* save, st_mysql_value* value);

// clang-format off
#define BASALT_BULK_LOAD_VARIABLES(GLOBAL, SESSION)                                                \
  SESSION(BOOL, auto_bulk_load, kSwitchAnyTime,                                                    \
          "Statements that write much do so by table files; into an empty table without row "      \
          "locks, unique look-ups and log",                                                        \
          nullptr, nullptr, 1)                                                                     \
  SESSION(BOOL, bulk_load, kAnyTime,                                                               \
          "Rows of INSERT and LOAD DATA are gathered, sorted into table files, and seen when it "  \
          "is turned off",                                                                         \
          nullptr, UpdateBulkLoad, 0)                                                              \
  SESSION(BOOL, bulk_load_allow_unsorted, kAnyTime,                                                \
          "With rocksdb_bulk_load: rows need not come in the order of the primary key",            \
          CheckBulkLoadOrder, nullptr, 0)                                                          \
  SESSION(ULONGLONG, merge_buf_size, kAnyTime,                                                     \
          "Bytes of index entries that a load sorts in memory before it writes them out; "                    \
          "at least 1 MiB",                                                                              \
          nullptr, nullptr, 64 * kMiB, 100, ULLONG_MAX, 1)
// clang-format on

// As BASALT_DEFINE_VARIABLES, but for values: none is global.
BASALT_BULK_LOAD_VARIABLES(BASALT_NO_VALUE, BASALT_SESSION_VARIABLE)
st_mysql_sys_var* const variables[] = {
    BASALT_BULK_LOAD_VARIABLES(BASALT_NO_VALUE, BASALT_VARIABLE_ENTRY)};

// The variable is off whatever becomes of the load, whose error is that of the SET. For a session's
// variable the server calls without a mutex, so that a load may take long to end.
void UpdateBulkLoad(THD* thd, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<BOOL>(variable, save);
  if (thd == nullptr || *static_cast<const BOOL*>(save) || variable != &THDVAR(thd, bulk_load)) {
    return;
  }
  if (const LoadFinisher finish = finish_load.load()) finish(thd);
}

// The rows so far were taken under the other promise.
int CheckBulkLoadOrder(THD* thd, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  bool on = false;
  if (!GivenSwitch(value, &on)) return 1;
  *static_cast<my_bool*>(save) = on;
  if (!THDVAR(thd, bulk_load)) return 0;
  my_error(ER_ERROR_WHEN_EXECUTING_COMMAND, MYF(0), "SET",
           "Cannot change this setting while bulk load is enabled");
  return 1;
}

}  // namespace

void AppendBulkLoadVariables(std::vector<st_mysql_sys_var*>* list) {
  AppendVariables(variables, list);
}

void FinishLoadsBy(LoadFinisher finish) { finish_load.store(finish); }

bool AutoBulkLoad(THD* thd) { return THDVAR(thd, auto_bulk_load); }
bool BulkLoad(THD* thd) { return THDVAR(thd, bulk_load); }
bool BulkLoadAllowsUnsorted(THD* thd) { return THDVAR(thd, bulk_load_allow_unsorted); }
size_t MergeBufferBytes(THD* thd) { return THDVAR(thd, merge_buf_size); }

}  // namespace basalt::server
