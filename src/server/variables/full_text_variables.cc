// SPDX-License-Identifier: GPL-2.0-only
//
// Variables that say which words a FULLTEXT index has that is made from now on, and how rows rank.
#include <string>

#include "server/variables/full_text_variables.h"
#include "server/variables/variable_table.h"

namespace basalt::server {

namespace {

constexpr unsigned kTableName = PLUGIN_VAR_OPCMDARG | PLUGIN_VAR_MEMALLOC;

// "database/table" of a table of this engine, as in InnoDB in the encoding of file names; or
// nothing. Its columns are looked at when an index is made.
int CheckTableName(THD* thd, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  const char* text = GivenText(thd, value);
  *static_cast<const char**>(save) = text;
  const std::string name = text;
  if (name.empty()) return 0;
  const size_t slash = name.find('/');
  if (slash == std::string::npos) return 1;
  const std::string known = std::string(name).replace(slash, 1, ".");
  return RunOnDatabase([&known](engine::Database& database) {
    return database.catalog()->FindTable(known) == nullptr ? 1 : 0;
  });
}

const char* const kRankFormulas[] = {"INNODB", "BM25", nullptr};
TYPELIB rank_formulas = {2, "formulas of ranks", const_cast<const char**>(kRankFormulas), nullptr};

// clang-format off
#define BASALT_FULL_TEXT_VARIABLES(GLOBAL, SESSION)                                                \
  GLOBAL(UINT, ft_max_token_size, kAtStart,                                                        \
         "FULLTEXT indexes that are made from now on have no longer words, in characters",         \
         nullptr, nullptr, 84, 10, 84, 0)                                                          \
  GLOBAL(UINT, ft_min_token_size, kAtStart,                                                        \
         "FULLTEXT indexes that are made from now on have no shorter words, in characters",        \
         nullptr, nullptr, 3, 0, 16, 0)                                                            \
  GLOBAL(STR, ft_server_stopword_table, kTableName,                                                \
         "The words in the column value of this table, as database/table, are left out of "        \
         "FULLTEXT indexes that are made from now on; empty: 36 common English words",             \
         CheckTableName, nullptr, nullptr)                                                         \
  SESSION(BOOL, ft_enable_stopword, kSwitchAnyTime,                                                \
          "OFF: FULLTEXT indexes that the connection makes have all words, stop words too",        \
          nullptr, nullptr, 1)                                                                     \
  SESSION(ENUM, ft_rank, PLUGIN_VAR_RQCMDARG,                                                      \
          "How MATCH ranks rows. INNODB: by InnoDB's formula. BM25: a word's weight does not grow " \
          "without bound with how often it stands in a row, and long rows count less",             \
          nullptr, nullptr, 0, &rank_formulas)                                                     \
  SESSION(STR, ft_user_stopword_table, kTableName,                                                 \
          "Goes before rocksdb_ft_server_stopword_table, where it is not empty",                   \
          CheckTableName, nullptr, nullptr)
// clang-format on

BASALT_DEFINE_VARIABLES(BASALT_FULL_TEXT_VARIABLES)

}  // namespace

void AppendFullTextVariables(std::vector<st_mysql_sys_var*>* list) {
  AppendVariables(variables, list);
}

size_t LeastWordCharacters() { return values.ft_min_token_size; }
size_t MostWordCharacters() { return values.ft_max_token_size; }
engine::RankFormula RankFormulaOf(THD* thd) {
  return static_cast<engine::RankFormula>(THDVAR(thd, ft_rank));
}
bool LeavesOutStopWords(THD* thd) { return THDVAR(thd, ft_enable_stopword); }

// The server changes a global text only under this lock.
std::string StopWordTable(THD* thd) {
  const char* user = THDVAR(thd, ft_user_stopword_table);
  if (user != nullptr && *user != '\0') return user;
  mysql_mutex_lock(&LOCK_global_system_variables);
  const char* table = values.ft_server_stopword_table;
  std::string name = table == nullptr ? "" : table;
  mysql_mutex_unlock(&LOCK_global_system_variables);
  return name;
}

}  // namespace basalt::server
