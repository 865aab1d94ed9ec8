// SPDX-License-Identifier: GPL-2.0-only
#include "server/reports/engine_status.h"

#include <rocksdb/advanced_cache.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "server/foreign_keys/latest_foreign_key_error.h"
#include "server/plugin_state.h"
#include "server/reports/downgrade_check.h"
#include "server/reports/lock_views.h"
#include "store/reports/store_reports.h"

namespace basalt::server {

namespace {

bool PrintRow(THD* thd, stat_print_fn* print, std::string_view type, std::string_view name,
              std::string_view text) {
  return print(thd, type.data(), type.size(), name.data(), name.size(), text.data(), text.size());
}

void AppendLine(std::string* text, std::string_view name, uint64_t value) {
  text->append(name).append(": ").append(std::to_string(value)).append("\n");
}

uint64_t Sum(store::Store& store, const char* property) {
  uint64_t value = 0;
  store.base()->GetAggregatedIntProperty(property, &value);
  return value;
}

// The first five lines are those that tools look for.
std::string MemoryText(store::Store& store) {
  const rocksdb::Cache* cache = store.block_cache();
  std::string text = "\n";
  AppendLine(&text, "MemTable Total", Sum(store, "rocksdb.size-all-mem-tables"));
  AppendLine(&text, "MemTable Unflushed", Sum(store, "rocksdb.cur-size-all-mem-tables"));
  AppendLine(&text, "Table Readers Total", Sum(store, "rocksdb.estimate-table-readers-mem"));
  AppendLine(&text, "Cache Total", cache->GetUsage());
  AppendLine(&text, "Default Cache Capacity", cache->GetCapacity());
  AppendLine(&text, "Cache Pinned", cache->GetPinnedUsage());
  return text;
}

// Counters and histograms, and what else tools look for at their end.
std::string StatisticsText(store::Store& store) {
  std::string text = store.statistics()->ToString();
  for (const auto& [name, property] :
       {std::pair("rocksdb.is_write_stopped", "rocksdb.is-write-stopped"),
        std::pair("rocksdb.actual_delayed_write_rate", "rocksdb.actual-delayed-write-rate")}) {
    uint64_t value = 0;
    store.base()->GetIntProperty(property, &value);
    text.append(name).append(" COUNT : ").append(std::to_string(value)).append("\n");
  }
  return text;
}

// What of snapshots keeps old versions of rows.
std::string SnapshotText(const store::Store& store) {
  std::string text = "\n";
  for (const auto& [name, value] : store::DatabaseNumbers(store)) {
    if (std::string_view(name).find("SNAPSHOT") == std::string_view::npos) continue;
    AppendLine(&text, name, value);
  }
  return text;
}

std::string TransactionText(const engine::Database& database) {
  std::string text;
  const txn::WaitGraph::Counters locks = database.transactions()->waits()->counters();
  AppendLine(&text, "Row lock waits", locks.waits);
  AppendLine(&text, "Row lock timeouts", locks.timeouts);
  AppendLine(&text, "Deadlocks", locks.deadlocks);
  AppendLine(&text, "Lock escalations", database.transactions()->locks()->escalations());
  AppendLine(&text, "Prepared transactions without a connection",
             database.transactions()->DetachedNames().size());
  AppendLine(&text, "Dropped indexes waiting for removal",
             database.catalog()->dropped_indexes().All().size());
  AppendLine(&text, "Log sync rounds", database.store()->wal_syncs().rounds());
  const Status writing = database.store()->CheckWritingAllowed();
  text.append("Writing: ").append(writing.ok() ? "allowed" : writing.ToString()).append("\n");
  return text;
}

void AppendNames(const std::string& title, const std::set<std::string>& names, std::string* text) {
  text->append(title).append(": ");
  if (names.empty()) text->append("none");
  for (const std::string& name : names) {
    text->append(name == *names.begin() ? "" : ", ").append(name);
  }
  text->append("\n");
}

// Which versions the indexes have, and the tables that are in the way back to MyRocks.
std::string FormatText(const engine::Database& database, THD* thd) {
  std::map<uint16_t, uint64_t> indexes;
  std::set<std::string> newer;
  const auto tables = database.catalog()->Tables();
  for (const auto& table : tables) {
    bool readable = true;
    for (const catalog::IndexRecord& index : table->indexes) {
      ++indexes[index.key_value_format_version];
      readable = readable && index.row_layout.empty() &&
                 index.key_value_format_version <= catalog::kKeyValueFormatVersion;
    }
    if (!readable) newer.emplace(catalog::TableOfPartition(table->name));
  }
  std::string text;
  for (const auto& [version, count] : indexes) {
    AppendLine(&text, "Indexes of format version " + std::to_string(version), count);
  }
  AppendNames("Tables with indexes that MyRocks cannot read", newer, &text);
  AppendNames("Sequences and tables with columns that MyRocks cannot open",
              TablesMyRocksCannotOpen(database, thd), &text);
  AppendNames("Tables with foreign keys, which MyRocks does not check",
              TablesWithForeignKeys(database), &text);
  return text;
}

}  // namespace

bool ShowStatus(handlerton*, THD* thd, stat_print_fn* print, ha_stat_type type) {
  if (type != HA_ENGINE_STATUS) return false;
  const engine::Database& database = *RunningDatabase();
  store::Store* const store = database.store();
  std::string text;
  if (PrintRow(thd, print, "STATISTICS", "rocksdb", StatisticsText(*store))) return true;
  if (store->base()->GetProperty("rocksdb.dbstats", &text) &&
      PrintRow(thd, print, "DBSTATS", "rocksdb", text)) {
    return true;
  }
  for (rocksdb::ColumnFamilyHandle* handle : store->ColumnFamilyHandles()) {
    if (store->base()->GetProperty(handle, "rocksdb.cfstats", &text) &&
        PrintRow(thd, print, "CF_COMPACTION", handle->GetName(), text)) {
      return true;
    }
  }
  if (PrintRow(thd, print, "MEMORY_STATS", "rocksdb", MemoryText(*store))) return true;
  for (const store::BackgroundThread& thread : store::BackgroundThreads(*store)) {
    if (PrintRow(thd, print, "BG_THREADS", std::to_string(thread.id), thread.text)) return true;
  }
  if (PrintRow(thd, print, "EXPLICIT_SNAPSHOTS", "rocksdb", SnapshotText(*store))) return true;
  text = LastDeadlockText(database);
  if (!text.empty() && PrintRow(thd, print, "LATEST_DEADLOCK", "rocksdb", text)) return true;
  text = LatestForeignKeyError();
  if (!text.empty() && PrintRow(thd, print, "LATEST_FOREIGN_KEY_ERROR", "basalt", text)) {
    return true;
  }
  if (PrintRow(thd, print, "TRANSACTIONS", "basalt", TransactionText(database))) return true;
  return PrintRow(thd, print, "FORMAT", "basalt", FormatText(database, thd));
}

}  // namespace basalt::server
