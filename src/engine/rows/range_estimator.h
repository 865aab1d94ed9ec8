// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "codec/window_search.h"
#include "engine/rows/cursor_set.h"
#include "engine/rows/row_context.h"
#include "engine/scans/range_cache.h"

namespace basalt::engine {

// Tells the optimizer how many entries a range of an index has: counts a small one, and estimates a
// large one from the sizes of files. What was counted is kept for the scan that may follow.
//
// One thread at a time. Borrows the context and the cursors of scans.
class RangeEstimator {
 public:
  RangeEstimator(RowContext* context, CursorSet* scan_cursors)
      : context_(context), scan_cursors_(scan_cursors), cursors_(&context->table()) {}

  // Entries of the index in [start, end). `running` is the cursor of a running scan, which is left
  // where it stands; or null.
  uint64_t Estimate(size_t index, Bytes start, Bytes end, const txn::Cursor* running);

  // Entries of a SPATIAL index that a search finds, which has begun.
  uint64_t Estimate(size_t index, const codec::WindowSearch& search);

  // What was kept of exactly this range, or null when nothing was or a scan may no longer use it.
  // Valid until the next call of Estimate or End.
  const RangeCache::Range* Find(size_t index, Bytes start, Bytes end) const;
  const RangeCache* cache() const { return &cache_; }

  // A statement ends.
  void End() {
    cache_.Clear();
    cursors_.Park();
  }
  void ReleaseCursors() { cursors_.Release(); }

 private:
  txn::Cursor* Place(CursorSet* cursors, size_t index, uint64_t most_skipped) const;
  RangeCount CountSome(size_t index, Bytes start, Bytes end, const txn::Cursor* running,
                       txn::Cursor** cursor);
  void DropOutdated();
  RangeCount CountAndCache(txn::Cursor* cursor, size_t index, Bytes start, Bytes end);
  // Entries that were counted in [start, end).
  struct CountedPart {
    Bytes start;
    Bytes end;
    uint64_t entries;
  };
  uint64_t EstimateRest(size_t index, const CountedPart& counted, Bytes end);

  RowContext* const context_;
  CursorSet* const scan_cursors_;
  CursorSet cursors_;
  RangeCache cache_;
  uint64_t cache_operations_ = 0;  // own writes when the cache was filled
};

}  // namespace basalt::engine
