// SPDX-License-Identifier: GPL-2.0-only
#include "engine/range_estimate.h"

#include <algorithm>

namespace basalt::engine {
namespace {

// Of the entries in files; fewer rows than this among them are not believed.
constexpr double kLeastShareOfRows = 0.1;

// Entries in files that memory does not delete.
double LeftInFiles(const StoredAmount& amount, double deleted) {
  return std::max(0.0, amount.in_files - amount.in_memory * deleted);
}

// Of these, the share that is the newest version of something.
double NewestShare(const StoredAmount& all, double found, const MemoryEffect& effect) {
  const double left = LeftInFiles(all, effect.deletions);
  if (left <= 0) return 1;
  const double newest = found - effect.Added(all.in_memory, effect.deletions);
  return std::clamp(newest / left, kLeastShareOfRows, 1.0);
}

}  // namespace

double NewestInFiles(const StoredAmount& all, double found, const MemoryEffect& effect) {
  const double left = LeftInFiles(all, effect.deletions);
  return all.in_files - left + left * NewestShare(all, found, effect);
}

MemoryEffect EffectOf(const StoredAmount& all, double found, double deletions) {
  MemoryEffect effect;
  effect.deletions = std::clamp(deletions, 0.0, 1.0);
  const double deleted = effect.deletions * all.in_memory;
  const double written = all.in_memory - deleted;
  if (written > 0) effect.added = std::clamp((found - all.in_files + deleted) / written, 0.0, 1.0);
  return effect;
}

double EstimatePart(const StoredAmount& part, const StoredAmount& all, double all_found,
                    const MemoryEffect& effect, double deleted) {
  const double of_files = LeftInFiles(part, deleted) * NewestShare(all, all_found, effect);
  const double found = of_files + effect.Added(part.in_memory, deleted);
  return std::clamp(found, part.in_files * kLeastShareOfRows, part.in_files + part.in_memory);
}

}  // namespace basalt::engine
