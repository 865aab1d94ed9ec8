// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/background_share.h"

#include <algorithm>
#include <utility>

namespace basalt::store {
namespace {

// Fewer syncs a second say nothing, and nobody waits much.
constexpr uint64_t kFewestSyncs = 5;
// Below it a sync is quick, whatever is usual.
constexpr double kQuickMicroseconds = 2000;
constexpr double kSlowTimesUsual = 3;
// A second of a disk that is too busy, and of one that is not: half of it is gone in two seconds,
// and back in five.
constexpr double kFall = 0.7;
constexpr double kRise = 1.15;
// What is usual follows a disk that becomes slower: to three times as much in a minute while
// background work rests, in ten minutes while it never does.
constexpr double kLearnAtRest = 1.02;
constexpr double kLearnAtWork = 1.002;

// What a sum has grown by; sums that are set to zero begin anew.
uint64_t Grown(uint64_t now, uint64_t* last) {
  const uint64_t before = std::exchange(*last, now);
  return now - std::min(before, now);
}

}  // namespace

double BackgroundShare::After(uint64_t syncs, uint64_t sync_microseconds,
                              uint64_t background_bytes) {
  const uint64_t count = Grown(syncs, &syncs_);
  const uint64_t microseconds = Grown(sync_microseconds, &sync_microseconds_);
  const bool working = Grown(background_bytes, &background_bytes_) > 0;
  const double mean =
      count < kFewestSyncs ? 0 : static_cast<double>(microseconds) / static_cast<double>(count);
  const bool slow = usual_ > 0 && mean > std::max(kQuickMicroseconds, kSlowTimesUsual * usual_);
  if (mean > 0) Learn(mean, working);
  share_ = slow && working ? std::max(kLeast, share_ * kFall) : std::min(1.0, share_ * kRise);
  return share_;
}

void BackgroundShare::Learn(double mean, bool working) {
  const double grown = usual_ * (working ? kLearnAtWork : kLearnAtRest);
  usual_ = usual_ == 0 ? mean : std::min(mean, grown);
}

}  // namespace basalt::store
