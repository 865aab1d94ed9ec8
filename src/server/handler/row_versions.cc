// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/row_versions.h"

#include <utility>

#include "server/connections/statement_logging.h"

namespace basalt::server {

namespace {

uchar* StartIn(const TABLE& table, const uchar* record) {
  return const_cast<uchar*>(table.vers_start_field()->ptr_in_record(record));
}

uchar* EndIn(const TABLE& table, const uchar* record) {
  return const_cast<uchar*>(table.vers_end_field()->ptr_in_record(record));
}

}  // namespace

int RowVersions::Begin(uint64_t* id) {
  THD* thd = table_->server_table()->in_use;
  if (checked_ != thd->query_id) {
    Status logged = CheckLoggedAsStatement(*table_->server_table());
    if (!logged.ok()) return table_->Fail(std::move(logged));
    checked_ = thd->query_id;
  }
  Status taken = table_->session()->versions()->GetBeginId(&id_);
  if (!taken.ok()) return table_->Fail(std::move(taken));
  *id = id_;
  return 0;
}

int RowVersions::BeginCopy() {
  THD* thd = table_->server_table()->in_use;
  if ((thd->lex->alter_info.flags & ALTER_ADD_SYSTEM_VERSIONING) == 0) return 0;
  uint64_t id = 0;
  if (int error = Begin(&id)) return error;
  NoteRow();
  return 0;
}

int RowVersions::BeginInsert(const uchar* record) {
  uint64_t id = 0;
  if (int error = Begin(&id)) return error;
  const TABLE& table = *table_->server_table();
  int8store(StartIn(table, record), id);
  int8store(EndIn(table, record), ULONGLONG_MAX);
  return 0;
}

int RowVersions::BeginUpdate(const uchar* before, const uchar* after, bool* history) {
  uint64_t id = 0;
  if (int error = Begin(&id)) return error;
  const TABLE& table = *table_->server_table();
  int8store(StartIn(table, after), id);
  int8store(EndIn(table, after), ULONGLONG_MAX);
  *history = table.vers_start_id(before) != id;
  return 0;
}

int RowVersions::BeginDelete(const uchar* record, const uchar** ended) {
  uint64_t id = 0;
  if (int error = Begin(&id)) return error;
  const TABLE& table = *table_->server_table();
  *ended = nullptr;
  if (table.vers_end_id(record) != ULONGLONG_MAX || table.vers_start_id(record) == id) return 0;
  ended_.assign(record, table.s->reclength);
  int8store(EndIn(table, ended_.data()), id);
  *ended = ended_.data();
  return 0;
}

void RowVersions::NoteRow() { table_->session()->versions()->NoteRow(); }

RowVersions::Ended::Ended(const RowVersions& versions, const uchar* record)
    : end_(EndIn(*versions.table_->server_table(), record)), before_(uint8korr(end_)) {
  int8store(end_, versions.id_);
}

RowVersions::Ended::~Ended() { int8store(end_, before_); }

}  // namespace basalt::server
