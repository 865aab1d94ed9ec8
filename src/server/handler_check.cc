// SPDX-License-Identifier: GPL-2.0-only
//
// CHECK TABLE, both ways and streaming: every entry of a secondary index must have its row, and
// there must be as many entries as rows. Since a row matches exactly one entry of an index, the two
// together say that no row lacks its entry.
#include <string>
#include <utility>

#include "server/handler.h"

namespace basalt::server {

namespace {

using Direction = engine::RowAccess::Position;

void Complain(THD* thd, const std::string& text) {
  push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_NOT_KEYFILE, text.c_str());
}

// Is `entry` what the row has to have in the index? `buffer` holds max_key_bytes.
bool IsEntryOf(const engine::Table& table, size_t index, const uint8_t* record, Bytes row_key,
               Bytes entry, std::vector<uint8_t>* buffer) {
  const uint64_t hidden_id = table.hidden_primary() ? codec::HiddenIdOf(row_key) : 0;
  const size_t bytes =
      table.index(index).codec->EncodeKey(record, hidden_id, buffer->data(), nullptr, nullptr);
  return entry == MakeBytes(buffer->data(), bytes);
}

Status Interrupted() { return Status(Code::kInterrupted, "CHECK TABLE was interrupted"); }

}  // namespace

// Reads every row in full.
Status Handler::CountRows(uint64_t* rows) {
  *rows = 0;
  BASALT_RETURN_IF_ERROR(
      rows_->StartScan(table_data()->primary_position(), /*key_only=*/false, /*fill_cache=*/false));
  Status status = rows_->SeekToEnd(Direction::kForward);
  while (status.ok()) {
    BASALT_RETURN_IF_ERROR(rows_->ReadEntryRow(table->record[0]));
    ++*rows;
    if (table->in_use->killed) return Interrupted();
    status = rows_->Step(Direction::kForward);
  }
  return status.code() == Code::kEndOfRange ? Status::Ok() : std::move(status);
}

Status Handler::CheckEntries(size_t index, bool quick, uint64_t* entries, uint64_t* bad) {
  BASALT_RETURN_IF_ERROR(rows_->StartScan(index, /*key_only=*/quick, /*fill_cache=*/false));
  std::vector<uint8_t> key(table_data()->max_key_bytes());
  Status status = rows_->SeekToEnd(Direction::kForward);
  while (status.ok()) {
    ++*entries;
    if (!quick) {
      Status read = rows_->ReadEntryRow(table->record[0]);
      const bool missing = read.code() == Code::kNotFound || read.code() == Code::kCorruption;
      if (!missing) BASALT_RETURN_IF_ERROR(std::move(read));
      if (!missing && virtual_parts_.IndexHas(index)) {
        virtual_parts_.Compute(index, table->record[0]);
      }
      if (missing || !IsEntryOf(*table_data(), index, table->record[0], rows_->row_key(),
                                rows_->entry_key(), &key)) {
        ++*bad;
      }
    }
    if (table->in_use->killed) return Interrupted();
    status = rows_->Step(Direction::kForward);
  }
  return status.code() == Code::kEndOfRange ? Status::Ok() : std::move(status);
}

Status Handler::CheckIndex(size_t index, bool quick, uint64_t rows, std::string* complaint) {
  uint64_t entries = 0;
  uint64_t bad = 0;
  BASALT_RETURN_IF_ERROR(CheckEntries(index, quick, &entries, &bad));
  const std::string name = table_data()->descriptor().indexes[index].name;
  if (bad > 0) {
    *complaint = "index " + name + ": " + std::to_string(bad) + " of " + std::to_string(entries) +
                 " entries have no row that belongs to them";
  } else if (entries != rows) {
    *complaint = "index " + name + " has " + std::to_string(entries) + " entries, the table " +
                 std::to_string(rows) + " rows";
  }
  return Status::Ok();
}

int Handler::check(THD* thd, HA_CHECK_OPT* check_opt) {
  const bool quick = (check_opt->flags & T_QUICK) != 0;
  rows_->set_intent({});
  rows_->SetWantedColumns(codec::ColumnSet::All(table->s->fields));
  read_.wanted_known = false;
  uint64_t rows = 0;
  Status status = CountRows(&rows);
  bool healthy = true;
  for (size_t i = 0; status.ok() && i < table_data()->index_count(); ++i) {
    if (i == table_data()->primary_position()) continue;
    std::string complaint;
    status = CheckIndex(i, quick, rows, &complaint);
    if (complaint.empty()) continue;
    Complain(thd, complaint);
    healthy = false;
  }
  rows_->EndScan();
  if (status.code() == Code::kInterrupted) return HA_ADMIN_FAILED;
  if (!status.ok()) {
    Complain(thd, status.ToString());
    Fail(std::move(status));
    return HA_ADMIN_CORRUPT;
  }
  return healthy ? HA_ADMIN_OK : HA_ADMIN_CORRUPT;
}

}  // namespace basalt::server
