// SPDX-License-Identifier: GPL-2.0-only
#include "server/reports/status_counters.h"

#include <rocksdb/advanced_cache.h>
#include <rocksdb/statistics.h>

#include <iterator>
#include <map>
#include <string>

#include "server/connections/session.h"
#include "server/plugin_state.h"
#include "store/errors/status_map.h"
#include "store/options/block_cache.h"

namespace basalt::server {

namespace {

// The tables below have the name of each counter and what it counts, from which docs/status.md is
// made.

// Counters of RocksDB. Where it has renamed one, the old name stays.
struct TickerVariable {
  const char* name;
  rocksdb::Tickers ticker;
  const char* text;
};
constexpr TickerVariable kTickers[] = {
    {"block_cache_miss", rocksdb::BLOCK_CACHE_MISS, "blocks that were not in the block cache"},
    {"block_cache_hit", rocksdb::BLOCK_CACHE_HIT, "blocks that were in the block cache"},
    {"block_cache_add", rocksdb::BLOCK_CACHE_ADD, "blocks put into the block cache"},
    {"block_cache_add_failures", rocksdb::BLOCK_CACHE_ADD_FAILURES,
     "blocks that the block cache had no room for"},
    {"block_cache_index_miss", rocksdb::BLOCK_CACHE_INDEX_MISS,
     "index blocks that were not in the block cache"},
    {"block_cache_index_hit", rocksdb::BLOCK_CACHE_INDEX_HIT,
     "index blocks that were in the block cache"},
    {"block_cache_index_add", rocksdb::BLOCK_CACHE_INDEX_ADD,
     "index blocks put into the block cache"},
    {"block_cache_index_bytes_insert", rocksdb::BLOCK_CACHE_INDEX_BYTES_INSERT,
     "bytes of index blocks put into the block cache"},
    {"block_cache_filter_miss", rocksdb::BLOCK_CACHE_FILTER_MISS,
     "filter blocks that were not in the block cache"},
    {"block_cache_filter_hit", rocksdb::BLOCK_CACHE_FILTER_HIT,
     "filter blocks that were in the block cache"},
    {"block_cache_filter_add", rocksdb::BLOCK_CACHE_FILTER_ADD,
     "filter blocks put into the block cache"},
    {"block_cache_filter_bytes_insert", rocksdb::BLOCK_CACHE_FILTER_BYTES_INSERT,
     "bytes of filter blocks put into the block cache"},
    {"block_cache_data_miss", rocksdb::BLOCK_CACHE_DATA_MISS,
     "data blocks that were not in the block cache"},
    {"block_cache_data_hit", rocksdb::BLOCK_CACHE_DATA_HIT,
     "data blocks that were in the block cache"},
    {"block_cache_data_add", rocksdb::BLOCK_CACHE_DATA_ADD, "data blocks put into the block cache"},
    {"block_cache_data_bytes_insert", rocksdb::BLOCK_CACHE_DATA_BYTES_INSERT,
     "bytes of data blocks put into the block cache"},
    {"block_cache_bytes_read", rocksdb::BLOCK_CACHE_BYTES_READ, "bytes taken from the block cache"},
    {"block_cache_bytes_write", rocksdb::BLOCK_CACHE_BYTES_WRITE, "bytes put into the block cache"},
    {"bloom_filter_useful", rocksdb::BLOOM_FILTER_USEFUL,
     "files not read because their filter knew that the key is not there"},
    {"bloom_filter_full_positive", rocksdb::BLOOM_FILTER_FULL_POSITIVE,
     "files that a filter said may have the key"},
    {"bloom_filter_full_true_positive", rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE,
     "files that a filter said may have the key, and had it"},
    {"bloom_filter_prefix_checked", rocksdb::BLOOM_FILTER_PREFIX_CHECKED,
     "files whose filter was asked for a prefix"},
    {"bloom_filter_prefix_useful", rocksdb::BLOOM_FILTER_PREFIX_USEFUL,
     "files not read because their filter knew that no key has the prefix"},
    {"memtable_hit", rocksdb::MEMTABLE_HIT, "point reads answered by a memtable"},
    {"memtable_miss", rocksdb::MEMTABLE_MISS, "point reads that memtables did not answer"},
    {"get_hit_l0", rocksdb::GET_HIT_L0, "point reads answered by level 0"},
    {"get_hit_l1", rocksdb::GET_HIT_L1, "point reads answered by level 1"},
    {"get_hit_l2_and_up", rocksdb::GET_HIT_L2_AND_UP, "point reads answered by a deeper level"},
    {"compaction_key_drop_new", rocksdb::COMPACTION_KEY_DROP_NEWER_ENTRY,
     "entries that compactions left out because newer ones have their key"},
    {"compaction_key_drop_obsolete", rocksdb::COMPACTION_KEY_DROP_OBSOLETE,
     "entries that compactions left out because they were deleted"},
    {"compaction_key_drop_user", rocksdb::COMPACTION_KEY_DROP_USER,
     "entries that compactions left out for their age"},
    {"number_keys_written", rocksdb::NUMBER_KEYS_WRITTEN, "entries written"},
    {"number_keys_read", rocksdb::NUMBER_KEYS_READ, "point reads"},
    {"number_keys_updated", rocksdb::NUMBER_KEYS_UPDATED, "entries changed in place in a memtable"},
    {"bytes_written", rocksdb::BYTES_WRITTEN, "bytes written into memtables"},
    {"bytes_read", rocksdb::BYTES_READ, "bytes of values of point reads"},
    {"number_db_seek", rocksdb::NUMBER_DB_SEEK, "searches by iterators"},
    {"number_db_seek_found", rocksdb::NUMBER_DB_SEEK_FOUND,
     "searches by iterators that found an entry"},
    {"number_db_next", rocksdb::NUMBER_DB_NEXT, "steps forward of iterators"},
    {"number_db_next_found", rocksdb::NUMBER_DB_NEXT_FOUND,
     "steps forward of iterators that found an entry"},
    {"number_db_prev", rocksdb::NUMBER_DB_PREV, "steps back of iterators"},
    {"number_db_prev_found", rocksdb::NUMBER_DB_PREV_FOUND,
     "steps back of iterators that found an entry"},
    {"iter_bytes_read", rocksdb::ITER_BYTES_READ, "bytes of entries that iterators passed"},
    {"no_file_opens", rocksdb::NO_FILE_OPENS, "table files opened"},
    {"no_file_errors", rocksdb::NO_FILE_ERRORS, "table files that could not be opened"},
    {"stall_micros", rocksdb::STALL_MICROS,
     "microseconds that writes waited for flushes and compactions"},
    {"number_multiget_get", rocksdb::NUMBER_MULTIGET_CALLS, "calls for many rows at once"},
    {"number_multiget_keys_read", rocksdb::NUMBER_MULTIGET_KEYS_READ,
     "rows asked for by such calls"},
    {"number_multiget_bytes_read", rocksdb::NUMBER_MULTIGET_BYTES_READ,
     "bytes of rows asked for by such calls"},
    {"number_merge_failures", rocksdb::NUMBER_MERGE_FAILURES, "merges that failed"},
    {"number_reseeks_iteration", rocksdb::NUMBER_OF_RESEEKS_IN_ITERATION,
     "searches of iterators instead of many steps"},
    {"getupdatessince_calls", rocksdb::GET_UPDATES_SINCE_CALLS, "readers of the log"},
    {"wal_synced", rocksdb::WAL_FILE_SYNCED, "syncs of the log"},
    {"wal_bytes", rocksdb::WAL_FILE_BYTES, "bytes written to the log"},
    {"write_self", rocksdb::WRITE_DONE_BY_SELF, "writes that their own thread carried out"},
    {"write_other", rocksdb::WRITE_DONE_BY_OTHER,
     "writes that another thread carried out along with its own"},
    {"write_wal", rocksdb::WRITE_WITH_WAL, "writes that were logged"},
    {"flush_write_bytes", rocksdb::FLUSH_WRITE_BYTES,
     "bytes of table files written from memtables"},
    {"compact_read_bytes", rocksdb::COMPACT_READ_BYTES, "bytes read by compactions"},
    {"compact_write_bytes", rocksdb::COMPACT_WRITE_BYTES, "bytes written by compactions"},
    {"number_superversion_acquires", rocksdb::NUMBER_SUPERVERSION_ACQUIRES,
     "views of the store taken for a read"},
    {"number_superversion_releases", rocksdb::NUMBER_SUPERVERSION_RELEASES,
     "views of the store given back"},
    {"number_superversion_cleanups", rocksdb::NUMBER_SUPERVERSION_CLEANUPS,
     "views of the store freed"},
};

// MyRocks has them, RocksDB does not count them any more, and nothing here has that meaning.
struct AbsentVariable {
  const char* name;
  const char* text;
};
constexpr AbsentVariable kAbsent[] = {
    {"block_cache_filter_bytes_evict", "always 0: RocksDB does not count it any more"},
    {"block_cache_index_bytes_evict", "always 0: RocksDB does not count it any more"},
    {"no_file_closes", "always 0: RocksDB does not count it any more"},
    {"number_deletes_filtered", "always 0: deletions are always written"},
    {"write_timedout", "always 0: writes have no time limit"},
    {"write_timeout", "always 0, as write_timedout: the name that dashboards read"},
};

// Rows and searches of all connections.
struct RowVariable {
  const char* name;
  RowEvent event;
  const char* text;
};
constexpr RowVariable kRows[] = {
    {"rows_read", RowEvent::kRead, "rows given to the server"},
    {"rows_inserted", RowEvent::kInserted, "rows inserted"},
    {"rows_updated", RowEvent::kUpdated, "rows changed"},
    {"rows_deleted", RowEvent::kDeleted, "rows deleted"},
    {"system_rows_read", RowEvent::kSystemRead,
     "rows of tables of the database mysql given to the server"},
    {"system_rows_inserted", RowEvent::kSystemInserted,
     "rows inserted into tables of the database mysql"},
    {"system_rows_updated", RowEvent::kSystemUpdated,
     "rows changed in tables of the database mysql"},
    {"system_rows_deleted", RowEvent::kSystemDeleted,
     "rows deleted from tables of the database mysql"},
    {"queries_point", RowEvent::kPointQuery, "look-ups by a whole unique key"},
    {"queries_range", RowEvent::kRangeQuery, "other searches in indexes"},
    {"covered_secondary_key_lookups", RowEvent::kCoveredLookUp,
     "rows answered by the entry of a secondary index alone"},
    {"rows_updated_blind", RowEvent::kUpdatedBlind,
     "of the rows changed, those that a replica had not read (rocksdb_read_free_rpl)"},
    {"rows_deleted_blind", RowEvent::kDeletedBlind,
     "of the rows deleted, those that a replica had not read (rocksdb_read_free_rpl)"},
    {"snapshot_conflict_errors", RowEvent::kSnapshotConflict,
     "statements that failed because a row has changed since the snapshot"},
};

// Stalls lie in a property of each column family (RocksDB: "rocksdb.cf-write-stall-stats").
struct StallVariable {
  const char* name;
  const char* key;
  const char* text;
};
constexpr StallVariable kStalls[] = {
    {"stall_l0_file_count_limit_slowdowns", "l0-file-count-limit-delays",
     "times that writes were slowed down for too many files in level 0"},
    {"stall_l0_file_count_limit_stops", "l0-file-count-limit-stops",
     "times that writes were stopped for too many files in level 0"},
    {"stall_locked_l0_file_count_limit_slowdowns",
     "cf-l0-file-count-limit-delays-with-ongoing-compaction",
     "times that writes were slowed down for too many files in level 0 while they were being "
     "compacted"},
    {"stall_locked_l0_file_count_limit_stops",
     "cf-l0-file-count-limit-stops-with-ongoing-compaction",
     "times that writes were stopped for too many files in level 0 while they were being "
     "compacted"},
    {"stall_pending_compaction_limit_slowdowns", "pending-compaction-bytes-delays",
     "times that writes were slowed down for too many bytes to compact"},
    {"stall_pending_compaction_limit_stops", "pending-compaction-bytes-stops",
     "times that writes were stopped for too many bytes to compact"},
    {"stall_memtable_limit_slowdowns", "memtable-limit-delays",
     "times that writes were slowed down for too many full memtables"},
    {"stall_memtable_limit_stops", "memtable-limit-stops",
     "times that writes were stopped for too many full memtables"},
    {"stall_total_slowdowns", "total-delays",
     "times that writes were slowed down for whatever reason"},
    {"stall_total_stops", "total-stops", "times that writes were stopped for whatever reason"},
};

using Number = unsigned long long;
using engine::Database;

uint64_t Sum(const Database& database, const char* property) {
  uint64_t value = 0;
  database.store()->base()->GetAggregatedIntProperty(property, &value);
  return value;
}

uint64_t Waits(const Database& database) {
  return database.transactions()->waits()->counters().waits;
}
uint64_t Timeouts(const Database& database) {
  return database.transactions()->waits()->counters().timeouts;
}
uint64_t Deadlocks(const Database& database) {
  return database.transactions()->waits()->counters().deadlocks;
}
uint64_t Escalations(const Database& database) {
  return database.transactions()->locks()->escalations();
}
uint64_t BulkLoads(const Database& database) {
  return database.transactions()->load_counts()->begun;
}
uint64_t CheckedBulkLoads(const Database& database) {
  return database.transactions()->load_counts()->of_checked_rows;
}
uint64_t WalGroupSyncs(const Database& database) { return database.store()->wal_syncs().rounds(); }
uint64_t WalGroupWaits(const Database& database) { return database.store()->wal_syncs().waits(); }
uint64_t MemtableTotal(const Database& database) {
  return Sum(database, "rocksdb.size-all-mem-tables");
}
uint64_t MemtableUnflushed(const Database& database) {
  return Sum(database, "rocksdb.cur-size-all-mem-tables");
}
uint64_t CacheUsage(const Database& database) {
  return database.store()->block_cache()->GetUsage();
}
uint64_t CompressedCache(const Database& database) {
  return store::CompressedCacheBytes(*database.store()->block_cache());
}
uint64_t Ticker(const Database& database, rocksdb::Tickers ticker) {
  return database.store()->statistics()->getTickerCount(ticker);
}
uint64_t CompressedHits(const Database& database) {
  return Ticker(database, rocksdb::COMPRESSED_SECONDARY_CACHE_HITS);
}
// Whatever the block cache misses was looked for there, too.
uint64_t CompressedMisses(const Database& database) {
  return CompressedCache(database) == 0 ? 0 : Ticker(database, rocksdb::BLOCK_CACHE_MISS);
}
uint64_t WritingAllowed(const Database& database) {
  return database.store()->writing_allowed() ? 1 : 0;
}
uint64_t CorruptionErrors(const Database&) { return store::CorruptionErrors(); }
uint64_t DiskFree(const Database& database) { return database.store()->errors().disk().free; }
uint64_t DiskTotal(const Database& database) { return database.store()->errors().disk().total; }
uint64_t DroppedIndexes(const Database& database) {
  return database.catalog()->dropped_indexes().All().size();
}
uint64_t RowsExpired(const Database& database) {
  return database.store()->time_to_live()->dropped();
}
uint64_t RowsFiltered(const Database& database) {
  return database.store()->time_to_live()->hidden();
}
uint64_t Reclaimed(const Database& database) { return database.reclaimer()->reclaimed(); }
uint64_t Iterators(const Database& database) {
  return Ticker(database, rocksdb::NO_ITERATOR_CREATED) -
         Ticker(database, rocksdb::NO_ITERATOR_DELETED);
}
uint64_t NotCompressed(const Database& database) {
  return Ticker(database, rocksdb::NUMBER_BLOCK_COMPRESSION_BYPASSED) +
         Ticker(database, rocksdb::NUMBER_BLOCK_COMPRESSION_REJECTED);
}
uint64_t ManualCompactions(const Database& database) {
  return database.store()->compactions().ended_manual();
}
uint64_t RunningCompactions(const Database& database) {
  return database.store()->compactions().running_manual();
}

template <int64_t store::IndexStatistics::*kind>
uint64_t Written(const Database& database) {
  return static_cast<uint64_t>(database.store()->index_statistics().Written().*kind);
}
using Entries = store::IndexStatistics;

// The engine's own, and what is computed.
struct OwnVariable {
  const char* name;
  uint64_t (*value)(const Database& database);
  const char* text;
};
constexpr OwnVariable kOwn[] = {
    {"row_lock_waits", Waits, "waits for row and range locks"},
    {"row_lock_wait_timeouts", Timeouts, "lock waits that ended by their timeout"},
    {"row_lock_deadlocks", Deadlocks, "cycles of lock waits"},
    {"row_lock_escalations", Escalations,
     "times that a transaction's row locks became one lock of the index"},
    {"bulk_loads", BulkLoads, "bulk loads begun: of statements, or of each of their partitions"},
    {"bulk_loads_checked", CheckedBulkLoads,
     "bulk loads begun of tables that have rows or other users: each row locked and checked"},
    {"wal_group_syncs", WalGroupSyncs, "syncs of the log, each for all commits that waited"},
    {"wal_group_waits", WalGroupWaits,
     "of these, how many were held back for more commits, because the disk is the bound"},
    {"memtable_total", MemtableTotal, "bytes of all memtables, those that reads pin included"},
    {"memtable_unflushed", MemtableUnflushed, "bytes of memtables that are not in files yet"},
    {"block_cache_usage", CacheUsage,
     "bytes in the block cache, memtables included; its compressed part counts whole"},
    {"block_cachecompressed_capacity", CompressedCache,
     "bytes of the block cache for compressed blocks (rocksdb_compressed_cache_percent)"},
    {"block_cachecompressed_hit", CompressedHits,
     "blocks that were in the compressed part; hits of the block cache have them, too"},
    {"block_cachecompressed_miss", CompressedMisses,
     "blocks that were in neither part; 0 where there is no compressed part"},
    {"rows_expired", RowsExpired, "rows that compactions dropped for their age"},
    {"rows_filtered", RowsFiltered, "rows that reads passed over for their age"},
    {"num_iterators", Iterators, "iterators open now"},
    {"number_block_not_compressed", NotCompressed, "blocks that are stored as they are"},
    {"manual_compactions_processed", ManualCompactions, "compactions that somebody asked for"},
    {"manual_compactions_running", RunningCompactions,
     "compactions that somebody asked for and that run now"},
    {"number_sst_entry_put", Written<&Entries::rows>, "rows and index entries written to files"},
    {"number_sst_entry_delete", Written<&Entries::deletes>, "deletions written to files"},
    {"number_sst_entry_singledelete", Written<&Entries::single_deletes>,
     "single deletions written to files"},
    {"number_sst_entry_merge", Written<&Entries::merges>, "merges written to files"},
    {"number_sst_entry_other", Written<&Entries::others>, "other entries written to files"},
    {"writing_allowed", WritingAllowed, "1; 0 while errors or a full disk forbid writing"},
    {"corruption_errors", CorruptionErrors,
     "times that a statement or background work has met damaged data"},
    {"disk_free_bytes", DiskFree,
     "bytes free on the disk that holds rocksdb_datadir, without what only root may take"},
    {"disk_total_bytes", DiskTotal, "bytes of that disk"},
    {"dropped_indexes_waiting", DroppedIndexes, "dropped indexes whose space is not free yet"},
    {"dropped_indexes_removed", Reclaimed, "dropped indexes whose space is free"},
};

constexpr size_t kVariables = std::size(kTickers) + std::size(kAbsent) + std::size(kRows) +
                              std::size(kStalls) + std::size(kOwn);

// Sums over the column families.
std::map<std::string, Number> StallSums(const store::Store& store) {
  std::map<std::string, Number> sums;
  for (rocksdb::ColumnFamilyHandle* handle : store.ColumnFamilyHandles()) {
    std::map<std::string, std::string> values;
    if (!store.base()->GetMapProperty(handle, "rocksdb.cf-write-stall-stats", &values)) continue;
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

void FillCounters(const Database& database, Row row) {
  const rocksdb::Statistics* statistics = database.store()->statistics();
  for (const TickerVariable& ticker : kTickers) {
    row.Fill(ticker.name, statistics->getTickerCount(ticker.ticker));
  }
  const std::map<std::string, Number> stalls = StallSums(*database.store());
  for (const StallVariable& stall : kStalls) {
    const auto found = stalls.find(stall.key);
    row.Fill(stall.name, found == stalls.end() ? 0 : found->second);
  }
  const RowCounts counts = Session::TotalRowCounts();
  for (const RowVariable& rows_of : kRows) {
    row.Fill(rows_of.name, counts[static_cast<size_t>(rows_of.event)]);
  }
  for (const AbsentVariable& absent : kAbsent) row.Fill(absent.name, 0);
  for (const OwnVariable& own : kOwn) row.Fill(own.name, own.value(database));
}

// The values live in the memory of the statement, so that statements do not share them.
int ShowCounters(THD* thd, SHOW_VAR* result, void*, system_status_var*, enum_var_type) {
  auto* rows = static_cast<SHOW_VAR*>(thd_calloc(thd, (kVariables + 1) * sizeof(SHOW_VAR)));
  auto* values = static_cast<Number*>(thd_calloc(thd, kVariables * sizeof(Number)));
  if (rows == nullptr || values == nullptr) return 1;
  result->type = SHOW_ARRAY;
  result->value = rows;
  const Database* const database = RunningDatabase();
  if (database != nullptr) FillCounters(*database, Row{rows, values});
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
