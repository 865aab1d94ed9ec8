// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>

namespace basalt::store {

struct MemtableComposition;

// Both triggers ask: is the active memtable of a column family worth flushing before it is full?
// Each keeps what it saw at its last call. A memtable that replaces the active one resets it.
//
// Thread-safety: none; one thread makes all calls.

// Detects a purge: rows deleted in masses, whose tombstones every scan must step over. An UPDATE of
// an indexed column writes tombstones too, but new entries stand between them. The detector judges
// only what was added since its last call, so it also sees a purge in a busy memtable.
class PurgeDetector {
 public:
  // Takes the composition of the active memtable. Returns how many tombstones came in masses since
  // the memtable was new.
  uint64_t Observe(const MemtableComposition& active);

 private:
  uint64_t entries_ = 0;
  uint64_t deletions_ = 0;
  uint64_t masses_ = 0;  // tombstones of intervals that brought little else
};

// Weighs what scans pay for old versions of rows against the cost of a flush. A row that is updated
// again and again has all its versions in the memtable, and a scan steps over each of them. A flush
// keeps one. Flushing when scans have paid as much as a flush costs makes both together at most
// twice as expensive as the better choice.
class ScanFlushTrigger {
 public:
  // `passed`: entries that scans have stepped over since the store was opened, in all column
  // families (RocksDB has no count of each). `entries`: those of the active memtable.
  // Returns how many entries could have been flushed for what scans have paid since the memtable
  // was new. 0: too early to count what a flush would write, which costs one step for each entry.
  // After an answer above 0 it returns 0 until scans have paid twice as much.
  uint64_t Evaluate(uint64_t passed, uint64_t entries);

 private:
  std::optional<uint64_t> passed_;  // when counting began
  uint64_t entries_ = 0;
  uint64_t next_ = 0;  // what scans must have paid for the next answer
};

// The triggers of one column family.
struct FlushTriggers {
  PurgeDetector purge;
  ScanFlushTrigger scans;
};

}  // namespace basalt::store
