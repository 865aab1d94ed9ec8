// SPDX-License-Identifier: GPL-2.0-only
#include "engine/counted_texts.h"

namespace basalt::engine {

std::optional<TextTotals> CountedTexts::Recall(const View& view) const {
  const MutexLock lock(mutex_);
  const bool holds = totals_.rows > 0 && view.sequence >= counted_.sequence &&
                     view.seconds - counted_.seconds <= kMostSeconds &&
                     view.loads == counted_.loads &&
                     (view.changes - counted_.changes) * kRowsPerChange <= totals_.rows;
  return holds ? std::optional(totals_) : std::nullopt;
}

void CountedTexts::Remember(const TextTotals& totals, const View& view) {
  if (totals.rows < kFewRows) return;
  const MutexLock lock(mutex_);
  if (view.sequence < counted_.sequence) return;
  totals_ = totals;
  counted_ = view;
}

}  // namespace basalt::engine
