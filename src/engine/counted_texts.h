// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>

#include "base/mutex.h"

namespace basalt::engine {

// What the ranks of a full-text search depend on beside the row and the query.
struct TextTotals {
  uint64_t rows = 0;
  uint64_t words = 0;  // of all rows: places that the index has words at
};

// The totals of a FULLTEXT index, as somebody counted them last. Counting reads an entry of each
// row, which in a large table takes far longer than to look for a rare word. So for a short time,
// and while hardly a row has changed, the last count holds.
//
// Thread-safety: any thread.
class CountedTexts {
 public:
  // Fewer rows are counted for each search, so that ranks are exact.
  static constexpr uint64_t kFewRows = 10'000;
  // By how much a view may be younger than the one that was counted. There may have been a change
  // for each hundred rows.
  static constexpr int64_t kMostSeconds = 10;
  static constexpr uint64_t kRowsPerChange = 100;

  // A view of the table, and by what one may know that the table has changed.
  struct View {
    uint64_t sequence = 0;  // of its snapshot
    int64_t seconds = 0;    // since 1970, when the snapshot was taken
    uint64_t changes = 0;   // TableStatistics::Changes(), now
    uint64_t loads = 0;     // TableCounters::loads(), now
  };

  // The last count, if it holds for this view; none for a view from before that count.
  std::optional<TextTotals> Recall(const View& view) const;
  // Keeps a count. Without effect for few rows, and for a view from before the last count.
  void Remember(const TextTotals& totals, const View& view);

 private:
  mutable Mutex mutex_;
  TextTotals totals_ BASALT_GUARDED_BY(mutex_);  // without rows: there is no count
  View counted_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::engine
