// SPDX-License-Identifier: GPL-2.0-only
#include "server/information_schema/view.h"

#include <map>

#include "server/plugin_state.h"
#include "server/tables/file_names.h"

namespace basalt::server {

namespace {

// How each table is filled. Written while plugins are loaded, one at a time.
std::map<const ST_SCHEMA_TABLE*, ViewFill>& Fills() {
  static std::map<const ST_SCHEMA_TABLE*, ViewFill> fills;
  return fills;
}

// The tables are plugins of their own, which stay when the engine could not start or was
// uninstalled: they are empty then.
int FillIfOpen(THD* thd, TABLE_LIST* tables, Item*) {
  const engine::Database* database = RunningDatabase();
  if (database == nullptr) return 0;
  return Fills().at(tables->schema_table)(*database, thd, tables);
}

}  // namespace

RowFiller& RowFiller::Number(uint64_t value) {
  (*field_)->set_notnull();
  (*field_++)->store(static_cast<longlong>(value), true);
  return *this;
}

RowFiller& RowFiller::Signed(int64_t value) {
  (*field_)->set_notnull();
  (*field_++)->store(value, false);
  return *this;
}

RowFiller& RowFiller::Real(double value) {
  (*field_)->set_notnull();
  (*field_++)->store(value);
  return *this;
}

RowFiller& RowFiller::Text(std::string_view value) {
  (*field_)->set_notnull();
  (*field_++)->store(value.data(), value.size(), system_charset_info);
  return *this;
}

RowFiller& RowFiller::Null() {
  (*field_++)->set_null();
  return *this;
}

RowFiller& RowFiller::TextOrNull(std::string_view value) {
  return value.empty() ? Null() : Text(value);
}

std::string HexOf(std::string_view bytes, size_t column_length) {
  std::string hex;
  AppendHex(bytes.substr(0, column_length / 2), &hex);
  return hex;
}

UserTableName ToUserTableName(std::string_view dictionary_name) {
  UserTableName name;
  const size_t dot = dictionary_name.find('.');
  name.schema = DisplayNameOf(dictionary_name.substr(0, dot));
  if (dot == std::string_view::npos) return name;
  name.table = DisplayNameOf(catalog::TableOfPartition(dictionary_name).substr(dot + 1));
  name.partition = DisplayNameOf(dictionary_name.substr(catalog::WholeOf(dictionary_name).size()));
  return name;
}

std::string ColumnFamilyName(const engine::Database& database, uint32_t id) {
  const rocksdb::ColumnFamilyHandle* family = database.store()->FindColumnFamily(id);
  return family == nullptr ? std::string() : family->GetName();
}

bool MaySeeAll(THD* thd) { return !check_global_access(thd, PROCESS_ACL, true); }

int InitView(void* table, ST_FIELD_INFO* fields, ViewFill fill) {
  auto* schema = static_cast<ST_SCHEMA_TABLE*>(table);
  schema->fields_info = fields;
  Fills()[schema] = fill;
  schema->fill_table = FillIfOpen;
  return 0;
}

st_mysql_information_schema view_declaration = {MYSQL_INFORMATION_SCHEMA_INTERFACE_VERSION};

}  // namespace basalt::server
