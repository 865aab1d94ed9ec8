// SPDX-License-Identifier: GPL-2.0-only
//
// Inserts, updates, deletes and the auto-increment counter.
#include <optional>

#include "server/handler/handler.h"
#include "server/handler/spatial_values.h"
#include "server/tables/system_versioning.h"

namespace basalt::server {

int Handler::write_row(const uchar* record) {
  // The first row of a temporary sequence comes without external_lock().
  if (!rows()->bound()) {
    if (int error = BeginStatement(table->in_use, TL_WRITE, /*opens=*/true)) return error;
  }
  return Measured([&] {
    if (!table->versioned_write(VERS_TRX_ID)) [[likely]]
      return InsertRow(record);
    if (int error = versions_.BeginInsert(record)) return error;
    if (int error = InsertRow(record)) return error;
    versions_.NoteRow();
    return 0;
  });
}

int Handler::InsertRow(const uchar* record) {
  const bool numbers = table->next_number_field != nullptr && record == table->record[0];
  if (numbers) {
    if (int error = update_auto_increment()) return error;
  }
  open_.virtual_parts()->Complete(record);
  const bool spatial = table_data()->has_spatial_index();
  bool taken = false;
  if (load_.possible()) [[unlikely]] {
    if (spatial) {
      if (int error = CheckSpatialValues(*table, record)) return error;
    }
    if (int error = load_.Insert(record, &taken)) return error;
  }
  if (!taken) {
    size_t duplicate = 0;
    engine::WriteGuard* guard = references_.ForInsert(record);
    std::optional<SpatialGuard> values;
    if (spatial) [[unlikely]]
      guard = &values.emplace(*table, record, guard);
    Status written = rows()->writer().Insert(record, &duplicate, guard);
    if (table_data()->traits().sequence)
      written = session()->sequences()->Commit(std::move(written));
    if (!written.ok()) {
      if (values && values->error() != 0) return values->error();
      if (written.code() == Code::kDuplicateKey && numbers) [[unlikely]]
        counter_.NoteRefused(record);
      return FailWrite(std::move(written), duplicate);
    }
    if (load_.takes_entries()) [[unlikely]] {
      if (int error = load_.TakeEntries()) return error;
    }
  }
  open_.NoteChange(RowEvent::kInserted);
  counter_.NoteRow(record);
  return 0;
}

int Handler::update_row(const uchar* before, const uchar* after) {
  const auto update = [&] {
    if (!references_.is_parent()) return UpdateRow(before, after);
    // DELETE from a system-versioned table: the row becomes history.
    const bool ends = IsHistory(*table, after);
    return ChangeParent(before, ends ? nullptr : after, [&] { return UpdateRow(before, after); });
  };
  return Measured([&] {
    if (!table->versioned_write(VERS_TRX_ID)) [[likely]]
      return update();
    bool history = false;
    if (int error = versions_.BeginUpdate(before, after, &history)) return error;
    const int error = update();
    if (error != 0 && error != HA_ERR_RECORD_IS_THE_SAME) return error;
    versions_.NoteRow();
    if (!history) return 0;
    const RowVersions::Ended ended(versions_, before);
    return InsertRow(before);
  });
}

int Handler::UpdateRow(const uchar* before, const uchar* after) {
  open_.virtual_parts()->Complete(before);
  open_.virtual_parts()->Complete(after);
  if (table_data()->has_spatial_index()) [[unlikely]] {
    if (int error = CheckSpatialValues(*table, after)) return error;
  }
  size_t duplicate = 0;
  bool changed = true;
  const Bytes row_key = rows()->reader().key();
  Status written = rows()->writer().Update(before, after, &duplicate, &changed,
                                           references_.ForUpdate(before, after, row_key));
  if (table_data()->traits().sequence) written = session()->sequences()->Commit(std::move(written));
  if (!written.ok()) {
    if (references_.has_failed()) return HA_ERR_INTERNAL_ERROR;  // which the caller knows better
    return FailWrite(std::move(written), duplicate);
  }
  if (!changed) return HA_ERR_RECORD_IS_THE_SAME;
  open_.NoteChange(RowEvent::kUpdated);
  if (table->found_next_number_field != nullptr &&
      bitmap_is_set(table->write_set, table->found_next_number_field->field_index)) {
    counter_.NoteRow(after);
  }
  return 0;
}

int Handler::delete_row(const uchar* record) {
  return Measured([&] {
    const uchar* ended = nullptr;
    if (table->versioned_write(VERS_TRX_ID)) [[unlikely]] {
      if (int error = versions_.BeginDelete(record, &ended)) return error;
    }
    const auto write = [&] {
      return ended == nullptr ? DeleteRow(record) : UpdateRow(record, ended);
    };
    const int error = references_.is_parent() ? ChangeParent(record, nullptr, write) : write();
    if (error == 0 && ended != nullptr) versions_.NoteRow();
    return error;
  });
}

int Handler::DeleteRow(const uchar* record) {
  open_.virtual_parts()->Complete(record);
  Status written = rows()->writer().Delete(record);
  if (!written.ok()) return Fail(std::move(written));
  open_.NoteChange(RowEvent::kDeleted);
  return 0;
}

int Handler::FailWrite(Status status, size_t duplicate) {
  if (status.code() == Code::kDuplicateKey) {
    session()->set_duplicate_index(static_cast<unsigned>(duplicate));
    StoreReference(rows()->unique().duplicate_row_key(), dup_ref);
  }
  return Fail(std::move(status));
}

void Handler::start_bulk_insert(ha_rows rows, uint) {
  load_.Begin(rows);
  if (references_.refers_to_itself()) load_.Forbid();
}
int Handler::end_bulk_insert() {
  return Measured([&] { return load_.End(); });
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
  *reserved = wanted;
  *first = counter_.Reserve(offset, increment, auto_inc_intervals_count == 0, reserved);
}

}  // namespace basalt::server
