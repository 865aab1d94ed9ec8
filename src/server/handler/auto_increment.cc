// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/auto_increment.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/database.h"

namespace basalt::server {
namespace {

// The value of the auto-increment column in `record`, 0 for NULL, zero and negative numbers.
uint64_t ValueIn(const TABLE* table, const uchar* record) {
  Field* field = table->found_next_number_field;
  const my_ptrdiff_t offset = record - table->record[0];
  field->move_field_offset(offset);
  const longlong value = field->is_real_null() ? 0 : field->val_int();
  field->move_field_offset(-offset);
  if (value < 0 && !field->is_unsigned()) return 0;
  return static_cast<uint64_t>(value);
}

// How many values a statement needs now. The server wants more with each time that it asks, as it
// does not know how many rows come. Like InnoDB, no more are used up than there are rows left in an
// INSERT .. VALUES, and one at a time where rows are split at the end of a period.
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

}  // namespace

// As in InnoDB. This is known in memory only: what is written with the commit counts rows that are
// there.
void AutoIncrement::NoteRefused(const uchar* record) {
  const TABLE* table = table_->server_table();
  const int command = thd_sql_command(table->in_use);
  const bool replaces = command == SQLCOM_LOAD && table->in_use->lex->duplicates == DUP_REPLACE;
  if (!replaces && command != SQLCOM_REPLACE && command != SQLCOM_INSERT_SELECT &&
      command != SQLCOM_REPLACE_SELECT) {
    return;
  }
  engine::TableCounters& counters = table_->data()->counters();
  if (counters.auto_increment() == 0) return;  // not known yet: the rows will tell
  counters.RaiseAutoIncrement(engine::TableCounters::AutoIncrementAfter(ValueIn(table, record)));
}

void AutoIncrement::NoteRow(const uchar* record) {
  const TABLE* table = table_->server_table();
  if (table->found_next_number_field == nullptr) return;
  const uint64_t value = ValueIn(table, record);
  if (value == 0) return;
  const uint64_t next = engine::TableCounters::AutoIncrementAfter(value);
  engine::Table* data = table_->data();
  data->counters().RaiseAutoIncrement(next);
  if (data->traits().temporary) return;  // the counter lives as long as the table
  table_->session()->transaction()->writes().NoteAutoIncrement(data->primary().id, next);
}

// The largest value in the column's index; 0 when there is none.
Status AutoIncrement::FindLargest(uint64_t* largest) {
  const TABLE* table = table_->server_table();
  const KEY& key = table->key_info[table->s->next_number_index];
  const bool descending = (key.key_part[0].key_part_flag & HA_REVERSE_SORT) != 0;
  const Direction towards_smaller = descending ? Direction::kForward : Direction::kBackward;
  engine::IndexScan& scan = table_->rows()->scan();
  std::vector<uchar> row(table->s->reclength);
  *largest = 0;
  Status status =
      scan.BeginScan(table->s->next_number_index, /*key_only=*/false, /*fill_cache=*/true);
  if (status.ok()) status = scan.SeekToEnd(towards_smaller);
  while (status.ok()) {
    status = scan.ReadRow(row.data());
    if (status.ok()) {
      *largest = ValueIn(table, row.data());
      break;
    }
    if (status.code() != Code::kNotFound) break;
    status = scan.Step(towards_smaller);  // it has expired
  }
  scan.End();
  return status.code() == Code::kEndOfRange ? Status::Ok() : std::move(status);
}

// A table whose counter the dictionary does not know: one past the largest value.
int AutoIncrement::Derive() {
  engine::TableCounters& counters = table_->data()->counters();
  if (counters.auto_increment() != 0) return 0;
  const TABLE* table = table_->server_table();
  engine::RowAccess* rows = table_->rows();
  codec::ColumnSet column(table->s->fields);
  column.Add(table->found_next_number_field->field_index);
  rows->SetWantedColumns(column);
  const engine::ReadIntent intent = rows->intent();
  rows->set_intent({});
  uint64_t largest = 0;
  Status found = FindLargest(&largest);
  reader_->NoteScanTaken();
  rows->set_intent(intent);
  if (!found.ok()) return table_->Fail(std::move(found));
  counters.RaiseAutoIncrement(engine::TableCounters::AutoIncrementAfter(largest));
  return 0;
}

// SHOW asks tables that are not part of its statement.
int AutoIncrement::DeriveOutsideStatement() {
  engine::Table* data = table_->data();
  if (data->counters().auto_increment() != 0 || data->traits().temporary) return 0;
  table_->RefreshRows();
  const auto transaction = data->database()->transactions()->NewTransaction();
  transaction->Begin({});
  table_->rows()->Bind(transaction.get(), {});
  const int error = Derive();
  table_->rows()->Unbind();
  table_->rows()->ReleaseCursors();
  (void)transaction->Rollback();  // it has written nothing
  return error;
}

ulonglong AutoIncrement::Reserve(ulonglong offset, ulonglong increment, bool first_time,
                                 ulonglong* wanted) {
  if (Derive() != 0) {
    *wanted = 0;
    return ULONGLONG_MAX;
  }
  const TABLE* table = table_->server_table();
  const uint64_t maximum = table->next_number_field->get_max_int_value();
  *wanted = ValuesNeeded(table->in_use, first_time, *wanted);
  const ulonglong first =
      table_->data()->counters().ReserveAutoIncrement(offset, increment, *wanted, maximum);
  // A number that the column cannot hold makes the server name the column and the row in its error.
  return first == ULONGLONG_MAX && maximum < ULONGLONG_MAX ? maximum + 1 : first;
}

}  // namespace basalt::server
