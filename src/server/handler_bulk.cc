// SPDX-License-Identifier: GPL-2.0-only
//
// Statements that fill an empty table: docs/bulk-load.md.
#include "engine/loads/bulk_insert.h"
#include "engine/loads/explicit_load.h"
#include "server/handler.h"
#include "server/instruments.h"
#include "server/plugin_state.h"
#include "server/statement_progress.h"
#include "server/system_variables.h"

namespace basalt::server {

namespace {

// What a statement writes row by row before it becomes a load: below, nothing would be gained, and
// small statements keep their row locks and leave the rest of the table to others.
constexpr size_t kOrdinaryBytes = 2u << 20;
// A statement that says that it has fewer rows is not looked at.
constexpr ha_rows kFewestRows = 1000;

bool ChangesDefinition(int command) {
  return command == SQLCOM_ALTER_TABLE || command == SQLCOM_CREATE_INDEX ||
         command == SQLCOM_DROP_INDEX || command == SQLCOM_OPTIMIZE ||
         command == SQLCOM_CREATE_TABLE;
}

// A load must be the last that its transaction does, and every duplicate in it the end of the
// statement. What a replica applies may have to give way to an earlier transaction: it takes no
// more locks than it needs.
bool MayLoad(THD* thd) {
  if (!AutoBulkLoad(thd) || thd->lex->ignore) return false;
  if (ChangesDefinition(thd_sql_command(thd))) return thd->lex->duplicates == DUP_ERROR;
  return Session::LoadsRows(thd) && !thd->lex->has_returning() &&
         !thd_test_options(thd, OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN);
}

}  // namespace

int Handler::InsertIntoLoad(const uchar* record) {
  using Problem = engine::ExplicitLoad::Problem;
  engine::ExplicitLoad::Settings settings;
  settings.sorted = !BulkLoadAllowsUnsorted(table->in_use);
  settings.buffer_bytes = MergeBufferBytes(table->in_use);
  engine::ExplicitLoad* load = session_->explicit_load();
  Status added = load->Insert(share_->engine_table, record, settings);
  if (added.ok()) {
    NoteChange(RowEvent::kInserted);
    NoteAutoIncrement(record);
    return 0;
  }
  if (load->problem() == Problem::kKnownKey) {
    session_->set_duplicate_index(table->s->primary_key);
    return Fail(std::move(added));
  }
  return load->problem() == Problem::kOther ? Fail(std::move(added))
                                            : session_->ReportLoadError(added);
}

void Handler::start_bulk_insert(ha_rows rows, uint) {
  bulk_.reset();
  bulk_wanted_ = !loads_ && (rows == 0 || rows >= kFewestRows) && MayLoad(table->in_use) &&
                 engine::BulkInsert::IsPossible(*table_data());
}

// Called for each row while bulk_wanted_ is set.
Status Handler::BeginBulkLoad() {
  const txn::WriteSet& writes = session_->transaction()->writes();
  if (writes.bytes() < kOrdinaryBytes && !writes.spilled()) return Status::Ok();
  bulk_wanted_ = false;
  txn::LoadOptions options;
  options.buffer_bytes = MergeBufferBytes(table->in_use);
  Status begun =
      engine::BulkInsert::Begin(share_->engine_table, session_->transaction(), options, &bulk_);
  return begun.code() == Code::kLockBusy ? Status::Ok() : std::move(begun);
}

// The server makes the message of a duplicate from the row in record[0].
int Handler::FailBulkLoad(Status status) {
  if (status.code() == Code::kDuplicateKey) {
    session_->set_duplicate_index(static_cast<unsigned>(bulk_->duplicate_index()));
    Status read = bulk_->ReadDuplicate(table->record[0]);
    if (!read.ok()) return Fail(std::move(read));
    if (virtual_parts_.any()) virtual_parts_.ComputeAll(table->record[0]);
    failed_bulk_ = std::move(bulk_);  // record[0] may point into it
  }
  bulk_.reset();
  return Fail(std::move(status));
}

int Handler::end_bulk_insert() {
  bulk_wanted_ = false;
  if (bulk_ == nullptr) return 0;
  THD* thd = table->in_use;
  Status status;
  if (thd->killed) {
    status = Status(Code::kInterrupted);
  } else if (thd->is_error()) {
    // Nobody wants the rows any more. A commit would find that the load was cut off.
    bulk_.reset();
    return 0;
  } else {
    const bool reports =
        thd_sql_command(thd) == SQLCOM_LOAD || ChangesDefinition(thd_sql_command(thd));
    const StageScope stage(thd, stage_sorting);
    if (!reports) thd_progress_init(thd, 1);
    status = bulk_->Finish([thd](uint64_t done, uint64_t expected) {
      thd_progress_report(thd, std::min(done, expected), expected);
      return !thd->killed;
    });
    if (!reports) thd_progress_end(thd);
  }
  if (!status.ok()) return my_errno = FailBulkLoad(std::move(status));
  bulk_.reset();
  return 0;
}

}  // namespace basalt::server
