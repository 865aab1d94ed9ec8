// SPDX-License-Identifier: GPL-2.0-only
//
// Tables about the store as a whole.
#include "server/information_schema/view.h"
#include "store/reports/store_reports.h"

namespace basalt::server {

namespace {

ST_FIELD_INFO statistics_fields[] = {
    Show::Column("STAT_TYPE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("VALUE", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO information_fields[] = {
    Show::Column("TYPE", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("NAME", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("VALUE", Show::Varchar(kTextLength), NOT_NULL),
    Show::CEnd(),
};

int FillStatistics(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  for (const auto& [name, value] : store::DatabaseNumbers(*database.store())) {
    RowFiller row(tables->table);
    if (row.Text(name).Number(value).Store(thd)) return 1;
  }
  return 0;
}

std::string IndexText(IndexId index) {
  return "cf_id:" + std::to_string(index.column_family) +
         ",index_id:" + std::to_string(index.number);
}

int FillInformation(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  catalog::Catalog* catalog = database.catalog();
  const auto row = [&](std::string_view type, std::string_view name, std::string_view value) {
    return RowFiller(tables->table).Text(type).Text(name).Text(value).Store(thd);
  };
  if (row("MAX_INDEX_ID", "MAX_INDEX_ID", std::to_string(catalog->maximum_index_number()))) {
    return 1;
  }
  for (const auto& [family, flags] : catalog->column_families().All()) {
    const rocksdb::ColumnFamilyHandle* handle = database.store()->FindColumnFamily(family);
    const std::string name = handle == nullptr ? std::string() : handle->GetName();
    const std::string value = name + " [" + std::to_string(flags) + "]";
    if (row("CF_FLAGS", std::to_string(family), value)) return 1;
  }
  for (const IndexId index : catalog->dropped_indexes().All()) {
    if (row("DDL_DROP_INDEX_ONGOING", IndexText(index), "")) return 1;
  }
  return 0;
}

}  // namespace

int InitDatabaseStatistics(void* table) noexcept {
  return InitView(table, statistics_fields, FillStatistics);
}

int InitGlobalInformation(void* table) noexcept {
  return InitView(table, information_fields, FillInformation);
}

}  // namespace basalt::server
