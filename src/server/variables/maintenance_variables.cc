// SPDX-License-Identifier: GPL-2.0-only
//
// Variables that are commands to the running store. A switch among them reads OFF again at once.
#include <rocksdb/statistics.h>

#include <map>
#include <string>
#include <vector>

#include "base/nearest_word.h"
#include "server/error_map.h"
#include "server/variables/system_variables.h"
#include "server/variables/variable_table.h"
#include "store/options/column_family_defaults.h"
#include "store/options/option_string.h"

namespace basalt::server {

namespace {

constexpr unsigned kCommand = kAnyTime;

// Carries out `command` when a switch is set ON. It reads OFF whatever happens.
template <typename Command>
int Carry(void* save, st_mysql_value* value, const char* doing, const Command& command) {
  *static_cast<my_bool*>(save) = 0;
  bool wanted = false;
  if (!GivenSwitch(value, &wanted)) return 1;
  return RunOnDatabase([&](engine::Database& database) {
    return wanted ? ReportError(command(database), doing) : 0;
  });
}

void UpdateNothing(THD*, st_mysql_sys_var*, void*, const void*) {}

int CheckFlushAndLevelZero(THD*, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  return Carry(save, value, "flush of the memtables and compaction of level 0",
               [](engine::Database& database) {
                 Status status = database.store()->flushes().Flush();
                 return status.ok() ? database.store()->compactions().CompactLevelZero()
                                    : std::move(status);
               });
}

// The one command that keeps its value, as in MyRocks.
void UpdateResetStatistics(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<BOOL>(variable, save);
  if (!*static_cast<const BOOL*>(save)) return;
  ApplyToDatabase([](engine::Database& database) {
    ReportError(database.store()->settings().ResetStatistics(), "reset of the counters");
  });
}

int CheckSignalDropIndex(THD*, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  return Carry(save, value, "waking the removal of dropped indexes",
               [](engine::Database& database) {
                 database.reclaimer()->Wake();
                 return Status::Ok();
               });
}

void UpdatePause(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  const bool pause = *static_cast<const my_bool*>(save) != 0;
  const bool paused = *static_cast<my_bool*>(variable) != 0;
  if (pause == paused) return;
  ApplyToDatabase([=](engine::Database& database) {
    const Status status = database.store()->compactions().PauseBackgroundWork(pause);
    if (ReportError(status, "pausing background work") == 0) StoreValue<BOOL>(variable, save);
  });
}

// A command that fails is to the server a value that the variable cannot have (1231): what is wrong
// with it stands in a warning before.
int RefuseValue(THD* thd, const Status& status) {
  if (status.ok()) return 0;
  push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_WRONG_ARGUMENTS, "ROCKSDB: %s",
                      status.ToString().c_str());
  return 1;
}

void WarnOfOldValues(THD* thd, const char* text) {
  const std::string old = store::DescribeOldValues(text);
  if (old.empty()) return;
  push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_WRONG_ARGUMENTS, "ROCKSDB: %s",
                      old.c_str());
}

// Options of a family that no index has made yet, or of one that was to be another.
void WarnOfMissingFamilies(THD* thd, const store::Store& store, const char* text) {
  std::map<std::string, std::string> updates;
  if (!store::ParseColumnFamilyOverrides(text, {}, &updates).ok()) return;
  std::vector<std::string> there;
  for (const auto* family : store.ColumnFamilyHandles()) {
    there.push_back(family->GetName());
  }
  for (const auto& [name, options] : updates) {
    if (store.FindColumnFamily(name) != nullptr) continue;
    const std::string meant = NearestWord(name, there, ToleratedInName(name));
    push_warning_printf(thd, Sql_condition::WARN_LEVEL_NOTE, ER_WRONG_ARGUMENTS,
                        "ROCKSDB: there is no column family '%s' yet: an index that makes it will "
                        "find these options%s%s%s",
                        name.c_str(), meant.empty() ? "" : "; is '", meant.c_str(),
                        meant.empty() ? "" : "' meant?");
  }
}

int UpdateFamilies(THD* thd, store::Store& store, const char* text) {
  if (RefuseValue(thd, store.families().UpdateOptions(text)) != 0) return 1;
  if (WarnsWithoutEffect()) {
    WarnOfOldValues(thd, text);
    WarnOfMissingFamilies(thd, store, text);
  }
  return 0;
}

// NULL says nothing and is kept, as the variable's first value.
int CheckUpdateOptions(THD* thd, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  char buffer[1];
  int length = sizeof(buffer);
  const bool is_null = value->val_str(value, buffer, &length) == nullptr;
  const char* text = GivenText(thd, value);
  *static_cast<const char**>(save) = is_null ? nullptr : text;
  return RunOnDatabase([thd, text](engine::Database& database) {
    return UpdateFamilies(thd, *database.store(), text);
  });
}

Status DropColumnFamily(engine::Database& database, const std::string& name) {
  if (!database.transactions()->DetachedNames().empty()) {
    return Status(Code::kInvalidArgument,
                  "there are prepared transactions, which may have writes for it; XA RECOVER");
  }
  return database.catalog()->DropColumnFamily(name);
}

int CheckDeleteFamily(THD* thd, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  const std::string name = GivenText(thd, value);
  *static_cast<const char**>(save) = "";
  if (name.empty()) return 0;
  return RunOnDatabase([thd, &name](engine::Database& database) {
    return RefuseValue(thd, DropColumnFamily(database, name));
  });
}

// clang-format off
#define BASALT_MAINTENANCE_VARIABLES(GLOBAL, SESSION)                                              \
  GLOBAL(STR, delete_cf, kCommand,                                                                 \
         "Setting it deletes the column family of that name, which no index may use",              \
         CheckDeleteFamily, UpdateNothing, "")                                                     \
  GLOBAL(BOOL, force_flush_memtable_and_lzero_now, kCommand,                                       \
         "Setting it writes all memtables to table files, and those of level 0 to the next level", \
         CheckFlushAndLevelZero, UpdateNothing, 0)                                                 \
  GLOBAL(BOOL, pause_background_work, kAnyTime,                                                    \
         "Neither flushes nor compactions run; a full memtable then stops whoever writes",         \
         nullptr, UpdatePause, 0)                                                                  \
  GLOBAL(BOOL, reset_stats, kCommand, "Setting it sets RocksDB's counters to zero",                \
         nullptr, UpdateResetStatistics, 0)                                                        \
  GLOBAL(BOOL, signal_drop_index_thread, kCommand,                                                 \
         "Setting it wakes the thread that frees the space of dropped indexes",                    \
         CheckSignalDropIndex, UpdateNothing, 0)                                                   \
  GLOBAL(STR, update_cf_options, kAnyTime | PLUGIN_VAR_MEMALLOC,  \
         "Setting it changes options of column families, also of those made later, until the "     \
         "server ends: cf1={...};cf2={...}",                                                       \
         CheckUpdateOptions, nullptr, nullptr)
// clang-format on

BASALT_DEFINE_VARIABLES(BASALT_MAINTENANCE_VARIABLES)

void LogIfGiven(bool given, const char* name) {
  if (!given) return;
  sql_print_warning(
      "ROCKSDB: rocksdb_%s has no effect at start: it is a command to the running "
      "server",
      name);
}

}  // namespace

void LogMaintenanceSettings() {
  LogIfGiven(values.delete_cf != nullptr && *values.delete_cf != 0, "delete_cf");
  LogIfGiven(values.force_flush_memtable_and_lzero_now, "force_flush_memtable_and_lzero_now");
  LogIfGiven(values.pause_background_work, "pause_background_work");
  LogIfGiven(values.reset_stats, "reset_stats");
  LogIfGiven(values.signal_drop_index_thread, "signal_drop_index_thread");
  LogIfGiven(values.update_cf_options != nullptr && *values.update_cf_options != 0,
             "update_cf_options");
  values.force_flush_memtable_and_lzero_now = values.pause_background_work = 0;
  values.reset_stats = values.signal_drop_index_thread = 0;
}

void AppendMaintenanceVariables(std::vector<st_mysql_sys_var*>* list) {
  AppendVariables(variables, list);
}

}  // namespace basalt::server
