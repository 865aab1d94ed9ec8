// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "server/plugin_state.h"
#include "server/server_headers.h"

namespace basalt::server {

// How a file of variables turns its table into what the server wants. A table is a macro with two
// parameters, GLOBAL and SESSION, that is a list of
//
//   GLOBAL(type, name, flags, text, check, update, default[, min, max, block])
//   SESSION(likewise)
//
// `type` is one of the words below, `name` is without "rocksdb_", `text` is what users read in
// information_schema.SYSTEM_VARIABLES and in docs/variables.md, which is made from it. The text of
// a variable that is accepted for the sake of old option files begins with kWithoutEffect.
//
// BASALT_DEFINE_VARIABLES(TABLE) declares all of it in an anonymous namespace: `values`, which has
// a member for each global variable, the server's structures, and the array `variables`, which
// AppendVariables puts into the plugin's list. Variables live as long as the process.

inline constexpr unsigned long long kMiB = 1ull << 20;
inline constexpr unsigned long long kGiB = 1ull << 30;
inline constexpr unsigned long long kLargestSigned = ULLONG_MAX / 2;

// Flags: set at start only; a switch that may stand without a value; set at any time.
inline constexpr unsigned kAtStart = PLUGIN_VAR_RQCMDARG | PLUGIN_VAR_READONLY;
inline constexpr unsigned kSwitchAtStart = PLUGIN_VAR_OPCMDARG | PLUGIN_VAR_READONLY;
inline constexpr unsigned kAnyTime = PLUGIN_VAR_RQCMDARG;
inline constexpr unsigned kSwitchAnyTime = PLUGIN_VAR_OPCMDARG;
// An option of the command line and the option file that SHOW VARIABLES does not have.
inline constexpr unsigned kHiddenAtStart = kAtStart | PLUGIN_VAR_NOSYSVAR;

// The types of the server's variable macros.
using STR = char*;
using BOOL = my_bool;
using INT = int;
using UINT = unsigned int;
using LONGLONG = long long;
using ULONG = unsigned long;
using ULONGLONG = unsigned long long;
using DOUBLE = double;
using ENUM = unsigned long;

#define BASALT_GLOBAL_VALUE(type, name, ...) type name;
#define BASALT_NO_VALUE(type, name, ...)
#define BASALT_GLOBAL_VARIABLE(type, name, ...) MYSQL_SYSVAR_##type(name, values.name, __VA_ARGS__);
#define BASALT_SESSION_VARIABLE(type, name, ...) MYSQL_THDVAR_##type(name, __VA_ARGS__);
#define BASALT_VARIABLE_ENTRY(type, name, ...) MYSQL_SYSVAR(name),

#define BASALT_DEFINE_VARIABLES(TABLE)                   \
  struct Values {                                        \
    TABLE(BASALT_GLOBAL_VALUE, BASALT_NO_VALUE)          \
  };                                                     \
  Values values;                                         \
  TABLE(BASALT_GLOBAL_VARIABLE, BASALT_SESSION_VARIABLE) \
  st_mysql_sys_var* const variables[] = {TABLE(BASALT_VARIABLE_ENTRY, BASALT_VARIABLE_ENTRY)};

template <size_t count>
void AppendVariables(st_mysql_sys_var* const (&variables)[count],
                     std::vector<st_mysql_sys_var*>* list) {
  for (st_mysql_sys_var* variable : variables) list->push_back(variable);
}

// Sets a variable, as the server does where a table names no update function.
template <typename T>
void StoreValue(void* variable, const void* save) {
  *static_cast<T*>(variable) = *static_cast<const T*>(save);
}

// The text that a SET gives a variable, "" for NULL: memory of the statement, which a check
// function may leave in *save.
const char* GivenText(THD* thd, st_mysql_value* value);
// A BOOL that a SET gives, ON and OFF included; false in *given for what is neither.
bool GivenSwitch(st_mysql_value* value, bool* given);

// The two ways in which a variable reaches the running database. Without one, a new value counts
// when the next database is opened.
//
// For update functions: calls `change` with the database; does nothing without one.
template <typename Change>
void ApplyToDatabase(const Change& change) {
  engine::Database* const database = RunningDatabase();
  if (database != nullptr) change(*database);
}
// For check functions of variables that are commands: returns what `command` returns for the
// database, 0 or 1; without one it returns 1. The server takes 1 for a refusal.
template <typename Command>
int RunOnDatabase(const Command& command) {
  engine::Database* const database = RunningDatabase();
  return database == nullptr ? 1 : command(*database);
}

// Writes a line to the error log for each command among the maintenance variables that the option
// file or the command line gives: they are carried out only when they are set at run time.
void LogMaintenanceSettings();

// --- The subjects, one file each. Each appends its variables to the plugin's list. ---
void AppendDatabaseVariables(std::vector<st_mysql_sys_var*>* list);
void AppendTableFileVariables(std::vector<st_mysql_sys_var*>* list);
void AppendSessionVariables(std::vector<st_mysql_sys_var*>* list);
void AppendFullTextVariables(std::vector<st_mysql_sys_var*>* list);
void AppendMaintenanceVariables(std::vector<st_mysql_sys_var*>* list);
void AppendBulkLoadVariables(std::vector<st_mysql_sys_var*>* list);
void AppendInertVariables(std::vector<st_mysql_sys_var*>* list);

}  // namespace basalt::server
