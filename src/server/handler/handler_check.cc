// SPDX-License-Identifier: GPL-2.0-only
//
// CHECK TABLE and REPAIR TABLE: the words of the statements, and the answers to the client. The
// work is in engine/table_check and engine/table_repair.
#include <string>
#include <utility>

#include "engine/checks/table_check.h"
#include "engine/checks/table_repair.h"
#include "server/error_map.h"
#include "server/foreign_keys/orphan_report.h"
#include "server/handler/handler.h"
#include "server/measures/statement_progress.h"
#include "server/tables/table_name.h"

namespace basalt::server {

namespace {

// FAST and CHANGED mean tables that were not closed properly, or have changed since they were
// checked; the engine does not keep track of either, so it checks, as without a word.
engine::CheckDepth DepthOf(const HA_CHECK_OPT& options) {
  if (options.flags & T_QUICK) return engine::CheckDepth::kQuick;
  if (options.flags & T_EXTEND) return engine::CheckDepth::kExtended;
  return engine::CheckDepth::kMedium;
}

// The client's result names the table, but not the partition.
std::string ForClient(const std::string& table, const std::string& line) {
  const std::string_view partition = PartitionOf(table);
  return partition.empty() ? line : "partition " + std::string(partition) + ": " + line;
}

// To the client, where the statement's result has a line for each warning, and to the error log,
// where others look for it later.
void ReportFindings(THD* thd, const std::string& table, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_NOT_KEYFILE,
                 ForClient(table, line).c_str());
    sql_print_error("ROCKSDB: table %s, %s", table.c_str(), line.c_str());
  }
}

// Rows without a parent are no damage: what they say is up to the user.
void ReportOrphans(THD* thd, const std::string& table, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_NO_REFERENCED_ROW_2, line.c_str());
    sql_print_warning("ROCKSDB: table %s, %s", table.c_str(), line.c_str());
  }
}

engine::RepairDepth RepairDepthOf(const HA_CHECK_OPT& options) {
  if (options.flags & T_QUICK) return engine::RepairDepth::kQuick;
  if (options.flags & T_EXTEND) return engine::RepairDepth::kExtended;
  return engine::RepairDepth::kMedium;
}

void ReportDone(THD* thd, const std::string& table, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    push_warning(thd, Sql_condition::WARN_LEVEL_NOTE, ER_UNKNOWN_ERROR,
                 ForClient(table, line).c_str());
    sql_print_information("ROCKSDB: table %s: %s", table.c_str(), line.c_str());
  }
}

}  // namespace

int Handler::check(THD* thd, HA_CHECK_OPT* options) {
  StatementProgress progress(thd);
  engine::TableCheck check(table_data(), session()->transaction(), DepthOf(*options), &progress,
                           open_.virtual_parts());
  OrphanReport orphans(thd, {open_.engine_table(), table, open_.virtual_parts()}, &progress);
  progress.Start(check.max_stages() + orphans.stages());
  Status status = Measured([&] { return check.Run(); });
  ReportFindings(thd, table_data()->name(), check.findings().Lines());
  if (status.ok() && !check.findings().empty()) return HA_ADMIN_CORRUPT;
  if (status.ok() && DepthOf(*options) == engine::CheckDepth::kExtended) {
    status = Measured([&] { return orphans.Run(); });
    ReportOrphans(thd, table_data()->name(), orphans.lines());
  }
  if (status.ok()) return HA_ADMIN_OK;
  // What kept a parent's metadata lock from being taken, the server has said.
  if (!thd->is_error()) ReportError(status, "CHECK TABLE");
  return HA_ADMIN_FAILED;
}

// The server has the table's metadata lock exclusively: nobody else uses it.
int Handler::repair(THD* thd, HA_CHECK_OPT* options) {
  if (options->sql_flags & TT_USEFRM) return HA_ADMIN_INVALID;  // no definition was ever lost
  if (table_data()->traits().temporary) return HA_ADMIN_NOT_IMPLEMENTED;  // made anew sooner
  const engine::ReadIntent intent = rows()->intent();
  EndStatement();
  const std::string name = table_data()->name();
  StatementProgress progress(thd);
  engine::TableRepair repair(open_.engine_table(), RepairDepthOf(*options), &progress,
                             open_.virtual_parts());
  progress.Start(repair.max_stages());
  Status status = Measured([&] { return repair.Run(); });
  UseRenewedTable(repair.table(), intent);
  ReportFindings(thd, name, repair.found());
  ReportDone(thd, name, repair.done());
  if (!status.ok()) {
    // The error of a lock does not say whose it is.
    if (status.code() == Code::kLockBusy) ReportDone(thd, name, {std::string(status.message())});
    ReportError(status, "REPAIR TABLE");
    return HA_ADMIN_FAILED;
  }
  if (repair.healthy()) return HA_ADMIN_OK;
  ReportFindings(thd, name, repair.left());
  return HA_ADMIN_CORRUPT;
}

}  // namespace basalt::server
