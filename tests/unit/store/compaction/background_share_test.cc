// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/background_share.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

class BackgroundShareTest : public testing::Test {
 protected:
  // Seconds with so many syncs each, of so many microseconds, beside background work or not.
  double After(int seconds, uint64_t syncs, uint64_t microseconds, bool working = true) {
    double share = 0;
    for (int second = 0; second < seconds; ++second) {
      syncs_ += syncs;
      microseconds_ += syncs * microseconds;
      if (working) bytes_ += 1 << 20;
      share = share_.After(syncs_, microseconds_, bytes_);
    }
    return share;
  }

  BackgroundShare share_;
  uint64_t syncs_ = 0, microseconds_ = 0, bytes_ = 0;
};

TEST_F(BackgroundShareTest, IsAllWhileSyncsTakeWhatTheyUsuallyTake) {
  EXPECT_EQ(After(100, 200, 4000), 1);
  EXPECT_EQ(After(100, 200, 11'000), 1);
}

TEST_F(BackgroundShareTest, FallsWhenSyncsTakeMuchLongerAndRisesAgain) {
  After(10, 200, 4000, false);
  EXPECT_LT(After(2, 200, 40'000), 0.5);
  EXPECT_EQ(After(10, 200, 40'000), BackgroundShare::kLeast);
  EXPECT_GT(After(6, 200, 5000), 0.25);
  EXPECT_EQ(After(20, 200, 5000), 1);
}

TEST_F(BackgroundShareTest, AQuickDiskHasRoom) {
  After(10, 2000, 100, false);
  EXPECT_EQ(After(10, 2000, 1900), 1);
}

TEST_F(BackgroundShareTest, OthersMayMakeADiskSlow) {
  After(10, 200, 4000, false);
  EXPECT_EQ(After(10, 200, 40'000, /*working=*/false), 1);
}

TEST_F(BackgroundShareTest, FewSyncsSayNothing) {
  After(10, 200, 4000, false);
  EXPECT_EQ(After(10, 4, 400'000), 1);
}

TEST_F(BackgroundShareTest, LearnsThatADiskHasBecomeSlower) {
  After(10, 200, 4000, false);
  After(70, 200, 40'000, false);
  EXPECT_EQ(After(10, 200, 40'000), 1);
}

TEST_F(BackgroundShareTest, SumsMayBeginAnew) {
  After(10, 200, 4000, false);
  syncs_ = microseconds_ = bytes_ = 0;
  EXPECT_EQ(After(10, 200, 4000), 1);
}

// A disk of 8 MB a second, of which the log takes 4: what waits in front of a sync is what
// background work has written too much. Without a share it writes its 8 MB a second and syncs wait
// longer and longer.
TEST_F(BackgroundShareTest, FindsWhatADiskHasLeft) {
  constexpr double kPace = 8, kLog = 4, kDisk = 8;  // MB a second
  After(10, 200, 2000, false);
  double waiting = 0, share = 1, written = 0, longest = 0;
  for (int second = 0; second < 120; ++second) {
    waiting = std::max(0.0, waiting + kLog + share * kPace - kDisk);
    written += share * kPace;
    longest = std::max(longest, waiting);
    share = After(1, 200, 2000 + static_cast<uint64_t>(waiting / kDisk * 1e6));
  }
  EXPECT_LT(longest, 12);         // MB; without a share it would be 480
  EXPECT_GT(written / 120, 2.0);  // of 4 that the disk has left
}

}  // namespace
}  // namespace basalt::store
