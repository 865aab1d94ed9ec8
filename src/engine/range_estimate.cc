// SPDX-License-Identifier: GPL-2.0-only
#include "engine/range_estimate.h"

#include <algorithm>

namespace basalt::engine {
namespace {

// Of the entries in files; fewer rows than this among them are not believed.
constexpr double kLeastShareOfRows = 0.1;

}  // namespace

double NewestShare(const StoredAmount& all, double found, const MemoryEffect& effect) {
  if (all.in_files <= 0) return 1;
  const double of_files = found - effect.Net(all.in_memory, effect.deletions);
  return std::clamp(of_files / all.in_files, kLeastShareOfRows, 1.0);
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
  const double of_files = part.in_files * NewestShare(all, all_found, effect);
  const double found = of_files + effect.Net(part.in_memory, deleted);
  return std::clamp(found, part.in_files * kLeastShareOfRows, part.in_files + part.in_memory);
}

}  // namespace basalt::engine
