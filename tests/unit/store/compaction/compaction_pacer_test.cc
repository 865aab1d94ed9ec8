// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/compaction_pacer.h"

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

constexpr uint64_t kMiB = 1 << 20;

class CompactionPacerTest : public testing::Test {
 protected:
  // A look `milliseconds` after the last, in which clients have written so much a second.
  uint64_t After(int milliseconds, uint64_t written_a_second) {
    now_ += std::chrono::milliseconds(milliseconds);
    debt_.written += written_a_second * static_cast<uint64_t>(milliseconds) / 1000;
    return pacer_.BytesASecond(debt_, now_);
  }

  CompactionPacer pacer_;
  CompactionDebt debt_;
  CompactionPacer::Clock::time_point now_{std::chrono::seconds(1000)};
};

TEST_F(CompactionPacerTest, IsTheLeastWhenThereIsLittleToDo) {
  debt_.written = 1 << 30;  // of before the first look, nobody knows when
  EXPECT_EQ(After(1000, 0), CompactionPacer::kLeast);
  EXPECT_EQ(After(1000, kMiB), CompactionPacer::kLeast);
}

TEST_F(CompactionPacerTest, FollowsARiseOfWritesAtOnceAndAFallSlowly) {
  After(1000, 0);
  const uint64_t risen = After(1000, 100 * kMiB);
  EXPECT_EQ(risen, 200 * kMiB);
  for (int second = 0; second < 60; ++second) After(1000, 100 * kMiB);
  const uint64_t falling = After(1000, 0);
  EXPECT_LT(falling, 200 * kMiB);
  EXPECT_GT(falling, 170 * kMiB);
  for (int second = 0; second < 60; ++second) After(1000, 0);
  EXPECT_EQ(After(1000, 0), CompactionPacer::kLeast);
}

TEST_F(CompactionPacerTest, AverageDoesNotDependOnHowOftenOneLooks) {
  After(1000, 0);
  for (int look = 0; look < 40; ++look) After(250, 100 * kMiB);
  const uint64_t often = After(1000, 0);
  pacer_ = {};
  After(1000, 0);
  for (int look = 0; look < 10; ++look) After(1000, 100 * kMiB);
  EXPECT_NEAR(static_cast<double>(often), static_cast<double>(After(1000, 0)), 1.0 * kMiB);
}

TEST_F(CompactionPacerTest, RisesWithWhatIsUndone) {
  After(1000, 0);
  debt_.pending_bytes = 6000 * kMiB;
  EXPECT_EQ(After(1000, 0), 100 * kMiB);
  debt_.excess_files = 1;
  EXPECT_EQ(After(1000, 0), 125 * kMiB);
  debt_.excess_files = 4;
  EXPECT_EQ(After(1000, 0), 200 * kMiB);
  debt_.excess_files = 8;
  EXPECT_EQ(After(1000, 0), CompactionPacer::kNoLimit);
}

TEST_F(CompactionPacerTest, HasNoLimitWhenClientsAreAboutToWait) {
  After(1000, 0);
  debt_.waiting_memtables = 1;
  EXPECT_EQ(After(1000, 0), CompactionPacer::kLeast);
  debt_.waiting_memtables = 2;
  EXPECT_EQ(After(1000, 0), CompactionPacer::kNoLimit);
}

TEST_F(CompactionPacerTest, LeavesABusyDiskToTheLog) {
  const auto after = [&](int seconds, uint64_t sync_microseconds, uint64_t written) {
    uint64_t pace = 0;
    for (int second = 0; second < seconds; ++second) {
      debt_.syncs += 100;
      debt_.sync_microseconds += 100 * sync_microseconds;
      debt_.background_bytes += kMiB;
      pace = After(1000, written);
    }
    return pace;
  };
  EXPECT_EQ(after(10, 1000, 0), CompactionPacer::kLeast);
  EXPECT_EQ(after(20, 30'000, 0), CompactionPacer::kLeastOfBusyDisk);
  EXPECT_EQ(after(30, 1000, 0), CompactionPacer::kLeast);
  // Half of what keeps up, at least; and more when level 0 grows.
  EXPECT_EQ(after(60, 30'000, 10 * kMiB), 10 * kMiB);
  debt_.excess_files = 4;
  EXPECT_EQ(after(1, 30'000, 10 * kMiB), 30 * kMiB);
  debt_.waiting_memtables = 2;
  EXPECT_EQ(after(1, 30'000, 10 * kMiB), CompactionPacer::kNoLimit);
}

TEST_F(CompactionPacerTest, BearsCountersThatWereSetToZero) {
  After(1000, 0);
  After(1000, 10 * kMiB);
  debt_.written = 0;
  EXPECT_LE(After(1000, 0), 20 * kMiB);
  EXPECT_EQ(After(1000, 50 * kMiB), 100 * kMiB);
}

TEST_F(CompactionPacerTest, BearsAClockThatStands) {
  After(1000, 0);
  debt_.written += 100 * kMiB;
  EXPECT_EQ(After(0, 0), CompactionPacer::kLeast);
}

}  // namespace
}  // namespace basalt::store
