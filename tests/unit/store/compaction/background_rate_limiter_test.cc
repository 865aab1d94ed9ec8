// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/background_rate_limiter.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

using rocksdb::Env;

TEST(BackgroundRateLimiterTest, CountsOnWhenTheLimitChanges) {
  BackgroundRateLimiter limiter(0, /*automatic=*/false);
  limiter.Request(1000, Env::IO_LOW, nullptr, rocksdb::RateLimiter::OpType::kWrite);
  limiter.SetLimit(1 << 30, /*automatic=*/false);
  limiter.Request(500, Env::IO_HIGH, nullptr, rocksdb::RateLimiter::OpType::kWrite);
  EXPECT_EQ(limiter.GetTotalBytesThrough(Env::IO_LOW), 1000);
  EXPECT_EQ(limiter.GetTotalBytesThrough(Env::IO_TOTAL), 1500);
  EXPECT_EQ(limiter.GetTotalRequests(Env::IO_TOTAL), 2);
}

TEST(BackgroundRateLimiterTest, ReadsAreNotLimited) {
  BackgroundRateLimiter limiter(1, /*automatic=*/false);
  limiter.Request(1 << 30, Env::IO_LOW, nullptr, rocksdb::RateLimiter::OpType::kRead);
  EXPECT_EQ(limiter.GetTotalBytesThrough(Env::IO_TOTAL), 0);
}

TEST(BackgroundRateLimiterTest, TakesNewLimits) {
  BackgroundRateLimiter limiter(1000000, /*automatic=*/false);
  EXPECT_EQ(limiter.GetBytesPerSecond(), 1000000);
  limiter.SetBytesPerSecond(2000000);
  EXPECT_EQ(limiter.GetBytesPerSecond(), 2000000);
  limiter.SetLimit(0, /*automatic=*/false);
  EXPECT_GT(limiter.GetBytesPerSecond(), int64_t{1} << 30);
  EXPECT_EQ(limiter.CurrentLimit(), 0u);
  EXPECT_GT(limiter.GetSingleBurstBytes(), 0);
}

TEST(BackgroundRateLimiterTest, AnAutomaticLimitFollowsTheWorkWithinItsBound) {
  BackgroundRateLimiter limiter(0, /*automatic=*/true);
  EXPECT_EQ(limiter.CurrentLimit(), 0u) << "before the first look";
  CompactionDebt debt;
  limiter.Follow(debt);
  EXPECT_EQ(limiter.CurrentLimit(), CompactionPacer::kLeast);
  debt.pending_bytes = 600 * CompactionPacer::kLeast;
  limiter.Follow(debt);
  EXPECT_EQ(limiter.CurrentLimit(), 10 * CompactionPacer::kLeast);
  limiter.SetLimit(1000000, /*automatic=*/true);
  EXPECT_EQ(limiter.CurrentLimit(), 1000000u);
  debt.waiting_memtables = 2;
  limiter.Follow(debt);
  EXPECT_EQ(limiter.CurrentLimit(), 1000000u);
  limiter.SetLimit(0, /*automatic=*/true);
  EXPECT_EQ(limiter.CurrentLimit(), 0u);
}

// RocksDB's limiter hands out later what nobody took while its limit was high.
TEST(BackgroundRateLimiterTest, ALimitHoldsAfterThereWasNone) {
  BackgroundRateLimiter limiter(0, /*automatic=*/false);
  limiter.Request(1000, Env::IO_LOW, nullptr, rocksdb::RateLimiter::OpType::kWrite);
  limiter.SetLimit(10, /*automatic=*/false);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      limiter.Request(1, Env::IO_LOW, nullptr, rocksdb::RateLimiter::OpType::kWrite);
    }
    done = true;
  });
  int64_t waiting = 0;
  while (waiting == 0 && !done) {
    ASSERT_TRUE(limiter.GetTotalPendingRequests(&waiting, Env::IO_LOW).ok());
  }
  EXPECT_GT(waiting, 0);
  limiter.SetLimit(0, /*automatic=*/false);
  writer.join();
}

TEST(BackgroundRateLimiterTest, ALimitThatIsNotAutomaticFollowsNothing) {
  BackgroundRateLimiter limiter(1000000, /*automatic=*/false);
  limiter.Follow({});
  EXPECT_EQ(limiter.CurrentLimit(), 1000000u);
  limiter.SetLimit(0, /*automatic=*/false);
  EXPECT_EQ(limiter.CurrentLimit(), 0u);
}

TEST(BackgroundRateLimiterTest, AHurryLiftsThePaceAndNotTheBound) {
  BackgroundRateLimiter limiter(0, /*automatic=*/true);
  limiter.Follow({});
  {
    const BackgroundRateLimiter::Hurry one(&limiter);
    EXPECT_EQ(limiter.CurrentLimit(), 0u);
    {
      const BackgroundRateLimiter::Hurry two(&limiter);
      limiter.SetLimit(1000000, /*automatic=*/true);
    }
    EXPECT_EQ(limiter.CurrentLimit(), 1000000u);
    limiter.SetLimit(0, /*automatic=*/true);
    limiter.Follow({});
    EXPECT_EQ(limiter.CurrentLimit(), 0u);
  }
  EXPECT_EQ(limiter.CurrentLimit(), CompactionPacer::kLeast);
  const BackgroundRateLimiter::Hurry of_none(nullptr);
}

}  // namespace
}  // namespace basalt::store
