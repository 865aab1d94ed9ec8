// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/statement_logging.h"

#include <string>

namespace basalt::server {

namespace {

Status Refuse(const char* reason) {
  return Status(Code::kNotSupported,
                std::string("the binary log in row format cannot carry this change of a table "
                            "versioned by transaction: ") +
                    reason);
}

// A replica's own log: what the primary has let pass.
bool LogsRows(const THD& thd) {
  return mysql_bin_log.is_open() && (thd.variables.option_bits & OPTION_BIN_LOG) != 0 &&
         !thd.slave_thread && thd.is_current_stmt_binlog_format_row() != 0;
}

// Of these the server logs rows only.
bool IsLoggedByRowsOnly(int command) {
  return command == SQLCOM_DELETE_MULTI || command == SQLCOM_LOAD ||
         command == SQLCOM_CREATE_TABLE || command == SQLCOM_BINLOG_BASE64_EVENT;
}

// DDL copies rows, which are not logged in any format.
bool IsLoggedAsStatement(int command) {
  switch (command) {
    case SQLCOM_INSERT:
    case SQLCOM_INSERT_SELECT:
    case SQLCOM_REPLACE:
    case SQLCOM_REPLACE_SELECT:
    case SQLCOM_UPDATE:
    case SQLCOM_UPDATE_MULTI:
    case SQLCOM_DELETE:
      return true;
    default:
      return false;
  }
}

// Tables whose rows the statement would log beside itself. What foreign keys change is not logged.
bool WritesOtherTables(const THD& thd) {
  for (const TABLE_LIST* each = thd.lex->query_tables; each != nullptr; each = each->next_global) {
    if (each->table == nullptr || each->lock_type < TL_FIRST_WRITE) continue;
    if (each->prelocking_placeholder == TABLE_LIST::PRELOCK_FK) continue;
    if (each->table->s->tmp_table == NO_TMP_TABLE && !each->table->versioned(VERS_TRX_ID)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Status CheckLoggedAsStatement(const TABLE& table) {
  THD* thd = table.in_use;
  if (!LogsRows(*thd)) return Status::Ok();
  // A replica's engine does what foreign keys ask for, whatever the format.
  const TABLE_LIST* place = table.pos_in_table_list;
  if (place != nullptr && place->prelocking_placeholder == TABLE_LIST::PRELOCK_FK) return {};
  const int command = thd_sql_command(thd);
  if (thd->in_sub_stmt != 0) return Refuse("a trigger or a stored function makes it");
  if (IsLoggedByRowsOnly(command)) return Refuse("the server logs no statement of this kind");
  if (!IsLoggedAsStatement(command)) return Status::Ok();
  if (WritesOtherTables(*thd)) return Refuse("the statement also changes other tables");
  if (thd->lex->is_stmt_unsafe()) return Refuse("a replica could change other rows");
  if ((table.file->ha_table_flags() & HA_BINLOG_STMT_CAPABLE) == 0) {
    return Refuse(
        "statements want REPEATABLE READ or SERIALIZABLE, and no locks of MyRocks' style");
  }
  return Status::Ok();
}

}  // namespace basalt::server
