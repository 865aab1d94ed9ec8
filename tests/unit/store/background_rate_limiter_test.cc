// SPDX-License-Identifier: GPL-2.0-only
#include "store/background_rate_limiter.h"

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
  EXPECT_GT(limiter.GetBytesPerSecond(), BackgroundRateLimiter::kAutomaticBound);
  EXPECT_EQ(limiter.CurrentLimit(), 0u);
  EXPECT_GT(limiter.GetSingleBurstBytes(), 0);
}

TEST(BackgroundRateLimiterTest, AnAutomaticLimitStaysWithinItsBound) {
  BackgroundRateLimiter limiter(1000000, /*automatic=*/true);
  EXPECT_LT(limiter.CurrentLimit(), 1000000u) << "as a limit that is not automatic";
  EXPECT_GE(limiter.CurrentLimit(), 1000000u / 20);
  limiter.SetLimit(0, /*automatic=*/true);
  EXPECT_GT(limiter.CurrentLimit(), 0u);
  EXPECT_LE(limiter.CurrentLimit(), static_cast<uint64_t>(BackgroundRateLimiter::kAutomaticBound));
}

}  // namespace
}  // namespace basalt::store
