// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>

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
  // no count of each. True when since the memtable was new, or since the last true, it was worth a
  // flush.
  bool Look(uint32_t family, uint64_t passed, uint64_t entries);

 private:
  struct Seen {
    uint64_t passed = 0;  // when counting began
    uint64_t entries = 0;
  };
  std::map<uint32_t, Seen> seen_;
};

}  // namespace basalt::store
