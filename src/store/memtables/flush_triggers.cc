// SPDX-License-Identifier: GPL-2.0-only
#include "store/memtables/flush_triggers.h"

#include <algorithm>

#include "store/memtables/memtable_composition.h"

namespace basalt::store {
namespace {

// Steps over an entry in a memtable, 0.1 to 0.3 us each, that cost as much as writing one out and
// its share of the compactions that follow, 10 to 20 us.
constexpr uint64_t kStepsWorthAnEntry = 64;
// Files of fewer entries are not worth having.
constexpr uint64_t kFewestEntries = 4096;
// A memtable is looked through when a flush would be worth it if only this part of it were kept.
constexpr uint64_t kSmallestPart = 4;

}  // namespace

uint64_t PurgeDetector::Observe(const MemtableComposition& active) {
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

uint64_t ScanFlushTrigger::Evaluate(uint64_t passed, uint64_t entries) {
  const bool another = entries < entries_;
  const bool set_to_zero = passed_.has_value() && passed < *passed_;
  if (!passed_.has_value() || another || set_to_zero) {
    *this = {};
    passed_ = passed;
  }
  entries_ = entries;
  const uint64_t paid = (passed - *passed_) / kStepsWorthAnEntry;
  if (paid < std::max({next_, entries / kSmallestPart, kFewestEntries})) return 0;
  next_ = 2 * paid;
  return paid;
}

}  // namespace basalt::store
