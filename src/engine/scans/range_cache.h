// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::engine {

// What counting a range has come to.
struct RangeCount {
  uint64_t entries = 0;   // seen
  uint64_t bytes = 0;     // of these
  bool complete = false;  // they are all there are
  bool cached = false;    // they are all in the cache
};

// Entries of small ranges that were counted for the optimizer, kept for the scan that most often
// follows: estimating `k IN (...)` walks to the same entries that the statement reads a moment
// later. Of larger ranges the first entries are kept, which are all that a LIMIT may want. One
// statement's memory; emptied when it ends.
//
// The owner answers for validity: same snapshot, no write of its own in between.
// One thread at a time. Allocates only to grow; a cleared cache keeps its memory up to a bound.
class RangeCache {
 public:
  // Bounds of the whole cache. A range that would pass them is not kept.
  static constexpr size_t kMaximumEntries = 2048;
  static constexpr size_t kMaximumBytes = 1u << 20;
  // Entries kept of a range that is larger than what was counted.
  static constexpr size_t kBeginning = 16;

  struct Range {
    size_t index;
    size_t start_bytes;  // lengths of the bounds, which lie at `offset` one behind the other
    size_t end_bytes;
    size_t offset;
    size_t first_entry;
    size_t entries;
    bool complete;  // false: the range goes on behind its entries here, of which there is one
  };

  bool empty() const { return ranges_.empty(); }
  void Clear();

  // Collects a range: Begin, Add for each entry, then Keep, KeepBeginning (the range goes on behind
  // its last entry here) or Abort. Add is false when the cache is full.
  void Begin(size_t index, Bytes start, Bytes end);
  bool Add(Bytes key, Bytes value);
  void Keep();
  void KeepBeginning();
  void Abort();

  // The range with exactly these bounds, or null. Valid until the next Begin or Clear.
  const Range* Find(size_t index, Bytes start, Bytes end) const;
  // An entry of the cache, first_entry + i for a range. Valid until the next Begin or Clear.
  Bytes key(size_t entry) const { return At(entries_[entry].offset, entries_[entry].key_bytes); }
  Bytes value(size_t entry) const {
    return At(entries_[entry].offset + entries_[entry].key_bytes, entries_[entry].value_bytes);
  }

 private:
  struct Entry {
    size_t offset;
    size_t key_bytes;
    size_t value_bytes;
  };

  Bytes At(size_t offset, size_t length) const { return Bytes(buffer_.data() + offset, length); }

  std::string buffer_;
  std::vector<Entry> entries_;
  std::vector<Range> ranges_;
  Range pending_{};
};

}  // namespace basalt::engine
