// SPDX-License-Identifier: GPL-2.0-only
#include "server/measures/perf_counters.h"

#include <rocksdb/iostats_context.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <algorithm>

#include "base/mutex.h"

namespace basalt::server {

namespace {

constexpr int kLastLevelWithoutMeasuring = 1;

// RocksDB's names of what it measures in its PerfContext and its IOStatsContext, and MyRocks'.
#define BASALT_PERF_COUNTERS(PERF, IO)                                   \
  PERF(user_key_comparison_count, USER_KEY_COMPARISON_COUNT)             \
  PERF(block_cache_hit_count, BLOCK_CACHE_HIT_COUNT)                     \
  PERF(block_read_count, BLOCK_READ_COUNT)                               \
  PERF(block_read_byte, BLOCK_READ_BYTE)                                 \
  PERF(block_read_time, BLOCK_READ_TIME)                                 \
  PERF(block_checksum_time, BLOCK_CHECKSUM_TIME)                         \
  PERF(block_decompress_time, BLOCK_DECOMPRESS_TIME)                     \
  PERF(get_read_bytes, GET_READ_BYTES)                                   \
  PERF(multiget_read_bytes, MULTIGET_READ_BYTES)                         \
  PERF(iter_read_bytes, ITER_READ_BYTES)                                 \
  PERF(internal_key_skipped_count, INTERNAL_KEY_SKIPPED_COUNT)           \
  PERF(internal_delete_skipped_count, INTERNAL_DELETE_SKIPPED_COUNT)     \
  PERF(internal_recent_skipped_count, INTERNAL_RECENT_SKIPPED_COUNT)     \
  PERF(internal_merge_count, INTERNAL_MERGE_COUNT)                       \
  PERF(get_snapshot_time, GET_SNAPSHOT_TIME)                             \
  PERF(get_from_memtable_time, GET_FROM_MEMTABLE_TIME)                   \
  PERF(get_from_memtable_count, GET_FROM_MEMTABLE_COUNT)                 \
  PERF(get_post_process_time, GET_POST_PROCESS_TIME)                     \
  PERF(get_from_output_files_time, GET_FROM_OUTPUT_FILES_TIME)           \
  PERF(seek_on_memtable_time, SEEK_ON_MEMTABLE_TIME)                     \
  PERF(seek_on_memtable_count, SEEK_ON_MEMTABLE_COUNT)                   \
  PERF(next_on_memtable_count, NEXT_ON_MEMTABLE_COUNT)                   \
  PERF(prev_on_memtable_count, PREV_ON_MEMTABLE_COUNT)                   \
  PERF(seek_child_seek_time, SEEK_CHILD_SEEK_TIME)                       \
  PERF(seek_child_seek_count, SEEK_CHILD_SEEK_COUNT)                     \
  PERF(seek_min_heap_time, SEEK_MIN_HEAP_TIME)                           \
  PERF(seek_max_heap_time, SEEK_MAX_HEAP_TIME)                           \
  PERF(seek_internal_seek_time, SEEK_INTERNAL_SEEK_TIME)                 \
  PERF(find_next_user_entry_time, FIND_NEXT_USER_ENTRY_TIME)             \
  PERF(write_wal_time, WRITE_WAL_TIME)                                   \
  PERF(write_memtable_time, WRITE_MEMTABLE_TIME)                         \
  PERF(write_delay_time, WRITE_DELAY_TIME)                               \
  PERF(write_pre_and_post_process_time, WRITE_PRE_AND_POST_PROCESS_TIME) \
  PERF(db_mutex_lock_nanos, DB_MUTEX_LOCK_NANOS)                         \
  PERF(db_condition_wait_nanos, DB_CONDITION_WAIT_NANOS)                 \
  PERF(merge_operator_time_nanos, MERGE_OPERATOR_TIME_NANOS)             \
  PERF(read_index_block_nanos, READ_INDEX_BLOCK_NANOS)                   \
  PERF(read_filter_block_nanos, READ_FILTER_BLOCK_NANOS)                 \
  PERF(new_table_block_iter_nanos, NEW_TABLE_BLOCK_ITER_NANOS)           \
  PERF(new_table_iterator_nanos, NEW_TABLE_ITERATOR_NANOS)               \
  PERF(block_seek_nanos, BLOCK_SEEK_NANOS)                               \
  PERF(find_table_nanos, FIND_TABLE_NANOS)                               \
  PERF(bloom_memtable_hit_count, BLOOM_MEMTABLE_HIT_COUNT)               \
  PERF(bloom_memtable_miss_count, BLOOM_MEMTABLE_MISS_COUNT)             \
  PERF(bloom_sst_hit_count, BLOOM_SST_HIT_COUNT)                         \
  PERF(bloom_sst_miss_count, BLOOM_SST_MISS_COUNT)                       \
  PERF(key_lock_wait_time, KEY_LOCK_WAIT_TIME)                           \
  PERF(key_lock_wait_count, KEY_LOCK_WAIT_COUNT)                         \
  IO(thread_pool_id, IO_THREAD_POOL_ID)                                  \
  IO(bytes_written, IO_BYTES_WRITTEN)                                    \
  IO(bytes_read, IO_BYTES_READ)                                          \
  IO(open_nanos, IO_OPEN_NANOS)                                          \
  IO(allocate_nanos, IO_ALLOCATE_NANOS)                                  \
  IO(write_nanos, IO_WRITE_NANOS)                                        \
  IO(read_nanos, IO_READ_NANOS)                                          \
  IO(range_sync_nanos, IO_RANGE_SYNC_NANOS)                              \
  IO(logger_nanos, IO_LOGGER_NANOS)

#define BASALT_NAME(member, name) #name,
constexpr std::array<const char*, kPerfCounters> kNames = {
    BASALT_PERF_COUNTERS(BASALT_NAME, BASALT_NAME)};
#undef BASALT_NAME

PerfNumbers OfThisThread() {
  const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
  const rocksdb::IOStatsContext& io = *rocksdb::get_iostats_context();
#define BASALT_PERF(member, name) perf.member,
#define BASALT_IO(member, name) io.member,
  return {BASALT_PERF_COUNTERS(BASALT_PERF, BASALT_IO)};
#undef BASALT_PERF
#undef BASALT_IO
}

// What the thread had counted when it last handed over.
thread_local PerfNumbers handed_over{};

struct Sums {
  Mutex mutex;
  PerfNumbers all BASALT_GUARDED_BY(mutex){};
  std::map<IndexId, PerfNumbers> by_table BASALT_GUARDED_BY(mutex);
};

Sums& Measured() {
  static Sums sums;
  return sums;
}

void Add(const PerfNumbers& added, PerfNumbers* sum) {
  for (size_t i = 0; i < kPerfCounters; ++i) (*sum)[i] += added[i];
}

// RocksDB has one more level between MyRocks' 2 and 3.
rocksdb::PerfLevel LevelOf(int level) {
  constexpr rocksdb::PerfLevel kLevels[] = {
      rocksdb::kDisable,
      rocksdb::kDisable,
      rocksdb::kEnableCount,
      rocksdb::kEnableTimeExceptForMutex,
      rocksdb::kEnableTimeAndCPUTimeExceptForMutex,
      rocksdb::kEnableTime,
  };
  return kLevels[std::clamp(level, 0, 5)];
}

}  // namespace

const std::array<const char*, kPerfCounters>& PerfCounterNames() { return kNames; }

void StatementMeasure::Begin(int level) {
  rocksdb::SetPerfLevel(LevelOf(level));
  active_ = level > kLastLevelWithoutMeasuring;
  if (active_) [[unlikely]]
    handed_over = OfThisThread();
}

void StatementMeasure::End() {
  if (!active_) return;
  HandOver(last_table_);
  rocksdb::SetPerfLevel(rocksdb::kDisable);
  active_ = false;
}

void StatementMeasure::HandOver(IndexId table) {
  last_table_ = table;
  const PerfNumbers now = OfThisThread();
  PerfNumbers added;
  // RocksDB sets some of them back by itself.
  for (size_t i = 0; i < kPerfCounters; ++i) {
    added[i] = now[i] > handed_over[i] ? now[i] - handed_over[i] : 0;
  }
  handed_over = now;
  Sums& sums = Measured();
  MutexLock guard(sums.mutex);
  Add(added, &sums.all);
  Add(added, &sums.by_table[table]);
}

PerfNumbers MeasuredInAll() {
  MutexLock guard(Measured().mutex);
  return Measured().all;
}

std::map<IndexId, PerfNumbers> MeasuredByTable() {
  MutexLock guard(Measured().mutex);
  return Measured().by_table;
}

}  // namespace basalt::server
