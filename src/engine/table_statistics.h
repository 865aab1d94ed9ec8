// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "base/status.h"
#include "engine/range_estimate.h"
#include "store/statistics/index_statistics.h"

namespace basalt::engine {

class Table;

// Estimates for the optimizer. Small indexes are counted; large ones are judged by what the store
// has counted while it wrote their files, with the memtables added. Renewed when a tenth of the
// rows has changed since, so that a call mostly just reads numbers.
//
// Thread-safety: any thread.
class TableStatistics {
 public:
  explicit TableStatistics(const Table* table);

  // Rows of the table, as of the last renewal plus those written since.
  uint64_t Rows();
  // What the optimizer asks for in each statement. Bytes as stored: in files, compressed, and in
  // memory. 0 before the first renewal has succeeded.
  struct Sizes {
    uint64_t rows = 0;
    uint64_t stored_rows = 0;     // bytes of the primary index
    uint64_t stored_entries = 0;  // bytes of all others
    uint64_t row_data = 0;        // DataBytes() of the primary index
  };
  Sizes AllSizes();
  // Bytes of an index before compression.
  uint64_t DataBytes(size_t index);
  // Rows that share one value of the first `parts` declared parts, at least 1; 0 when unknown.
  double RowsPerKey(size_t index, unsigned parts);
  // Entries of an index in [start, end), by the sizes of the files between and the memtables as
  // they are now: a flush or compaction moves entries, and changes nothing here. Not certain where
  // much of what files hold is dead: it may lie within the range or elsewhere.
  struct Estimate {
    uint64_t entries = 0;
    bool certain = true;
  };
  Estimate EntriesBetween(size_t index, Bytes start, Bytes end);
  // What a walk from start to end comes by: also older versions and deletions. Likewise.
  uint64_t StoredBetween(size_t index, Bytes start, Bytes end) const;

  // Noted by the writers: rows added minus rows removed, and rows touched.
  void NoteInsert() { inserted_.fetch_add(1, std::memory_order_relaxed); }
  void NoteUpdate() { updated_.fetch_add(1, std::memory_order_relaxed); }
  void NoteDelete() { deleted_.fetch_add(1, std::memory_order_relaxed); }
  // How many of these there were, committed or not.
  uint64_t Changes() const;

  // Renews now, and counts where the automatic renewal would estimate (ANALYZE TABLE).
  Status Refresh();
  // Renews when anything has changed since the last time, for someone who looks at the numbers
  // themselves (SHOW TABLE STATUS).
  void RefreshIfChanged();

 private:
  struct IndexEstimate {
    uint64_t entries = 0;
    uint64_t data_bytes = 0;           // in files, before compression
    uint64_t disk_bytes = 0;           // in files
    uint64_t memory_bytes = 0;         // in memtables
    uint64_t file_entries = 0;         // versions in files, without those that are deleted
    uint64_t memtable_entries = 0;     // versions and deletions
    std::optional<double> deleted;     // share of deletions among them; none: unknown
    bool counted = false;              // `entries` is exact
    MemoryEffect effect;               // of what memtables hold
    std::vector<double> rows_per_key;  // by parts - 1; empty: unknown
  };

  struct KnownIndex {
    double rows = 0;
    MemoryEffect effect;
    std::optional<double> in_memory;  // entries; none: not as at the last renewal
  };

  bool WasLoaded() const BASALT_REQUIRES(mutex_);
  uint64_t RowsLocked() const BASALT_REQUIRES(mutex_);
  uint64_t Reconcile(const IndexEstimate& estimate) const BASALT_REQUIRES(mutex_);
  void RefreshIfStale() BASALT_REQUIRES(mutex_);
  Status RefreshLocked(uint64_t count_limit) BASALT_REQUIRES(mutex_);
  MemoryEffect EffectOfMemory(size_t index, const IndexEstimate& estimate, uint64_t rows) const;
  // Nothing before the first renewal.
  std::optional<KnownIndex> KnownOf(size_t index, const store::IndexStatistics& files);
  void MeasureMemory(size_t index, IndexEstimate* estimate) const;
  Status Measure(size_t index, uint64_t count_limit, IndexEstimate* estimate) const;
  Status Count(size_t index, uint64_t limit, IndexEstimate* estimate, bool* complete) const;

  const Table* const table_;
  std::atomic<uint64_t> inserted_{0};
  std::atomic<uint64_t> updated_{0};
  std::atomic<uint64_t> deleted_{0};
  std::atomic<uint64_t> renew_at_{0};  // inserted + updated + deleted at which to renew

  Mutex mutex_;
  bool known_ BASALT_GUARDED_BY(mutex_) = false;
  uint64_t rows_ BASALT_GUARDED_BY(mutex_) = 0;
  uint64_t inserted_then_ BASALT_GUARDED_BY(mutex_) = 0;
  uint64_t deleted_then_ BASALT_GUARDED_BY(mutex_) = 0;
  uint64_t changes_then_ BASALT_GUARDED_BY(mutex_) = 0;
  uint64_t loads_then_ BASALT_GUARDED_BY(mutex_) = 0;
  std::vector<IndexEstimate> indexes_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::engine
