// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/open_table.h"

#include <utility>

#include "server/error_map.h"
#include "server/foreign_keys/latest_foreign_key_error.h"

namespace basalt::server {

void OpenTable::Open(std::shared_ptr<TableShare> share, bool is_system_table) {
  share_ = std::move(share);
  is_system_table_ = is_system_table;
  virtual_parts_.Open(*data());
  like_bounds_.Open(*server_table());
  RefreshRows();
}

void OpenTable::Close() {
  rows_.reset();
  share_.reset();
}

void OpenTable::RefreshRows() {
  if (rows_ != nullptr && rows_->table() == data()) return;
  rows_ = std::make_unique<engine::RowAccess>(share_->engine_table);
  rows_->set_virtual_columns(&virtual_parts_);
}

void OpenTable::Exchange(std::shared_ptr<engine::Table> renewed) {
  share_->engine_table = std::move(renewed);
  RefreshRows();
}

void OpenTable::BeginStatement(Session* session, thr_lock_type lock_type, bool notes_no_change) {
  session_ = session;
  lock_type_ = lock_type;
  change_noted_ = notes_no_change;
}

int OpenTable::Fail(Status status) {
  const Code code = status.code();
  if (code == Code::kNotFound || code == Code::kEndOfRange || code == Code::kDuplicateKey) {
    return HandlerError(code);
  }
  error_text_ = status.message();
  // The server cuts what the client sees, and writes a number alone to its log.
  if (code == Code::kCorruption) sql_print_error("ROCKSDB: %s", error_text_.c_str());
  if (code == Code::kNoReferencedRow || code == Code::kRowIsReferenced) {
    NoteForeignKeyError(server_table()->in_use, error_text_);
  }
  if (session_ != nullptr) session_->NoteFailure(code);
  return HandlerError(code);
}

void OpenTable::Note(RowEvent event, uint64_t times) {
  constexpr auto kToSystem =
      static_cast<uint8_t>(RowEvent::kSystemRead) - static_cast<uint8_t>(RowEvent::kRead);
  if (is_system_table_) event = static_cast<RowEvent>(static_cast<uint8_t>(event) + kToSystem);
  session_->row_counters()->Note(event, times);
  if (session_->measure()->active()) session_->measure()->HandOver(data()->primary().id);
}

void OpenTable::NoteChange(RowEvent event) {
  Note(event);
  if (change_noted_) return;
  session_->NoteChange(data()->shared_counters());
  change_noted_ = true;
}

void OpenTable::NoteSearch(key_part_map parts, bool equal) {
  const uint index = handler_->active_index;
  const bool one_row = equal && data()->index(index).unique && HasAllParts(index, parts);
  session_->row_counters()->Note(one_row ? RowEvent::kPointQuery : RowEvent::kRangeQuery);
}

void OpenTable::CountForServer(ulong SSV::*counter) const {
  THD* thd = server_table()->in_use;
  status_var_increment(thd->status_var.*counter);
  thd->check_limit_rows_examined();
}

bool OpenTable::HasAllParts(uint index, key_part_map parts) const {
  const key_part_map all = make_prev_keypart_map(data()->index(index).codec->user_parts());
  return (parts & all) == all;
}

}  // namespace basalt::server
