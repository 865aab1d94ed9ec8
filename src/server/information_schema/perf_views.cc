// SPDX-License-Identifier: GPL-2.0-only
//
// What RocksDB has measured of statements, see perf_counters.h.
#include "server/information_schema/view.h"
#include "server/measures/perf_counters.h"

namespace basalt::server {

namespace {

ST_FIELD_INFO table_fields[] = {
    Show::Column("TABLE_SCHEMA", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("TABLE_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("PARTITION_NAME", Show::Varchar(kNameLength), NULLABLE),
    Show::Column("STAT_TYPE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("VALUE", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO global_fields[] = {
    Show::Column("STAT_TYPE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("VALUE", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

int FillTables(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  for (const auto& [primary, numbers] : MeasuredByTable()) {
    size_t position = 0;
    const auto table = database.catalog()->FindIndex(primary, &position);
    if (table == nullptr) continue;  // it has been dropped since
    const UserTableName name = ToUserTableName(table->name);
    for (size_t i = 0; i < kPerfCounters; ++i) {
      RowFiller row(tables->table);
      row.Text(name.schema)
          .Text(name.table)
          .TextOrNull(name.partition)
          .Text(PerfCounterNames()[i])
          .Number(numbers[i]);
      if (row.Store(thd)) return 1;
    }
  }
  return 0;
}

int FillGlobal(const engine::Database&, THD* thd, TABLE_LIST* tables) {
  const PerfNumbers numbers = MeasuredInAll();
  for (size_t i = 0; i < kPerfCounters; ++i) {
    RowFiller row(tables->table);
    if (row.Text(PerfCounterNames()[i]).Number(numbers[i]).Store(thd)) return 1;
  }
  return 0;
}

}  // namespace

int InitPerformance(void* table) noexcept { return InitView(table, table_fields, FillTables); }

int InitGlobalPerformance(void* table) noexcept {
  return InitView(table, global_fields, FillGlobal);
}

}  // namespace basalt::server
