// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace basalt::engine {

// Estimates how many entries a reader finds from how many the store holds. Files hold entries and
// older versions of them. An entry in a memtable is a new one, another version of one in files, or
// a tombstone. Only numbers: any thread.

// What the store holds of an index or of a part of it.
struct StoredAmount {
  double in_files = 0;   // entries of files, without those whose deletion is in files too
  double in_memory = 0;  // versions and deletions
};

// What the entries of an index in memory are.
struct MemoryEffect {
  double deletions = 0;  // share of all entries
  double added = 0;      // share of the others that are new

  // Of `in_memory` entries, of which `deleted` (a share) are deletions: those that are new.
  double Added(double in_memory, double deleted) const { return in_memory * (1 - deleted) * added; }
};

// Computes the effect from the entries that readers find in the whole index. `deletions`: the share
// of tombstones in memory, as well as it is known.
MemoryEffect EffectOf(const StoredAmount& all, double found, double deletions);

// How many of the entries in files are the newest version of something, or were it until memory
// deleted it. `found`: entries that readers find in the whole index.
double NewestInFiles(const StoredAmount& all, double found, const MemoryEffect& effect);

// Entries that readers find in a part of an index of which they find `all_found`. `deleted`: the
// share of deletions among what memory holds of the part. Each is taken for that of an entry in
// files which was the newest; of the others there as many are as of those of the whole index. At
// least a tenth of what files hold, never more than there is.
double EstimatePart(const StoredAmount& part, const StoredAmount& all, double all_found,
                    const MemoryEffect& effect, double deleted);

}  // namespace basalt::engine
