// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>

namespace basalt::store {

// Weighs what scans pay for old versions of rows against what it costs to write a memtable out,
// which keeps one version of each. A row that is updated again and again has all of its versions
// in the memtable, and a scan steps over each. Flushing when scans have paid as much as a flush
// costs makes both together at most twice what the better choice would have cost.
//
// Thread-safety: none; the looks come from one thread.
class ScanToll {
 public:
  // A look at a column family's memtable that is being filled, which holds so many entries.
  // `passed`: what scans have stepped over since the store was opened, in all families, as there is
  // no count of each. Returns how many entries could have been written out for what scans have paid
  // since the memtable was new; 0 while it is too early to count how many a flush would write,
  // which itself costs a step an entry. After each other answer 0 until twice as much is paid.
  uint64_t Look(uint64_t passed, uint64_t entries);

 private:
  std::optional<uint64_t> passed_;  // when counting began
  uint64_t entries_ = 0;
  uint64_t next_ = 0;  // what must be paid for the next answer
};

}  // namespace basalt::store
