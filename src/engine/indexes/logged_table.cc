// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/logged_table.h"

#include <utility>
#include <vector>

#include "engine/database.h"

namespace basalt::engine {

catalog::IndexRequest LoggedTable::RequestForLog() {
  catalog::IndexRequest request;
  request.column_family = "default";
  return request;
}

Status LoggedTable::Begin() {
  Database* database = table_.database();
  if (database->transactions()->PreparedHasWritesOf(table_.primary().id)) {
    return Status(Code::kLockBusy, "a prepared transaction has changed the table");
  }
  std::vector<catalog::IndexRecord> built;
  BASALT_RETURN_IF_ERROR(database->catalog()->BeginIndexBuild({RequestForLog()}, &built));
  log_ = built.front();
  reader_ = std::make_unique<ChangeLogReader>(&table_, log_->id);
  table_.counters().change_log().Open(log_->id);
  return Status::Ok();
}

Status LoggedTable::ReadCommitted(ChangeConsumer* consumer,
                                  const ChangeLogReader::Progress& progress, uint64_t* taken) {
  return reader_->ReadCommitted(consumer, progress, taken);
}

Status LoggedTable::End() {
  if (!log_.has_value()) return Status::Ok();
  table_.counters().change_log().Close();
  const catalog::IndexRecord log = *std::exchange(log_, std::nullopt);
  return table_.database()->closed_logs()->Add(log);
}

}  // namespace basalt::engine
