// SPDX-License-Identifier: GPL-2.0-only
#include "server/reports/progress_view.h"

#include <algorithm>
#include <map>

#include "server/connections/session.h"
#include "server/information_schema/view.h"
#include "server/measures/statement_progress.h"

namespace basalt::server {

namespace {

ST_FIELD_INFO progress_fields[] = {
    Show::Column("THREAD_ID", Show::SLonglong(), NOT_NULL),
    Show::Column("QUERY", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("STATE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("STAGE", Show::SLong(), NULLABLE),
    Show::Column("STAGES", Show::SLong(), NULLABLE),
    Show::Column("DONE", Show::SLonglong(), NULLABLE),
    Show::Column("EXPECTED", Show::SLonglong(), NULLABLE),
    Show::Column("ROWS_READ", Show::SLonglong(), NOT_NULL),
    Show::Column("ROWS_WRITTEN", Show::SLonglong(), NOT_NULL),
    Show::Column("BYTES_WRITTEN", Show::SLonglong(), NOT_NULL),
    Show::Column("SECONDS", Show::Double(MY_INT64_NUM_DECIMAL_DIGITS), NOT_NULL),
    Show::Column("PER_SECOND", Show::Double(MY_INT64_NUM_DECIMAL_DIGITS), NOT_NULL),
    Show::Column("SECONDS_LEFT", Show::Double(MY_INT64_NUM_DECIMAL_DIGITS), NULLABLE),
    Show::CEnd(),
};

double SecondsBetween(uint64_t start_microseconds, uint64_t end_microseconds) {
  return static_cast<double>(end_microseconds - start_microseconds) / 1e6;
}

// One statement. Its stage is what the server itself or StatementProgress reports, if any does.
struct Statement {
  uint64_t thread_id = 0;
  std::string query;
  std::string state;
  unsigned stage = 0;
  unsigned stages = 0;
  uint64_t done = 0;
  uint64_t expected = 0;  // 0: nothing is reported
  WorkSums work;
  double seconds = 0;
  double stage_seconds = 0;

  // Of the stage, else of rows written, else of rows read.
  double PerSecond() const {
    if (expected != 0) return Rate(done, stage_seconds);
    return Rate(work.rows_written != 0 ? work.rows_written : work.rows_read, seconds);
  }
  static double Rate(uint64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  }
};

// Does the connection run a statement that has used the engine? A replica's applier may have no
// text for it, but a transaction.
bool IsRunning(THD* thd, const Session& session) {
  if (!session.statement_work().IsOf(thd->query_id)) return false;
  if (thd->get_command() == COM_SLEEP) return false;
  return thd->query_length() != 0 || session.transaction()->active();
}

// The server changes what it reports under this mutex, but for the count.
void ReadReported(THD* thd, Statement* statement) {
  mysql_mutex_lock(&thd->LOCK_thd_data);
  statement->stage = thd->progress.stage + 1;
  statement->stages = thd->progress.max_stage;
  statement->done = thd->progress.counter;
  statement->expected = thd->progress.max_counter;
  const char* state = thd->get_proc_info();
  if (state != nullptr) statement->state = state;
  mysql_mutex_unlock(&thd->LOCK_thd_data);
}

// `stage_start` by the clock of THD::start_utime, 0: when the statement began.
Statement Describe(THD* thd, uint64_t stage_start) {
  Statement statement;
  statement.thread_id = thd_get_thread_id(thd);
  char query[kTextLength];
  statement.query.assign(query, thd_query_safe(thd, query, sizeof(query)));
  ReadReported(thd, &statement);
  const uint64_t now = microsecond_interval_timer();
  const uint64_t start = std::min<uint64_t>(thd->start_utime, now);
  statement.seconds = SecondsBetween(start, now);
  statement.stage_seconds = SecondsBetween(std::clamp(stage_start, start, now), now);
  return statement;
}

// By connection. Those that report stages need not have a session: they may use no table.
std::map<THD*, Statement> RunningStatements() {
  std::map<THD*, Statement> statements;
  StatementProgress::ForEach([&](const StatementProgress& progress) {
    Statement& statement = statements[progress.thd()];
    statement = Describe(progress.thd(), progress.stage_start());
    const engine::TaskProgress::Work& work = progress.work();
    statement.work = {work.rows_read.sum(), 0, work.bytes_written.sum()};
  });
  Session::ForEach([&](THD* thd, const Session& session) {
    if (!IsRunning(thd, session)) return;
    const auto [place, added] = statements.try_emplace(thd);
    if (added) place->second = Describe(thd, 0);
    place->second.work.Add(session.statement_work().Until(session.Work()));
  });
  return statements;
}

void FillStage(const Statement& statement, RowFiller* row) {
  if (statement.expected == 0) {
    row->Null().Null().Null().Null();
    return;
  }
  row->Number(statement.stage).Number(statement.stages);
  row->Number(statement.done).Number(statement.expected);
}

// Until the stage ends, if it goes on as it has gone.
void FillSecondsLeft(const Statement& statement, RowFiller* row) {
  const double rate = statement.PerSecond();
  if (statement.expected == 0 || rate <= 0) {
    row->Null();
    return;
  }
  const uint64_t left = statement.expected - std::min(statement.done, statement.expected);
  row->Real(static_cast<double>(left) / rate);
}

bool Store(const Statement& statement, THD* thd, TABLE* table) {
  RowFiller row(table);
  row.Number(statement.thread_id).Text(statement.query).Text(statement.state);
  FillStage(statement, &row);
  row.Number(statement.work.rows_read).Number(statement.work.rows_written);
  row.Number(statement.work.bytes_written);
  row.Real(statement.seconds).Real(statement.PerSecond());
  FillSecondsLeft(statement, &row);
  return row.Store(thd);
}

int FillProgress(const engine::Database&, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  for (const auto& [other, statement] : RunningStatements()) {
    if (Store(statement, thd, tables->table)) return 1;
  }
  return 0;
}

}  // namespace

int InitProgressView(void* table) noexcept {
  return InitView(table, progress_fields, FillProgress);
}

}  // namespace basalt::server
