// SPDX-License-Identifier: GPL-2.0-only
#include "store/deletion_watch.h"

namespace basalt::store {

uint64_t DeletionWatch::Look(uint32_t family, uint64_t entries, uint64_t deletions) {
  Seen& seen = seen_[family];
  if (entries < seen.entries || deletions < seen.deletions) seen = {};  // another memtable
  const uint64_t new_deletions = deletions - seen.deletions;
  // Six of ten: an UPDATE brings at least one new entry for each that it deletes, and so does what
  // goes in at one end of a queue and out at the other.
  const bool in_masses = 10 * new_deletions >= 6 * (entries - seen.entries);
  seen = {entries, deletions, seen.masses + (in_masses ? new_deletions : 0)};
  return seen.masses;
}

}  // namespace basalt::store
