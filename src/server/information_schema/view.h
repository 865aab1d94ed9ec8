// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/database.h"
#include "server/server_headers.h"

namespace basalt::server {

// What the tables INFORMATION_SCHEMA.ROCKSDB_* share. Each is a plugin of its own in the library;
// its init function (at the end of this file) tells the server its columns and how it is filled.
// Those that MyRocks has are as there: names, order, types. Each is a picture of a moment ago and
// disturbs nobody. docs/information-schema.md is made from the columns and their texts.

// Widths of MyRocks' columns, in characters.
inline constexpr uint kNameLength = NAME_LEN + 1;
inline constexpr uint kTextLength = 513;

// Fills the fields of a row from left to right. Texts are cut where their column ends.
class RowFiller {
 public:
  explicit RowFiller(TABLE* table) : table_(table), field_(table->field) {}
  RowFiller& Number(uint64_t value);
  RowFiller& Signed(int64_t value);
  RowFiller& Real(double value);
  RowFiller& Text(std::string_view value);
  RowFiller& Null();
  // Null for an empty text.
  RowFiller& TextOrNull(std::string_view value);
  // Hands the row to the server; true on failure.
  bool Store(THD* thd) { return schema_table_store_record(thd, table_); }

 private:
  TABLE* const table_;
  Field** field_;
};

// Bytes in hexadecimal digits, as many as a column of that many characters holds.
std::string HexOf(std::string_view bytes, size_t column_length = SIZE_MAX);

// A table's name as users write it.
struct UserTableName {
  std::string schema;
  std::string table;
  std::string partition;  // "p0", "p0#SP#s1"; empty without
};
// From the dictionary's "database.table#P#p0", in the server's file name encoding.
UserTableName ToUserTableName(std::string_view dictionary_name);

// Empty when there is no such column family.
std::string ColumnFamilyName(const engine::Database& database, uint32_t id);

// Whether the connection may see what belongs to others (PROCESS privilege).
bool MaySeeAll(THD* thd);

// Hands the rows of a view over; 0, or 1 on failure. Not called while the engine is not open.
using ViewFill = int (*)(const engine::Database& database, THD* thd, TABLE_LIST* tables);

// The body of an init function.
int InitView(void* table, ST_FIELD_INFO* fields, ViewFill fill);

// The declaration that plugin.cc gives to the server with each of these.
extern st_mysql_information_schema view_declaration;

int InitColumnFamilyStatistics(void* table) noexcept;  // ROCKSDB_CFSTATS
int InitColumnFamilyOptions(void* table) noexcept;     // ROCKSDB_CF_OPTIONS
int InitCompactionStatistics(void* table) noexcept;    // ROCKSDB_COMPACTION_STATS
int InitDatabaseStatistics(void* table) noexcept;      // ROCKSDB_DBSTATS
int InitGlobalInformation(void* table) noexcept;       // ROCKSDB_GLOBAL_INFO
int InitPerformance(void* table) noexcept;             // ROCKSDB_PERF_CONTEXT
int InitGlobalPerformance(void* table) noexcept;       // ROCKSDB_PERF_CONTEXT_GLOBAL
int InitDictionary(void* table) noexcept;              // ROCKSDB_DDL
int InitForeignKeys(void* table) noexcept;             // ROCKSDB_FOREIGN_KEYS
int InitIndexFiles(void* table) noexcept;              // ROCKSDB_INDEX_FILE_MAP
int InitIndexSizes(void* table) noexcept;              // ROCKSDB_INDEX_SIZES
int InitTableFiles(void* table) noexcept;              // ROCKSDB_SST_PROPS
int InitLiveFiles(void* table) noexcept;               // ROCKSDB_LIVE_FILES
int InitActiveCompactions(void* table) noexcept;       // ROCKSDB_ACTIVE_COMPACTIONS
int InitCompactionHistory(void* table) noexcept;       // ROCKSDB_COMPACTION_HISTORY

}  // namespace basalt::server
