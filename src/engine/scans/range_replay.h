// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "engine/scans/range_cache.h"

namespace basalt::engine {

// Stands on an entry of a range that a RangeCache has kept, as a cursor stands on one of the store.
// Goes forward only.
//
// One thread. Borrows the cache from Begin to End; the cache must not change in between.
class RangeReplay {
 public:
  // On the range's first entry; there must be one.
  void Begin(const RangeCache* cache, const RangeCache::Range& range) {
    cache_ = cache;
    entry_ = range.first_entry;
    past_end_ = range.first_entry + range.entries;
    complete_ = range.complete;
  }
  void End() { cache_ = nullptr; }
  bool active() const { return cache_ != nullptr; }

  // Has the cache a next entry? Then Next goes to it.
  bool HasNext() const { return entry_ + 1 < past_end_; }
  void Next() { ++entry_; }
  // Is what the cache has the whole range? Else the range goes on behind the last entry.
  bool complete() const { return complete_; }

  Bytes key() const { return cache_->key(entry_); }
  Bytes value() const { return cache_->value(entry_); }

 private:
  const RangeCache* cache_ = nullptr;
  size_t entry_ = 0;
  size_t past_end_ = 0;
  bool complete_ = false;
};

}  // namespace basalt::engine
