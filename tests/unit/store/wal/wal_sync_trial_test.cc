// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_trial.h"

#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

// Rounds of two commits, of 2 ms each, and so many times as many commits where leaders wait.
class Rounds {
 public:
  // A round's time is multiplied by `disturbance` besides.
  int CountWithWaits(double gain, int rounds, const std::function<double()>& disturbance) {
    int waited = 0;
    for (int i = 0; i < rounds; ++i) {
      waited += trial.waits() ? 1 : 0;
      trial.AddRound(2000 * disturbance() / (trial.waits() ? gain : 1), 2);
    }
    return waited;
  }
  int CountWithWaits(double gain, int rounds) {
    return CountWithWaits(gain, rounds, [] { return 1.0; });
  }
  WalSyncTrial trial;
};

constexpr int kUntilKnown = 5000, kMany = 100000;

TEST(WalSyncTrialTest, WaitsThatGainStay) {
  Rounds rounds;
  rounds.CountWithWaits(1.2, kUntilKnown);
  EXPECT_GT(rounds.CountWithWaits(1.2, kMany), kMany * 9 / 10);
  EXPECT_TRUE(rounds.trial.pays());
}

TEST(WalSyncTrialTest, WaitsThatLoseStopButForATryNowAndThen) {
  Rounds rounds;
  rounds.CountWithWaits(0.8, kUntilKnown);
  const int waited = rounds.CountWithWaits(0.8, kMany);
  EXPECT_LT(waited, kMany / 16);
  EXPECT_GT(waited, 0);
  EXPECT_FALSE(rounds.trial.pays());
}

TEST(WalSyncTrialTest, FollowsALoadThatChanges) {
  Rounds rounds;
  for (const double gain : {1.3, 0.7, 1.3}) {
    rounds.CountWithWaits(gain, kMany);
    EXPECT_EQ(rounds.trial.pays(), gain > 1) << gain;
  }
}

TEST(WalSyncTrialTest, ALoadThatFallsSaysNothingOfWaits) {
  Rounds rounds;
  double slowness = 1;
  rounds.CountWithWaits(1.1, kMany, [&] { return slowness *= 1.00003; });
  EXPECT_TRUE(rounds.trial.pays());
}

TEST(WalSyncTrialTest, NoiseIsNoReason) {
  Rounds rounds;
  std::minstd_rand random;
  double now = 1;
  int count = 0;
  // Each half second is up to a half faster or slower.
  const auto noise = [&] {
    if (++count % 250 == 0) now = 0.5 + static_cast<double>(random() % 1000) / 1000;
    return now;
  };
  rounds.CountWithWaits(1.3, kUntilKnown, noise);
  EXPECT_GT(rounds.CountWithWaits(1.3, kMany, noise), kMany * 8 / 10);
}

TEST(WalSyncTrialTest, WhatIsInterruptedIsNotCompared) {
  Rounds rounds;
  for (int i = 0; i < 1000; ++i) {
    rounds.CountWithWaits(0.5, 150);
    rounds.trial.Interrupt();
  }
  EXPECT_TRUE(rounds.trial.pays());
}

}  // namespace
}  // namespace basalt::store
