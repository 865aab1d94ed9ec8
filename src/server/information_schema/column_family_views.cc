// SPDX-License-Identifier: GPL-2.0-only
//
// Tables with rows for each column family.
#include "server/information_schema/view.h"
#include "store/reports/store_reports.h"

namespace basalt::server {

namespace {

ST_FIELD_INFO statistics_fields[] = {
    Show::Column("CF_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("STAT_TYPE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("VALUE", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO option_fields[] = {
    Show::Column("CF_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("OPTION_TYPE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("VALUE", Show::Varchar(kNameLength), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO compaction_fields[] = {
    Show::Column("CF_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("LEVEL", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("TYPE", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("VALUE", Show::Double(MY_INT64_NUM_DECIMAL_DIGITS), NOT_NULL),
    Show::CEnd(),
};

int FillStatistics(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  const store::Store& store = *database.store();
  for (rocksdb::ColumnFamilyHandle* family : store.ColumnFamilyHandles()) {
    for (const auto& [name, value] : store::ColumnFamilyNumbers(store, family)) {
      RowFiller row(tables->table);
      if (row.Text(family->GetName()).Text(name).Number(value).Store(thd)) return 1;
    }
  }
  return 0;
}

int FillOptions(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  const store::Store& store = *database.store();
  for (rocksdb::ColumnFamilyHandle* family : store.ColumnFamilyHandles()) {
    for (const auto& [name, value] : store::ColumnFamilyOptionTexts(store, family)) {
      RowFiller row(tables->table);
      if (row.Text(family->GetName()).Text(name).Text(value).Store(thd)) return 1;
    }
  }
  return 0;
}

int FillCompactions(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  const store::Store& store = *database.store();
  for (rocksdb::ColumnFamilyHandle* family : store.ColumnFamilyHandles()) {
    for (const store::CompactionNumber& number : store::CompactionNumbers(store, family)) {
      RowFiller row(tables->table);
      row.Text(family->GetName()).Text(number.level).Text(number.name).Real(number.value);
      if (row.Store(thd)) return 1;
    }
  }
  return 0;
}

}  // namespace

int InitColumnFamilyStatistics(void* table) noexcept {
  return InitView(table, statistics_fields, FillStatistics);
}

int InitColumnFamilyOptions(void* table) noexcept {
  return InitView(table, option_fields, FillOptions);
}

int InitCompactionStatistics(void* table) noexcept {
  return InitView(table, compaction_fields, FillCompactions);
}

}  // namespace basalt::server
