// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/table_load.h"

#include <algorithm>
#include <utility>

#include "engine/loads/explicit_load.h"
#include "server/measures/instruments.h"
#include "server/measures/statement_progress.h"
#include "server/variables/system_variables.h"

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
  return LoadsRows(thd) && !thd->lex->has_returning() &&
         !thd_test_options(thd, OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN);
}

}  // namespace

bool IsKeptUniqueByServer(const TABLE_SHARE& share) {
  return share.long_unique_table || share.period.unique_keys != 0;
}

void TableLoad::Begin(ha_rows rows) {
  Close();
  gathers_ = true;
  wanted_ = !into_explicit_load_ && (rows == 0 || rows >= kFewestRows) &&
            MayLoad(table_->server_table()->in_use) &&
            !IsKeptUniqueByServer(*table_->server_table()->s) &&
            engine::BulkInsert::IsPossible(*table_->data());
}

int TableLoad::Insert(const uchar* record, bool* taken) {
  *taken = true;
  if (into_explicit_load_) return InsertExplicitly(record);
  if (wanted_) {
    Status begun = BeginWhenLarge();
    if (!begun.ok()) return table_->Fail(std::move(begun));
  }
  *taken = load_ != nullptr && !checked_;
  if (!*taken) return 0;
  Status gathered = references_->Gather(record, table_->session()->transaction());
  if (!gathered.ok()) return table_->Fail(std::move(gathered));
  Status added = load_->Insert(record);
  return added.ok() ? 0 : Fail(std::move(added));
}

int TableLoad::InsertExplicitly(const uchar* record) {
  using Problem = engine::ExplicitLoad::Problem;
  const TABLE* table = table_->server_table();
  engine::ExplicitLoad::Settings settings;
  settings.sorted = !BulkLoadAllowsUnsorted(table->in_use);
  settings.buffer_bytes = MergeBufferBytes(table->in_use);
  Session* session = table_->session();
  engine::ExplicitLoad* load = session->load()->explicit_load();
  Status added = load->Insert(table_->engine_table(), record, settings);
  if (added.ok()) return references_->is_child() ? CheckExplicit(record) : 0;
  if (load->problem() == Problem::kKnownKey) session->set_duplicate_index(table->s->primary_key);
  const bool of_row = load->problem() == Problem::kKnownKey || load->problem() == Problem::kOther;
  return of_row ? table_->Fail(std::move(added)) : session->load()->Report(added);
}

// The row is in the load. Its parents get the load's locks: the connection's end before it.
int TableLoad::CheckExplicit(const uchar* record) {
  txn::Transaction* transaction = table_->session()->load()->explicit_load()->transaction();
  Status checked = references_->Gather(record, transaction);
  if (checked.ok() && !gathers_) checked = references_->CheckGathered();
  return checked.ok() ? 0 : DropExplicit(std::move(checked));
}

int TableLoad::DropExplicit(Status status) {
  table_->session()->load()->explicit_load()->Drop();
  return table_->Fail(std::move(status));
}

// Called for each row while wanted_ is set.
Status TableLoad::BeginWhenLarge() {
  txn::Transaction* transaction = table_->session()->transaction();
  const txn::WriteSet& writes = transaction->writes().logged();
  if (writes.bytes() < kOrdinaryBytes && !writes.spilled()) return Status::Ok();
  if (!filled_) BASALT_RETURN_IF_ERROR(BeginOfEmpty());
  return filled_ && writes.spilled() ? BeginOfChecked() : Status::Ok();
}

Status TableLoad::BeginOfEmpty() {
  Status begun = BeginLoad(/*checked_rows=*/false);
  filled_ = begun.code() == Code::kLockBusy;
  wanted_ = filled_;
  return filled_ ? Status::Ok() : std::move(begun);
}

// Its writes are going to be committed as table files anyway. The load spares them the way through
// the write set; others notice no difference. Words of rows are the writer's, and do not come with
// the entries that it leaves.
Status TableLoad::BeginOfChecked() {
  wanted_ = false;
  if (!LoadsRows(table_->server_table()->in_use)) return Status::Ok();
  if (table_->data()->has_full_text_index()) return Status::Ok();
  Status begun = BeginLoad(/*checked_rows=*/true);
  if (begun.code() == Code::kLockBusy) return Status::Ok();
  checked_ = begun.ok();
  table_->rows()->writer().set_leaves_entries(checked_);
  return begun;
}

Status TableLoad::BeginLoad(bool checked_rows) {
  txn::LoadOptions options;
  options.buffer_bytes = MergeBufferBytes(table_->server_table()->in_use);
  options.checked_rows = checked_rows;
  return engine::BulkInsert::Begin(table_->engine_table(), table_->session()->transaction(),
                                   options, &load_);
}

int TableLoad::TakeEntries() {
  Status added = load_->AddChecked(table_->rows()->writer().added());
  return added.ok() ? 0 : Fail(std::move(added));
}

// The load is the transaction's from now on, or nobody's.
void TableLoad::Close() {
  if (checked_) table_->rows()->writer().set_leaves_entries(false);
  filled_ = checked_ = false;
  load_.reset();
}

// The server makes the message of a duplicate from the row in record[0].
int TableLoad::Fail(Status status) {
  if (status.code() == Code::kDuplicateKey) {
    table_->session()->set_duplicate_index(static_cast<unsigned>(load_->duplicate_index()));
    uchar* record = table_->server_table()->record[0];
    Status read = load_->ReadDuplicate(record);
    if (!read.ok()) return table_->Fail(std::move(read));
    if (table_->virtual_parts()->any()) table_->virtual_parts()->ComputeAll(record);
    failed_ = std::move(load_);  // the record may point into it
  }
  Close();
  return table_->Fail(std::move(status));
}

Status TableLoad::Finish() {
  THD* thd = table_->server_table()->in_use;
  const int command = thd_sql_command(thd);
  const bool reports = command == SQLCOM_LOAD || ChangesDefinition(command);
  const StageScope stage(thd, stage_sorting);
  if (!reports) thd_progress_init(thd, 1);
  Status finished = load_->Finish([thd](uint64_t done, uint64_t expected) {
    thd_progress_report(thd, std::min(done, expected), expected);
    return !thd->killed;
  });
  if (!reports) thd_progress_end(thd);
  return finished;
}

int TableLoad::End() {
  wanted_ = gathers_ = false;
  if (into_explicit_load_) return EndExplicitly();
  if (load_ == nullptr) return 0;
  const THD* thd = table_->server_table()->in_use;
  if (!thd->killed && thd->is_error()) {
    // Nobody wants the rows any more. A commit would find that the load was cut off.
    Close();
    return 0;
  }
  Status finished = thd->killed ? Status(Code::kInterrupted) : references_->CheckGathered();
  if (finished.ok()) finished = Finish();
  if (!finished.ok()) return my_errno = Fail(std::move(finished));
  Close();
  return 0;
}

// Rows of the statement that came before an error stay in the load.
int TableLoad::EndExplicitly() {
  if (table_->session()->load()->empty()) return 0;
  Status checked = references_->CheckGathered();
  return checked.ok() ? 0 : my_errno = DropExplicit(std::move(checked));
}

void TableLoad::Reset() {
  // The server has not said that there are no more rows: nobody knows that they have parents.
  if (gathers_ && into_explicit_load_ && references_->is_child()) {
    table_->session()->load()->explicit_load()->Drop();
  }
  wanted_ = gathers_ = false;
  Close();
  failed_.reset();
}

}  // namespace basalt::server
