// SPDX-License-Identifier: GPL-2.0-only
//
// CHECK TABLE: the words of the statement, and the answer to the client. The work is in
// engine/table_check.
#include <string>
#include <utility>

#include "engine/table_check.h"
#include "server/error_map.h"
#include "server/handler.h"
#include "server/statement_progress.h"

namespace basalt::server {

namespace {

// FAST and CHANGED mean tables that were not closed properly, or have changed since they were
// checked; the engine does not keep track of either, so it checks, as without a word.
engine::CheckDepth DepthOf(const HA_CHECK_OPT& options) {
  if (options.flags & T_QUICK) return engine::CheckDepth::kQuick;
  if (options.flags & T_EXTEND) return engine::CheckDepth::kExtended;
  return engine::CheckDepth::kMedium;
}

// To the client, where the statement's result has a line for each warning, and to the error log,
// where others look for it later.
void TellFindings(THD* thd, const std::string& table, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_NOT_KEYFILE, line.c_str());
    sql_print_error("ROCKSDB: table %s, %s", table.c_str(), line.c_str());
  }
}

}  // namespace

int Handler::check(THD* thd, HA_CHECK_OPT* options) {
  StatementProgress progress(thd);
  engine::TableCheck check(table_data(), session_->transaction(), DepthOf(*options), &progress);
  progress.Start(check.max_stages());
  Status status = check.Run();
  TellFindings(thd, table_data()->name(), check.findings().Lines());
  if (status.ok()) return check.findings().empty() ? HA_ADMIN_OK : HA_ADMIN_CORRUPT;
  ReportError(status, "CHECK TABLE");
  return HA_ADMIN_FAILED;
}

}  // namespace basalt::server
