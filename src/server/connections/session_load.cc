// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/session_load.h"

#include <functional>
#include <string>

#include "server/backup_lock.h"
#include "server/error_map.h"
#include "server/measures/instruments.h"

namespace basalt::server {

bool LoadsRows(THD* thd) {
  const int command = thd_sql_command(thd);
  const bool adds =
      command == SQLCOM_INSERT || command == SQLCOM_INSERT_SELECT || command == SQLCOM_LOAD;
  return adds && !thd->slave_thread && !thd->lex->ignore && thd->lex->duplicates == DUP_ERROR;
}

SessionLoad::SessionLoad(THD* thd, engine::Database* database) : thd_(thd), database_(database) {}

SessionLoad::~SessionLoad() = default;

engine::ExplicitLoad* SessionLoad::explicit_load() {
  if (explicit_load_ == nullptr) {
    explicit_load_ = std::make_unique<engine::ExplicitLoad>(
        // A connection that ends finishes its load all the same.
        database_,
        [thd = thd_](uint64_t, uint64_t) { return !thd->killed || thd->killed >= KILL_CONNECTION; },
        [thd = thd_](const std::function<Status()>& commit) {
          return CommitBetweenBackups(thd, commit);
        });
  }
  return explicit_load_.get();
}

bool SessionLoad::empty() const { return explicit_load_ == nullptr || explicit_load_->empty(); }

int SessionLoad::Finish() {
  if (empty()) return 0;
  bool lost = false;
  const StageScope stage(thd_, stage_sorting);
  const Status status = explicit_load_->Finish(&lost);
  if (lost) {
    push_warning(thd_, Sql_condition::WARN_LEVEL_WARN, ER_UNKNOWN_ERROR,
                 "ROCKSDB: a table was dropped, emptied, copied or given another index before its "
                 "bulk load ended: nothing was loaded");
  }
  return Report(status);
}

int SessionLoad::Report(const Status& status) const {
  using Problem = engine::ExplicitLoad::Problem;
  if (status.ok()) return 0;
  switch (explicit_load_->problem()) {
    case Problem::kOutOfOrder:
      // MyRocks' words, not the server's, here and below.
      my_printf_error(ER_KEYS_OUT_OF_ORDER,
                      "Rows must be inserted in primary key order during bulk load operation",
                      MYF(0));
      break;
    case Problem::kOverlapping:
      my_printf_error(ER_OVERLAPPING_KEYS,
                      "Rows inserted during bulk load must not overlap existing rows", MYF(0));
      break;
    case Problem::kDuplicate: {
      const std::string text = "Duplicate entry in a bulk load: " + std::string(status.message());
      my_printf_error(ER_DUP_ENTRY, "%s", MYF(0), text.c_str());
      break;
    }
    case Problem::kInUse:
      my_printf_error(ER_LOCK_WAIT_TIMEOUT,
                      "A bulk load cannot begin: transactions, this connection's own perhaps, have "
                      "changed or locked rows of the table",
                      MYF(0));
      break;
    case Problem::kKnownKey:  // the server says which
    case Problem::kOther:
      return ReportError(status, "bulk load");
  }
  return HandlerError(status);
}

void SessionLoad::FinishDisconnected() {
  if (empty()) return;
  bool lost = false;
  const Status loaded = explicit_load_->Finish(&lost);
  if (!lost && loaded.ok()) return;
  sql_print_error("ROCKSDB: error %d at the end of a bulk load whose connection ends: %s",
                  HandlerError(loaded), lost ? "its table is gone" : loaded.ToString().c_str());
}

}  // namespace basalt::server
