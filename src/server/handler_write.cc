// SPDX-License-Identifier: GPL-2.0-only
//
// Inserts, updates, deletes and the auto-increment counter.
#include <algorithm>

#include "engine/loads/bulk_insert.h"
#include "server/handler.h"
#include "server/plugin_state.h"

namespace basalt::server {
namespace {

// The value of the auto-increment column in `record`, 0 for NULL, zero and negative numbers.
uint64_t AutoIncrementValue(const TABLE* table, const uchar* record) {
  Field* field = table->found_next_number_field;
  const my_ptrdiff_t offset = record - table->record[0];
  field->move_field_offset(offset);
  const longlong value = field->is_real_null() ? 0 : field->val_int();
  field->move_field_offset(-offset);
  if (value < 0 && !field->is_unsigned()) return 0;
  return static_cast<uint64_t>(value);
}

// How many AUTO_INCREMENT values a statement needs now. The server wants more with each time that
// it asks, as it does not know how many rows come. Like InnoDB, no more are used up than there are
// rows left in an INSERT .. VALUES, and one at a time where rows are split at the end of a period.
uint64_t ValuesNeeded(THD* thd, bool first_time, uint64_t wanted) {
  if (thd->in_sub_stmt != 0) return wanted;
  switch (thd_sql_command(thd)) {
    case SQLCOM_UPDATE:
    case SQLCOM_UPDATE_MULTI:
    case SQLCOM_DELETE:
    case SQLCOM_DELETE_MULTI:
      return 1;
    case SQLCOM_INSERT:
    case SQLCOM_REPLACE: {
      const uint64_t rows = thd->lex->many_values.elements;
      const uint64_t row = thd->get_stmt_da()->current_row_for_warning();
      return first_time || row > rows ? wanted : std::min(wanted, rows - row + 1);
    }
    default:
      return wanted;
  }
}

// Some statements use up the value that a row has which is refused, as in InnoDB. This is known in
// memory only: what is written with the commit counts rows that are there.
void UseUpRefused(const TABLE* table, const uchar* record, engine::TableCounters* counters) {
  const int command = thd_sql_command(table->in_use);
  const bool replaces = command == SQLCOM_LOAD && table->in_use->lex->duplicates == DUP_REPLACE;
  if (!replaces && command != SQLCOM_REPLACE && command != SQLCOM_INSERT_SELECT &&
      command != SQLCOM_REPLACE_SELECT) {
    return;
  }
  if (counters->auto_increment() == 0) return;  // not known yet: the rows will tell
  const uint64_t value = AutoIncrementValue(table, record);
  counters->RaiseAutoIncrement(engine::TableCounters::AutoIncrementAfter(value));
}

}  // namespace

int Handler::write_row(const uchar* record) {
  // The first row of a temporary sequence comes without external_lock().
  if (!rows_->bound()) {
    if (int error = EnterStatement(table->in_use, TL_WRITE, /*opens=*/true)) return error;
  }
  if (table->next_number_field != nullptr && record == table->record[0]) {
    if (int error = update_auto_increment()) return error;
  }
  virtual_parts_.Complete(record);
  if (loads_) return InsertIntoLoad(record);
  if (bulk_wanted_) {
    Status begun = BeginBulkLoad();
    if (!begun.ok()) return Fail(std::move(begun));
  }
  if (bulk_ != nullptr) {
    Status added = bulk_->Insert(record);
    if (!added.ok()) return FailBulkLoad(std::move(added));
    NoteChange(RowEvent::kInserted);
    NoteAutoIncrement(record);
    return 0;
  }
  size_t duplicate = 0;
  Status written = rows_->writer().Insert(record, &duplicate);
  if (table_data()->traits().sequence) written = session_->CommitSequence(std::move(written));
  if (!written.ok()) {
    const bool has_value = table->next_number_field != nullptr && record == table->record[0];
    if (written.code() == Code::kDuplicateKey && has_value) [[unlikely]] {
      UseUpRefused(table, record, &table_data()->counters());
    }
    return FailWrite(std::move(written), duplicate);
  }
  NoteChange(RowEvent::kInserted);
  NoteAutoIncrement(record);
  return 0;
}

int Handler::update_row(const uchar* before, const uchar* after) {
  virtual_parts_.Complete(before);
  virtual_parts_.Complete(after);
  size_t duplicate = 0;
  bool changed = true;
  Status written = rows_->writer().Update(before, after, &duplicate, &changed);
  if (table_data()->traits().sequence) written = session_->CommitSequence(std::move(written));
  if (!written.ok()) return FailWrite(std::move(written), duplicate);
  if (!changed) return HA_ERR_RECORD_IS_THE_SAME;
  NoteChange(RowEvent::kUpdated);
  if (table->found_next_number_field != nullptr &&
      bitmap_is_set(table->write_set, table->found_next_number_field->field_index)) {
    NoteAutoIncrement(after);
  }
  return 0;
}

int Handler::delete_row(const uchar* record) {
  virtual_parts_.Complete(record);
  Status written = rows_->writer().Delete(record);
  if (!written.ok()) return Fail(std::move(written));
  NoteChange(RowEvent::kDeleted);
  return 0;
}

int Handler::FailWrite(Status status, size_t duplicate) {
  if (status.code() == Code::kDuplicateKey) {
    session_->set_duplicate_index(static_cast<unsigned>(duplicate));
    StoreReference(rows_->unique().duplicate_row_key(), dup_ref);
  }
  return Fail(std::move(status));
}

// Moves the counter past a value that the row really has, whether it was generated or given.
void Handler::NoteAutoIncrement(const uchar* record) {
  if (table->found_next_number_field == nullptr) return;
  const uint64_t value = AutoIncrementValue(table, record);
  if (value == 0) return;
  const uint64_t next = engine::TableCounters::AutoIncrementAfter(value);
  table_data()->counters().RaiseAutoIncrement(next);
  if (table_data()->traits().temporary) return;  // the counter lives as long as the table
  session_->transaction()->NoteAutoIncrement(table_data()->primary().id, next);
}

// A table whose counter the dictionary does not know: one past the largest value in the index.
int Handler::DeriveAutoIncrement() {
  if (table_data()->counters().auto_increment() != 0) return 0;
  codec::ColumnSet column(table->s->fields);
  column.Add(table->found_next_number_field->field_index);
  rows_->SetWantedColumns(column);
  read_.wanted_known = false;
  const engine::ReadIntent intent = rows_->intent();
  rows_->set_intent({});
  Status status = rows_->scan().Start(table->s->next_number_index, false, true);
  std::vector<uchar> row(table->s->reclength);
  uint64_t largest = 0;
  const KEY& key = table->key_info[table->s->next_number_index];
  const bool descending = (key.key_part[0].key_part_flag & HA_REVERSE_SORT) != 0;
  const Direction towards_smaller = descending ? Direction::kForward : Direction::kBackward;
  if (status.ok()) status = rows_->scan().SeekToEnd(towards_smaller);
  while (status.ok()) {
    status = rows_->scan().ReadRow(row.data());
    if (status.ok()) {
      largest = AutoIncrementValue(table, row.data());
      break;
    }
    if (status.code() != Code::kNotFound) break;
    status = rows_->scan().Step(towards_smaller);  // it has expired
  }
  if (status.code() == Code::kEndOfRange) status = Status::Ok();
  rows_->scan().End();
  read_.scan_open = false;
  rows_->set_intent(intent);
  if (!status.ok()) return Fail(std::move(status));
  table_data()->counters().RaiseAutoIncrement(engine::TableCounters::AutoIncrementAfter(largest));
  return 0;
}

// SHOW asks tables that are not part of its statement.
int Handler::ShowAutoIncrement() {
  if (table_data()->counters().auto_increment() != 0 || table_data()->traits().temporary) return 0;
  if (rows_->table() != share_->engine_table.get()) MakeRowAccess();
  const auto reader = Database()->transactions()->NewTransaction();
  reader->Begin({});
  rows_->Bind(reader.get(), {});
  const int error = DeriveAutoIncrement();
  rows_->Unbind();
  rows_->ReleaseCursors();
  (void)reader->Rollback();  // it has written nothing
  return error;
}

// Statements that know how many rows they add reserve their numbers at once, so that a replica that
// begins with the same number gives the same ones. The others take turns with other connections.
bool Handler::autoinc_lock_mode_stmt_unsafe() const {
  switch (thd_sql_command(ha_thd())) {
    case SQLCOM_INSERT_SELECT:
    case SQLCOM_REPLACE_SELECT:
    case SQLCOM_CREATE_TABLE:
    case SQLCOM_LOAD:
      return true;
    case SQLCOM_UPDATE:
    case SQLCOM_DELETE:
      // Each row that the end of a period splits asks for its number alone.
      return table->pos_in_table_list != nullptr && table->pos_in_table_list->has_period();
    default:
      return false;
  }
}

void Handler::get_auto_increment(ulonglong offset, ulonglong increment, ulonglong wanted,
                                 ulonglong* first, ulonglong* reserved) {
  if (DeriveAutoIncrement() != 0) {
    *first = ULONGLONG_MAX;
    *reserved = 0;
    return;
  }
  const uint64_t maximum = table->next_number_field->get_max_int_value();
  wanted = ValuesNeeded(table->in_use, auto_inc_intervals_count == 0, wanted);
  *first = table_data()->counters().ReserveAutoIncrement(offset, increment, wanted, maximum);
  // A number that the column cannot hold makes the server name the column and the row in its error.
  if (*first == ULONGLONG_MAX && maximum < ULONGLONG_MAX) *first = maximum + 1;
  *reserved = wanted;
}

}  // namespace basalt::server
