// SPDX-License-Identifier: GPL-2.0-only
#include "server/measures/read_measure.h"

#include <rocksdb/iostats_context.h>
#include <rocksdb/perf_context.h>

#include <algorithm>

namespace basalt::server {
namespace {

// The lowest level at which reads of files are timed.
constexpr rocksdb::PerfLevel kLevel = rocksdb::PerfLevel::kEnableTimeExceptForMutex;

// The running measure of the thread, of several the innermost.
thread_local ReadMeasure* innermost = nullptr;

// RocksDB sets some of its counters back by itself.
uint64_t Difference(uint64_t from, uint64_t to) { return to > from ? to - from : 0; }

// Blocks that were not in the cache are counted by level of the tree only.
uint64_t BlocksNotInCache(const rocksdb::PerfContext& perf) {
  uint64_t blocks = 0;
  if (perf.level_to_perf_context == nullptr) return 0;
  for (const auto& [level, counters] : *perf.level_to_perf_context) {
    blocks += counters.block_cache_miss_count;
  }
  return blocks;
}

}  // namespace

void ReadMeasure::Sums::AddDifference(const Sums& from, const Sums& to) {
  found_in_cache += Difference(from.found_in_cache, to.found_in_cache);
  not_in_cache += Difference(from.not_in_cache, to.not_in_cache);
  single_reads += Difference(from.single_reads, to.single_reads);
  read_nanoseconds += Difference(from.read_nanoseconds, to.read_nanoseconds);
  deletions_skipped += Difference(from.deletions_skipped, to.deletions_skipped);
  keys_skipped += Difference(from.keys_skipped, to.keys_skipped);
  newer_skipped += Difference(from.newer_skipped, to.newer_skipped);
  iterator_steps += Difference(from.iterator_steps, to.iterator_steps);
  iterator_seeks += Difference(from.iterator_seeks, to.iterator_seeks);
}

ReadMeasure::Sums ReadMeasure::OfThisThread() {
  const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
  Sums sums;
  sums.found_in_cache = perf.block_cache_hit_count;
  sums.not_in_cache = BlocksNotInCache(perf);
  sums.single_reads = perf.block_read_count;
  // Not the PerfContext's own time of reads: it lacks those of several blocks at once.
  sums.read_nanoseconds = rocksdb::get_iostats_context()->read_nanos;
  sums.deletions_skipped = perf.internal_delete_skipped_count;
  sums.keys_skipped = perf.internal_key_skipped_count;
  sums.newer_skipped = perf.internal_recent_skipped_count;
  sums.iterator_steps = perf.iter_next_count + perf.iter_prev_count;
  sums.iterator_seeks = perf.iter_seek_count;
  return sums;
}

ReadMeasure::ReadMeasure() : outer_(innermost), level_before_(rocksdb::GetPerfLevel()) {
  if (outer_ != nullptr) outer_->Collect();
  innermost = this;
  GoOn();
}

void ReadMeasure::Collect() { counted_.AddDifference(last_, OfThisThread()); }

void ReadMeasure::GoOn() {
  rocksdb::SetPerfLevel(std::max(rocksdb::GetPerfLevel(), kLevel));
  rocksdb::get_perf_context()->EnablePerLevelPerfContext();
  last_ = OfThisThread();
}

void ReadMeasure::Stop() {
  if (!running_) return;
  running_ = false;
  Collect();
  innermost = outer_;
  if (outer_ == nullptr) rocksdb::get_perf_context()->DisablePerLevelPerfContext();
  rocksdb::SetPerfLevel(level_before_);
  if (outer_ != nullptr) outer_->GoOn();
}

ReadCounts ReadMeasure::End(engine::Direction direction) {
  Stop();
  const Sums& sums = counted_;
  ReadCounts counts;
  // A block that a read-ahead has brought is not read by itself; what is read when a file is opened
  // is not looked for in the cache.
  counts.blocks_read = std::max(sums.not_in_cache, sums.single_reads);
  counts.blocks_ahead = counts.blocks_read - sums.single_reads;
  counts.blocks_accessed = sums.found_in_cache + counts.blocks_read;
  counts.read_nanoseconds = sums.read_nanoseconds;
  // Forward a step skips the entry that it leaves, and deletions are apart. Backward what a search
  // or a step returns is among the skipped ones, and so are deletions.
  const bool forward = direction == engine::Direction::kForward;
  const uint64_t returned = sums.iterator_steps + (forward ? 0 : sums.iterator_seeks);
  counts.versions_passed = Difference(returned, sums.keys_skipped) + sums.newer_skipped +
                           (forward ? sums.deletions_skipped : 0);
  return counts;
}

}  // namespace basalt::server
