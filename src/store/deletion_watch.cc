// SPDX-License-Identifier: GPL-2.0-only
#include "store/deletion_watch.h"

#include "store/memtable_mix.h"

namespace basalt::store {

uint64_t DeletionWatch::Look(const MemtableMix& active) {
  const bool another = active.entries < entries_ || active.deletions < deletions_;
  if (another) *this = {};
  const uint64_t new_deletions = active.deletions - deletions_;
  // Six of ten: an UPDATE brings at least one new entry for each that it deletes, and so does what
  // goes in at one end of a queue and out at the other.
  const bool in_masses = 10 * new_deletions >= 6 * (active.entries - entries_);
  if (in_masses) masses_ += new_deletions;
  entries_ = active.entries;
  deletions_ = active.deletions;
  return masses_;
}

}  // namespace basalt::store
