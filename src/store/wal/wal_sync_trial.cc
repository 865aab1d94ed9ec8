// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_trial.h"

#include <algorithm>
#include <cmath>

namespace basalt::store {
namespace {

// Longer than the tenth of a second in which Linux and many clouds count a disk's operations.
constexpr double kStretch = 200'000;
constexpr int kRoundsOfStretch = 16;
constexpr int kCompared = 8;
// One stretch in so many runs the other way: until kCompared have, then where waits are the rule,
// and where they are not.
constexpr int kOneInAtFirst = 2, kOneIn = 16, kOneInWithoutWaits = 32;
// Losses below are within what stretches differ anyway.
constexpr double kLoss = -0.02;
// A single stretch says no more than this: the disk may have stood still.
constexpr double kMost = 0.5;

}  // namespace

void WalSyncTrial::AddRound(double micros, uint64_t commits) {
  micros_ += micros;
  commits_ += static_cast<double>(commits);
  ++rounds_;
  if (micros_ < kStretch || rounds_ < kRoundsOfStretch || commits_ == 0) return;
  EndStretch(std::log(commits_ / micros_));
  BeginStretch();
}

void WalSyncTrial::Interrupt() {
  micros_ = commits_ = 0;
  rounds_ = 0;
  has_usual_ = has_odd_ = false;
  waits_ = pays_;
}

void WalSyncTrial::EndStretch(double rate) {
  if (waits_ != pays_) {
    odd_rate_ = rate;
    has_odd_ = true;
    return;
  }
  const bool paid = pays_;
  if (has_odd_ && has_usual_) Compare(usual_rate_, odd_rate_, rate);
  has_odd_ = false;
  usual_rate_ = rate;
  has_usual_ = pays_ == paid;
}

void WalSyncTrial::Compare(double before, double odd, double after) {
  const double odd_gains = std::clamp(odd - (before + after) / 2, -kMost, kMost);
  gain_ += ((pays_ ? -odd_gains : odd_gains) - gain_) / kCompared;
  compared_ = std::min(compared_ + 1, kCompared);
  pays_ = gain_ >= kLoss;
}

void WalSyncTrial::BeginStretch() {
  micros_ = commits_ = 0;
  rounds_ = 0;
  const int known = pays_ ? kOneIn : kOneInWithoutWaits;
  const bool odd = ++stretches_ >= (compared_ < kCompared ? kOneInAtFirst : known);
  if (odd) stretches_ = 0;
  waits_ = odd ? !pays_ : pays_;
}

}  // namespace basalt::store
