// SPDX-License-Identifier: GPL-2.0-only
//
// Tables with rows for each index: what the dictionary says of it, which files it lies in, and how
// much room it takes.
#include <algorithm>
#include <map>

#include "catalog/dictionary_records.h"
#include "server/information_schema/view.h"
#include "server/tables/index_names.h"
#include "store/format/index_bounds.h"
#include "store/reports/store_reports.h"

namespace basalt::server {

namespace {

constexpr uint kPrefixesLength = 800;  // MyRocks': up to MAX_REF_PARTS numbers

ST_FIELD_INFO dictionary_fields[] = {
    Show::Column("TABLE_SCHEMA", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("TABLE_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("PARTITION_NAME", Show::Varchar(kNameLength), NULLABLE),
    Show::Column("INDEX_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("COLUMN_FAMILY", Show::SLong(), NOT_NULL),
    Show::Column("INDEX_NUMBER", Show::SLong(), NOT_NULL),
    Show::Column("INDEX_TYPE", Show::SShort(6), NOT_NULL),
    Show::Column("KV_FORMAT_VERSION", Show::SShort(6), NOT_NULL),
    Show::Column("TTL_DURATION", Show::SLonglong(), NOT_NULL),
    Show::Column("INDEX_FLAGS", Show::SLonglong(), NOT_NULL),
    Show::Column("CF", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("AUTO_INCREMENT", Show::ULonglong(), NULLABLE),
    Show::CEnd(),
};

ST_FIELD_INFO file_fields[] = {
    Show::Column("COLUMN_FAMILY", Show::SLong(), NOT_NULL),
    Show::Column("INDEX_NUMBER", Show::SLong(), NOT_NULL),
    Show::Column("SST_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("NUM_ROWS", Show::SLonglong(), NOT_NULL),
    Show::Column("DATA_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("ENTRY_DELETES", Show::SLonglong(), NOT_NULL),
    Show::Column("ENTRY_SINGLEDELETES", Show::SLonglong(), NOT_NULL),
    Show::Column("ENTRY_MERGES", Show::SLonglong(), NOT_NULL),
    Show::Column("ENTRY_OTHERS", Show::SLonglong(), NOT_NULL),
    Show::Column("DISTINCT_KEYS_PREFIX", Show::Varchar(kPrefixesLength), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO size_fields[] = {
    Show::Column("TABLE_SCHEMA", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("TABLE_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("PARTITION_NAME", Show::Varchar(kNameLength), NULLABLE),
    Show::Column("INDEX_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("CF", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("COLUMN_FAMILY", Show::SLong(), NOT_NULL),
    Show::Column("INDEX_NUMBER", Show::SLong(), NOT_NULL),
    Show::Column("FILES", Show::SLonglong(), NOT_NULL),
    Show::Column("FILE_ENTRIES", Show::SLonglong(), NOT_NULL),
    Show::Column("FILE_DELETIONS", Show::SLonglong(), NOT_NULL),
    Show::Column("DATA_BYTES", Show::SLonglong(), NOT_NULL),
    Show::Column("DISK_BYTES", Show::SLonglong(), NOT_NULL),
    Show::Column("MEMTABLE_ENTRIES", Show::SLonglong(), NOT_NULL),
    Show::Column("MEMTABLE_BYTES", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

// Each index of each table, in the order of the tables' names; stops when `visit` returns not 0.
template <typename Visit>
int ForEachIndex(const engine::Database& database, const Visit& visit) {
  for (const auto& table : database.catalog()->Tables()) {
    for (const catalog::IndexRecord& index : table->indexes) {
      if (int error = visit(*table, index)) return error;
    }
  }
  return 0;
}

// The columns that say which index it is.
RowFiller& Identify(const engine::Database& database, RowFiller& row,
                    const catalog::TableRecord& table, IndexId index) {
  const UserTableName name = ToUserTableName(table.name);
  return row.Text(name.schema)
      .Text(name.table)
      .TextOrNull(name.partition)
      .Text(NameOfIndex(database, index).index);
}

void FillNextValue(const engine::Database& database, const catalog::TableRecord& table,
                   RowFiller* row) {
  const catalog::IndexRecord* primary = table.Primary();
  uint64_t next = 0;
  const bool known =
      primary != nullptr && database.catalog()->auto_increments().Read(primary->id, &next).ok();
  if (known && next != 0) {
    row->Number(next);
  } else {
    row->Null();
  }
}

int FillDictionary(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  return ForEachIndex(database,
                      [&](const catalog::TableRecord& table, const catalog::IndexRecord& index) {
                        RowFiller row(tables->table);
                        Identify(database, row, table, index.id)
                            .Number(index.id.column_family)
                            .Number(index.id.number)
                            .Number(static_cast<uint64_t>(index.kind))
                            .Number(index.key_value_format_version)
                            .Number(index.ttl_seconds)
                            .Number(index.flags)
                            .Text(ColumnFamilyName(database, index.id.column_family));
                        FillNextValue(database, table, &row);
                        return row.Store(thd) ? 1 : 0;
                      });
}

std::string Joined(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text.append(text.empty() ? "" : ",").append(std::to_string(number));
  }
  return text;
}

// The statistics of each index in each file.
template <typename Visit>
int ForEachFile(const engine::Database& database, const Visit& visit) {
  std::vector<store::TableFile> files;
  // A file that cannot be read has no rows here; statements that need it fail.
  (void)store::ReadTableFiles(*database.store(), &files);
  std::vector<store::IndexStatisticsRecord> records;
  for (const store::TableFile& file : files) {
    store::DecodeIndexStatistics(store::StatisticsKeeper::PropertyOf(*file.properties), &records);
    for (const store::IndexStatisticsRecord& record : records) {
      if (int error = visit(file, record)) return error;
    }
  }
  return 0;
}

// Records of the dictionary that MyRocks does not have: their types would pass for the newest index
// of all.
bool IsOwnRecord(const engine::Database& database, IndexId index) {
  return index.column_family == database.store()->system()->GetID() &&
         index.number >= static_cast<uint32_t>(catalog::RecordType::kIngestJob);
}

int FillFiles(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  return ForEachFile(database,
                     [&](const store::TableFile& file, const store::IndexStatisticsRecord& record) {
                       if (IsOwnRecord(database, record.index)) return 0;
                       const store::IndexStatistics& statistics = record.statistics;
                       RowFiller row(tables->table);
                       row.Number(record.index.column_family)
                           .Number(record.index.number)
                           .Text(file.name)
                           .Signed(statistics.rows)
                           .Signed(statistics.data_bytes)
                           .Signed(statistics.deletes)
                           .Signed(statistics.single_deletes)
                           .Signed(statistics.merges)
                           .Signed(statistics.others)
                           .Text(Joined(statistics.distinct_prefixes));
                       return row.Store(thd) ? 1 : 0;
                     });
}

struct Room {
  uint64_t files = 0;
  store::IndexStatistics statistics;
};

std::map<IndexId, Room> RoomInFiles(const engine::Database& database) {
  std::map<IndexId, Room> rooms;
  (void)ForEachFile(database,
                    [&](const store::TableFile&, const store::IndexStatisticsRecord& record) {
                      Room& room = rooms[record.index];
                      ++room.files;
                      room.statistics.Add(record.statistics);
                      return 0;
                    });
  return rooms;
}

int FillSizes(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  const std::map<IndexId, Room> rooms = RoomInFiles(database);
  store::Store* store = database.store();
  return ForEachIndex(
      database, [&](const catalog::TableRecord& table, const catalog::IndexRecord& index) {
        rocksdb::ColumnFamilyHandle* family = store->FindColumnFamily(index.id.column_family);
        if (family == nullptr) return 0;
        const auto found = rooms.find(index.id);
        const Room room = found == rooms.end() ? Room() : found->second;
        const store::MemtableShare memtables = store::MemtableShareOf(*store, family, index.id);
        RowFiller row(tables->table);
        Identify(database, row, table, index.id)
            .Text(family->GetName())
            .Number(index.id.column_family)
            .Number(index.id.number)
            .Number(room.files)
            .Signed(room.statistics.rows)
            .Signed(room.statistics.deletes + room.statistics.single_deletes)
            .Signed(room.statistics.data_bytes)
            .Number(std::max(store::DiskBytesOf(*store, family, index.id),
                             static_cast<uint64_t>(room.statistics.disk_bytes)))
            .Number(memtables.entries)
            .Number(memtables.bytes);
        return row.Store(thd) ? 1 : 0;
      });
}

}  // namespace

int InitDictionary(void* table) noexcept {
  return InitView(table, dictionary_fields, FillDictionary);
}

int InitIndexFiles(void* table) noexcept { return InitView(table, file_fields, FillFiles); }

int InitIndexSizes(void* table) noexcept { return InitView(table, size_fields, FillSizes); }

}  // namespace basalt::server
