// SPDX-License-Identifier: GPL-2.0-only
#include "store/scan_toll.h"

#include <algorithm>

namespace basalt::store {
namespace {

// Steps over an entry in a memtable, 0.1 to 0.3 us each, that cost as much as writing one out and
// its share of the compactions that follow, 10 to 20 us.
constexpr uint64_t kStepsWorthAnEntry = 64;
// Files of fewer entries are not worth having.
constexpr uint64_t kFewestEntries = 4096;

}  // namespace

bool ScanToll::Look(uint32_t family, uint64_t passed, uint64_t entries) {
  const auto [place, is_new] = seen_.try_emplace(family, Seen{passed, entries});
  Seen& seen = place->second;
  // Another memtable, or counters that were set to zero.
  if (is_new || entries < seen.entries || passed < seen.passed) {
    seen = {passed, entries};
    return false;
  }
  seen.entries = entries;
  const uint64_t worth = kStepsWorthAnEntry * std::max(entries, kFewestEntries);
  if (passed - seen.passed < worth) return false;
  seen.passed = passed;
  return true;
}

}  // namespace basalt::store
