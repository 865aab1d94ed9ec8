// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>

namespace basalt::store {

// Tells rows that are deleted in masses, behind which scans would walk over nothing else, from
// deletions that come with new entries, as an UPDATE of an indexed column makes them: between those
// there are rows. What is new in a memtable since the last look says it, so that a purge is seen
// also in one that is full of other work.
//
// Thread-safety: none; the looks come from one thread.
class DeletionWatch {
 public:
  // A look at a column family's memtable that is being filled, which holds so many entries and of
  // them so many deletions. How many deletions have come in masses since the memtable was new.
  uint64_t Look(uint32_t family, uint64_t entries, uint64_t deletions);

 private:
  struct Seen {
    uint64_t entries = 0;
    uint64_t deletions = 0;
    uint64_t masses = 0;  // deletions of intervals that brought little else
  };
  std::map<uint32_t, Seen> seen_;
};

}  // namespace basalt::store
