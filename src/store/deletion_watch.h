// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace basalt::store {

struct MemtableMix;

// Tells rows that are deleted in masses, behind which scans would walk over nothing else, from
// deletions that come with new entries, as an UPDATE of an indexed column makes them: between those
// there are rows. What is new in a memtable since the last look says it, so that a purge is seen
// also in one that is full of other work.
//
// Thread-safety: none; the looks come from one thread.
class DeletionWatch {
 public:
  // A look at what a column family's memtable holds that is being filled. How many deletions have
  // come in masses since the memtable was new.
  uint64_t Look(const MemtableMix& active);

 private:
  uint64_t entries_ = 0;
  uint64_t deletions_ = 0;
  uint64_t masses_ = 0;  // deletions of intervals that brought little else
};

}  // namespace basalt::store
