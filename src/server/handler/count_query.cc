// SPDX-License-Identifier: GPL-2.0-only
//
// COUNT(*) of a whole table.
#include <utility>

#include "server/handler/count_query.h"
#include "server/handler/handler.h"
#include "server/plugin_state.h"

// Behind all others: the server's own, which needs them.
#include <group_by_handler.h>

namespace basalt::server {
namespace {

// Does the statement say nothing but that? Neither locks nor the age of rows are looked at here.
bool IsPlainCount(const LEX& lex, const Query& query) {
  if (lex.sql_command != SQLCOM_SELECT || lex.describe || lex.analyze_stmt) return false;
  if (lex.all_selects_list->next_select_in_list() != nullptr) return false;
  if (query.where != nullptr || query.group_by != nullptr || query.order_by != nullptr ||
      query.having != nullptr || query.distinct || query.n_aux != 0) {
    return false;
  }
  return query.select->elements == 1;
}

// COUNT of something that is never NULL.
bool CountsEveryRow(Item* item) {
  if (item->type() != Item::SUM_FUNC_ITEM) return false;
  auto* sum = static_cast<Item_sum*>(item);
  if (sum->sum_func() != Item_sum::COUNT_FUNC || sum->get_arg_count() != 1) return false;
  const Item* argument = sum->get_arg(0);
  const bool plain = argument->const_item() || argument->type() == Item::FIELD_ITEM;
  return plain && !argument->maybe_null();
}

// The open table that is alone in the FROM clause and is one, not a view or a partitioned one; null
// if there is none.
Handler* OnlyTable(const LEX& lex, const TABLE_LIST* from) {
  if (from->next_local != nullptr || lex.current_select->leaf_tables.elements != 1) return nullptr;
  if (from->view != nullptr || from->derived != nullptr || from->on_expr != nullptr) return nullptr;
  const TABLE* table = from->table;
  if (table == nullptr || table->part_info != nullptr) return nullptr;
  return table->file->ht == State().hton ? static_cast<Handler*>(table->file) : nullptr;
}

// What the server would have counted, had it asked for one row after the other.
void CountAsServer(THD* thd, ha_rows rows) {
  status_var_increment(thd->status_var.ha_read_first_count);
  status_var_add(thd->status_var.ha_read_next_count, rows);
  thd->inc_examined_row_count(rows);
}

// Rows that are locked, or may have expired, have to be looked at.
bool CanCountAllRows(const OpenTable& table) {
  const engine::RowAccess& rows = *table.rows();
  return rows.bound() && !rows.intent().lock && table.data()->primary().ttl_seconds == 0;
}

// To walk through from end to end: every index has an entry of every row, but for FULLTEXT ones. By
// what it costs, as the server does.
size_t CheapestIndex(Handler* file) {
  const OpenTable& table = *file->open_table();
  const engine::Table& data = *table.data();
  size_t cheapest = data.primary_position();
  double least = file->scan_time();
  const txn::Transaction& transaction = *table.session()->transaction();
  for (uint i = 0; i < table.server_table()->s->keys; ++i) {
    if (i == data.primary_position() || IsFullText(data.descriptor().indexes[i])) continue;
    // The snapshot may be older than the index.
    if (transaction.snapshot().IsBefore(data.index(i).readable_from)) continue;
    const double cost = file->keyread_time(i, 1, file->stats.records);
    if (cost < least) {
      least = cost;
      cheapest = i;
    }
  }
  return cheapest;
}

// The rows of the table that the statement sees; 0 or a handler error.
int CountAllRows(Handler* file, ha_rows* rows) {
  OpenTable* table = file->open_table();
  THD* thd = table->server_table()->in_use;
  const size_t index = CheapestIndex(file);
  const Direction direction = FastestDirection(table->data()->index(index));
  engine::IndexScan& scan = table->rows()->scan();
  Status moved = scan.BeginScan(index, /*key_only=*/true,
                                table->session()->transaction()->settings().fill_cache);
  if (moved.ok()) moved = scan.SeekToEnd(direction);
  bool killed = false;
  for (*rows = 0; moved.ok() && !killed; moved = scan.Step(direction)) {
    killed = ++*rows % kStepsBetweenKillChecks == 0 && thd_kill_level(thd) != THD_IS_NOT_KILLED;
  }
  scan.End();
  table->Note(RowEvent::kRead, *rows);
  if (index != table->data()->primary_position()) {
    table->session()->row_counters()->Note(RowEvent::kCoveredLookUp, *rows);
  }
  CountAsServer(thd, *rows);
  file->rows_read += *rows;
  if (killed) return HA_ERR_ABORTED_BY_USER;
  return moved.code() == Code::kEndOfRange ? 0 : table->Fail(std::move(moved));
}

class CountQuery final : public group_by_handler {
 public:
  CountQuery(THD* thd, Handler* file) : group_by_handler(thd, State().hton), file_(file) {}

  int init_scan() override {
    counted_ = false;
    return 0;
  }

  int next_row() override {
    if (std::exchange(counted_, true)) return HA_ERR_END_OF_FILE;
    ha_rows rows = 0;
    const int error = Measured(*file_->open_table(), MAX_KEY, Direction::kForward,
                               [&] { return CountAllRows(file_, &rows); });
    if (error != 0) return error;
    table->field[0]->store(static_cast<longlong>(rows), /*unsigned_val=*/true);
    return 0;
  }

  int end_scan() override {
    thd->limit_found_rows = counted_ ? 1 : 0;  // FOUND_ROWS(): the server forgets it here
    return 0;
  }
  void print_error(int error, myf flags) override { file_->print_error(error, flags); }

 private:
  Handler* const file_;  // the server's, open for the statement
  bool counted_ = false;
};

}  // namespace

group_by_handler* CreateCountQuery(THD* thd, Query* query) {
  const LEX& lex = *thd->lex;
  if (!IsPlainCount(lex, *query) || !CountsEveryRow(query->select->head())) return nullptr;
  Handler* file = OnlyTable(lex, query->from);
  return file != nullptr && CanCountAllRows(*file->open_table()) ? new CountQuery(thd, file)
                                                                 : nullptr;
}

}  // namespace basalt::server
