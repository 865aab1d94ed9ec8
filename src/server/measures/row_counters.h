// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace basalt::server {

// What statements do that the status counters rocksdb_rows_* and rocksdb_queries_* tell.
enum class RowEvent : uint8_t {
  kRead,
  kInserted,
  kUpdated,
  kDeleted,
  // These four events in tables of the database mysql, in the same order.
  kSystemRead,
  kSystemInserted,
  kSystemUpdated,
  kSystemDeleted,
  kPointQuery,        // a look-up by a whole unique key
  kRangeQuery,        // any other search in an index
  kCoveredLookUp,     // an entry of a secondary index that was enough, without its row
  kUpdatedBlind,      // rows that a replica changes without having read them
  kDeletedBlind,      // and deletes
  kSnapshotConflict,  // statements that failed for it
  kCount,
};

using RowCounts = std::array<uint64_t, static_cast<size_t>(RowEvent::kCount)>;

// The events of one connection. One writer, so that counting is a plain addition to memory nobody
// else writes; any thread may read.
class RowCounters {
 public:
  void Note(RowEvent event, uint64_t times = 1) {
    std::atomic<uint64_t>& counter = counters_[static_cast<size_t>(event)];
    counter.store(counter.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
  }
  uint64_t Of(RowEvent event) const {
    return counters_[static_cast<size_t>(event)].load(std::memory_order_relaxed);
  }
  void AddTo(RowCounts* sums) const {
    for (size_t i = 0; i < counters_.size(); ++i) {
      (*sums)[i] += counters_[i].load(std::memory_order_relaxed);
    }
  }

 private:
  std::array<std::atomic<uint64_t>, static_cast<size_t>(RowEvent::kCount)> counters_{};
};

}  // namespace basalt::server
