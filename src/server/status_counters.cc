// SPDX-License-Identifier: GPL-2.0-only
#include "server/status_counters.h"

#include <rocksdb/advanced_cache.h>
#include <rocksdb/statistics.h>

#include <iterator>
#include <map>
#include <string>

#include "server/plugin_state.h"

namespace basalt::server {

namespace {

// Counters of RocksDB. Where it has renamed one, the old name stays.
struct TickerVariable {
  const char* name;
  rocksdb::Tickers ticker;
};
constexpr TickerVariable kTickers[] = {
    {"block_cache_miss", rocksdb::BLOCK_CACHE_MISS},
    {"block_cache_hit", rocksdb::BLOCK_CACHE_HIT},
    {"block_cache_add", rocksdb::BLOCK_CACHE_ADD},
    {"block_cache_add_failures", rocksdb::BLOCK_CACHE_ADD_FAILURES},
    {"block_cache_index_miss", rocksdb::BLOCK_CACHE_INDEX_MISS},
    {"block_cache_index_hit", rocksdb::BLOCK_CACHE_INDEX_HIT},
    {"block_cache_index_add", rocksdb::BLOCK_CACHE_INDEX_ADD},
    {"block_cache_index_bytes_insert", rocksdb::BLOCK_CACHE_INDEX_BYTES_INSERT},
    {"block_cache_filter_miss", rocksdb::BLOCK_CACHE_FILTER_MISS},
    {"block_cache_filter_hit", rocksdb::BLOCK_CACHE_FILTER_HIT},
    {"block_cache_filter_add", rocksdb::BLOCK_CACHE_FILTER_ADD},
    {"block_cache_filter_bytes_insert", rocksdb::BLOCK_CACHE_FILTER_BYTES_INSERT},
    {"block_cache_data_miss", rocksdb::BLOCK_CACHE_DATA_MISS},
    {"block_cache_data_hit", rocksdb::BLOCK_CACHE_DATA_HIT},
    {"block_cache_data_add", rocksdb::BLOCK_CACHE_DATA_ADD},
    {"block_cache_data_bytes_insert", rocksdb::BLOCK_CACHE_DATA_BYTES_INSERT},
    {"block_cache_bytes_read", rocksdb::BLOCK_CACHE_BYTES_READ},
    {"block_cache_bytes_write", rocksdb::BLOCK_CACHE_BYTES_WRITE},
    {"bloom_filter_useful", rocksdb::BLOOM_FILTER_USEFUL},
    {"bloom_filter_full_positive", rocksdb::BLOOM_FILTER_FULL_POSITIVE},
    {"bloom_filter_full_true_positive", rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE},
    {"bloom_filter_prefix_checked", rocksdb::BLOOM_FILTER_PREFIX_CHECKED},
    {"bloom_filter_prefix_useful", rocksdb::BLOOM_FILTER_PREFIX_USEFUL},
    {"memtable_hit", rocksdb::MEMTABLE_HIT},
    {"memtable_miss", rocksdb::MEMTABLE_MISS},
    {"get_hit_l0", rocksdb::GET_HIT_L0},
    {"get_hit_l1", rocksdb::GET_HIT_L1},
    {"get_hit_l2_and_up", rocksdb::GET_HIT_L2_AND_UP},
    {"compaction_key_drop_new", rocksdb::COMPACTION_KEY_DROP_NEWER_ENTRY},
    {"compaction_key_drop_obsolete", rocksdb::COMPACTION_KEY_DROP_OBSOLETE},
    {"compaction_key_drop_user", rocksdb::COMPACTION_KEY_DROP_USER},
    {"number_keys_written", rocksdb::NUMBER_KEYS_WRITTEN},
    {"number_keys_read", rocksdb::NUMBER_KEYS_READ},
    {"number_keys_updated", rocksdb::NUMBER_KEYS_UPDATED},
    {"bytes_written", rocksdb::BYTES_WRITTEN},
    {"bytes_read", rocksdb::BYTES_READ},
    {"number_db_seek", rocksdb::NUMBER_DB_SEEK},
    {"number_db_seek_found", rocksdb::NUMBER_DB_SEEK_FOUND},
    {"number_db_next", rocksdb::NUMBER_DB_NEXT},
    {"number_db_next_found", rocksdb::NUMBER_DB_NEXT_FOUND},
    {"number_db_prev", rocksdb::NUMBER_DB_PREV},
    {"number_db_prev_found", rocksdb::NUMBER_DB_PREV_FOUND},
    {"iter_bytes_read", rocksdb::ITER_BYTES_READ},
    {"no_file_opens", rocksdb::NO_FILE_OPENS},
    {"no_file_errors", rocksdb::NO_FILE_ERRORS},
    {"stall_micros", rocksdb::STALL_MICROS},
    {"number_multiget_get", rocksdb::NUMBER_MULTIGET_CALLS},
    {"number_multiget_keys_read", rocksdb::NUMBER_MULTIGET_KEYS_READ},
    {"number_multiget_bytes_read", rocksdb::NUMBER_MULTIGET_BYTES_READ},
    {"number_merge_failures", rocksdb::NUMBER_MERGE_FAILURES},
    {"number_reseeks_iteration", rocksdb::NUMBER_OF_RESEEKS_IN_ITERATION},
    {"getupdatessince_calls", rocksdb::GET_UPDATES_SINCE_CALLS},
    {"wal_synced", rocksdb::WAL_FILE_SYNCED},
    {"wal_bytes", rocksdb::WAL_FILE_BYTES},
    {"write_self", rocksdb::WRITE_DONE_BY_SELF},
    {"write_other", rocksdb::WRITE_DONE_BY_OTHER},
    {"write_wal", rocksdb::WRITE_WITH_WAL},
    {"flush_write_bytes", rocksdb::FLUSH_WRITE_BYTES},
    {"compact_read_bytes", rocksdb::COMPACT_READ_BYTES},
    {"compact_write_bytes", rocksdb::COMPACT_WRITE_BYTES},
};

// Stalls lie in a property of each column family (RocksDB: "rocksdb.cf-write-stall-stats").
struct StallVariable {
  const char* name;
  const char* key;
};
constexpr StallVariable kStalls[] = {
    {"stall_l0_file_count_limit_slowdowns", "l0-file-count-limit-delays"},
    {"stall_l0_file_count_limit_stops", "l0-file-count-limit-stops"},
    {"stall_locked_l0_file_count_limit_slowdowns",
     "cf-l0-file-count-limit-delays-with-ongoing-compaction"},
    {"stall_locked_l0_file_count_limit_stops",
     "cf-l0-file-count-limit-stops-with-ongoing-compaction"},
    {"stall_pending_compaction_limit_slowdowns", "pending-compaction-bytes-delays"},
    {"stall_pending_compaction_limit_stops", "pending-compaction-bytes-stops"},
    {"stall_memtable_limit_slowdowns", "memtable-limit-delays"},
    {"stall_memtable_limit_stops", "memtable-limit-stops"},
    {"stall_total_slowdowns", "total-delays"},
    {"stall_total_stops", "total-stops"},
};

using Number = unsigned long long;

uint64_t Sum(const char* property) {
  uint64_t value = 0;
  Database()->store()->base()->GetAggregatedIntProperty(property, &value);
  return value;
}

uint64_t Waits() { return Database()->transactions()->waits()->counters().waits; }
uint64_t Timeouts() { return Database()->transactions()->waits()->counters().timeouts; }
uint64_t Deadlocks() { return Database()->transactions()->waits()->counters().deadlocks; }
uint64_t Escalations() { return Database()->transactions()->locks()->escalations(); }
uint64_t WalGroupSyncs() { return Database()->store()->wal_sync_rounds(); }
uint64_t MemtableTotal() { return Sum("rocksdb.size-all-mem-tables"); }
uint64_t MemtableUnflushed() { return Sum("rocksdb.cur-size-all-mem-tables"); }
uint64_t CacheUsage() { return Database()->store()->block_cache()->GetUsage(); }
uint64_t WritingAllowed() { return Database()->store()->writing_allowed() ? 1 : 0; }
uint64_t DroppedIndexes() { return Database()->catalog()->DroppedIndexes().size(); }
uint64_t RowsExpired() { return Database()->store()->time_to_live()->dropped(); }
uint64_t RowsFiltered() { return Database()->store()->time_to_live()->hidden(); }
uint64_t Reclaimed() { return Database()->reclaimer()->reclaimed(); }

// The engine's own.
struct OwnVariable {
  const char* name;
  uint64_t (*value)();
};
constexpr OwnVariable kOwn[] = {
    {"row_lock_waits", Waits},
    {"row_lock_wait_timeouts", Timeouts},
    {"row_lock_deadlocks", Deadlocks},
    {"row_lock_escalations", Escalations},
    {"wal_group_syncs", WalGroupSyncs},
    {"memtable_total", MemtableTotal},
    {"memtable_unflushed", MemtableUnflushed},
    {"block_cache_usage", CacheUsage},
    {"rows_expired", RowsExpired},
    {"rows_filtered", RowsFiltered},
    {"writing_allowed", WritingAllowed},
    {"dropped_indexes_waiting", DroppedIndexes},
    {"dropped_indexes_removed", Reclaimed},
};

constexpr size_t kVariables = std::size(kTickers) + std::size(kStalls) + std::size(kOwn);

// Sums over the column families.
std::map<std::string, Number> StallSums() {
  std::map<std::string, Number> sums;
  store::Store* store = Database()->store();
  for (rocksdb::ColumnFamilyHandle* handle : store->ColumnFamilyHandles()) {
    std::map<std::string, std::string> values;
    if (!store->base()->GetMapProperty(handle, "rocksdb.cf-write-stall-stats", &values)) continue;
    for (const auto& [key, value] : values) {
      sums[key] += std::strtoull(value.c_str(), nullptr, 10);
    }
  }
  return sums;
}

struct Row {
  SHOW_VAR* variable;
  Number* value;

  void Fill(const char* name, Number number) {
    *value = number;
    variable->name = name;
    variable->value = value;
    variable->type = SHOW_ULONGLONG;
    ++variable;
    ++value;
  }
};

// The values live in the memory of the statement, so that statements do not share them.
int ShowCounters(THD* thd, SHOW_VAR* result, void*, system_status_var*, enum_var_type) {
  auto* rows = static_cast<SHOW_VAR*>(thd_calloc(thd, (kVariables + 1) * sizeof(SHOW_VAR)));
  auto* values = static_cast<Number*>(thd_calloc(thd, kVariables * sizeof(Number)));
  if (rows == nullptr || values == nullptr) return 1;
  result->type = SHOW_ARRAY;
  result->value = rows;
  if (Database() == nullptr) return 0;
  Row row{rows, values};
  const rocksdb::Statistics* statistics = Database()->store()->statistics();
  for (const TickerVariable& ticker : kTickers) {
    row.Fill(ticker.name, statistics->getTickerCount(ticker.ticker));
  }
  const std::map<std::string, Number> stalls = StallSums();
  for (const StallVariable& stall : kStalls) {
    const auto found = stalls.find(stall.key);
    row.Fill(stall.name, found == stalls.end() ? 0 : found->second);
  }
  for (const OwnVariable& own : kOwn) row.Fill(own.name, own.value());
  return 0;
}

}  // namespace

st_mysql_show_var* StatusVariables() {
  static st_mysql_show_var variables[] = {
      {"rocksdb", reinterpret_cast<void*>(&ShowCounters), SHOW_FUNC},
      {nullptr, nullptr, SHOW_UNDEF}};
  return variables;
}

}  // namespace basalt::server
