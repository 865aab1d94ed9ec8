// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_delay.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

using std::chrono::microseconds;

class FakeClock final : public WalSyncClock {
 public:
  microseconds Now() override {
    ++looks;
    return microseconds(now);
  }
  void Wait(std::atomic<uint32_t>*, uint32_t, microseconds) override {}
  int64_t now = 3'600'000'000;  // the machine has been up for an hour
  int looks = 0;
};

// When a sync that begins at a time ends.
using Disk = std::function<int64_t(int64_t begin)>;

Disk AnswersAfter(int64_t micros) {
  return [=](int64_t begin) { return begin + micros; };
}

// As the kernel limits a disk: in each tenth of a second so many operations are done as fast as the
// disk can, and the next one waits for the next tenth. A sync is 26 tenths of an operation.
Disk Limited(int64_t operations_a_second) {
  struct State {
    int64_t tenth = 0, done = 0;
  };
  return [=, state = State()](int64_t begin) mutable {
    if (begin / 100'000 > state.tenth) state = {begin / 100'000, 0};
    state.done += 26;
    int64_t end = begin;
    if (state.done > operations_a_second) {
      state = {state.tenth + 1, 26};
      end = state.tenth * 100'000;
    }
    return end + 350;
  };
}

struct Outcome {
  int64_t commits = 0, rounds = 0, waits = 0;
  double rounds_a_commit() const { return static_cast<double>(rounds) / commits; }
};

// Clients that work for a while, commit, and so on, for twenty seconds. Rounds as in WalSyncGroup.
class Clients {
 public:
  Clients(size_t number, int64_t work) : work_(work), arrives_(number), in_last_(number) {
    for (int64_t& at : arrives_) at = NextWork();
  }
  // They change one row: who is the next one begins when the commit before is durable.
  void TakeTurns() {
    in_turns_ = true;
    std::fill(arrives_.begin() + 1, arrives_.end(), INT64_MAX);
  }
  void WithoutDelay() { with_delay_ = false; }

  Outcome Run(const Disk& disk) {
    const int64_t end = clock.now + 20'000'000;
    outcome_ = {};
    while (clock.now < end) Round(disk);
    return outcome_;
  }

  FakeClock clock;
  WalSyncDelay delay{&clock};

 private:
  // From half of it to one and a half, with a generator that every library has.
  int64_t NextWork() { return work_ / 2 + static_cast<int64_t>(random_() % (work_ + 1)); }
  bool IsIn(size_t client) const { return arrives_[client] <= clock.now; }
  size_t Members() const {
    return std::count_if(arrives_.begin(), arrives_.end(),
                         [&](int64_t at) { return at <= clock.now; });
  }

  void Round(const Disk& disk) {
    clock.now = std::max(clock.now, *std::min_element(arrives_.begin(), arrives_.end()));
    WaitForOthers();
    delay.BeginRound();
    std::vector<bool> is_in(arrives_.size());
    for (size_t i = 0; i < is_in.size(); ++i) is_in[i] = IsIn(i);
    clock.now = disk(clock.now);
    delay.EndRound();
    ++outcome_.rounds;
    for (size_t i = 0; i < is_in.size(); ++i) {
      if (is_in[i]) Committed(i);
    }
    in_last_ = std::move(is_in);
  }

  void WaitForOthers() {
    if (!with_delay_) return;
    const int64_t most = delay.MostWait().count();
    const size_t members = Members();
    size_t wanted = members;
    for (size_t i = 0; i < arrives_.size(); ++i) wanted += in_last_[i] && !IsIn(i) ? 1 : 0;
    if (most == 0 || wanted == members) return;
    ++outcome_.waits;
    std::vector<int64_t> order = arrives_;
    std::sort(order.begin(), order.end());
    clock.now = std::clamp(order[wanted - 1], clock.now, clock.now + most);
    delay.EndWait(Members() > members);
  }

  void Committed(size_t client) {
    ++outcome_.commits;
    arrives_[client] = clock.now + NextWork();
    if (!in_turns_) return;
    arrives_[client] = INT64_MAX;
    arrives_[(client + 1) % arrives_.size()] = clock.now + NextWork();
  }

  const int64_t work_;
  bool in_turns_ = false, with_delay_ = true;
  std::minstd_rand random_;
  std::vector<int64_t> arrives_;  // when each wants the log synced
  std::vector<bool> in_last_;     // of the last round
  Outcome outcome_;
};

struct Comparison {
  Outcome with, without;
  double commits() const { return static_cast<double>(with.commits) / without.commits; }
  double syncs_a_commit() const { return with.rounds_a_commit() / without.rounds_a_commit(); }
};

Comparison Compare(size_t clients, int64_t work, const std::function<Disk()>& disk) {
  Clients with(clients, work), without(clients, work);
  without.WithoutDelay();
  return {with.Run(disk()), without.Run(disk())};
}

TEST(WalSyncDelayTest, ClientsOfADiskAtItsLimitShareSyncsAndCommitMore) {
  const Comparison four = Compare(4, 4000, [] { return Limited(1000); });
  EXPECT_GE(four.commits(), 1.2);
  EXPECT_LE(four.syncs_a_commit(), 0.85);
  const Comparison eight = Compare(8, 5000, [] { return Limited(1000); });
  EXPECT_GE(eight.commits(), 1.6);
  EXPECT_LE(eight.syncs_a_commit(), 0.65);
  const Comparison few = Compare(4, 5000, [] { return Limited(500); });
  EXPECT_GE(few.commits(), 1.4);
}

TEST(WalSyncDelayTest, TwoGroupsThatTakeTurnsBecomeOne) {
  const Comparison found = Compare(4, 500, [] { return AnswersAfter(5000); });
  EXPECT_GE(found.commits(), 1.25);
  EXPECT_LE(found.syncs_a_commit(), 0.7);
}

TEST(WalSyncDelayTest, ASlowDiskWithRoomLosesLittle) {
  EXPECT_GE(Compare(8, 4000, [] { return AnswersAfter(2000); }).commits(), 0.95);
  EXPECT_GE(Compare(2, 2000, [] { return AnswersAfter(2000); }).commits(), 0.95);
  EXPECT_GE(Compare(2, 20000, [] { return AnswersAfter(5000); }).commits(), 0.98);
}

TEST(WalSyncDelayTest, ASingleClientNeverWaits) {
  for (const Disk& disk : {AnswersAfter(100), AnswersAfter(5000), Limited(500)}) {
    Clients one(1, 200);
    EXPECT_EQ(one.Run(disk).waits, 0);
  }
}

TEST(WalSyncDelayTest, ADiskThatAnswersAtOnceCostsNoWaitAndFewLooksAtTheClock) {
  Clients clients(8, 200);
  const Outcome found = clients.Run(AnswersAfter(100));
  EXPECT_EQ(found.waits, 0);
  constexpr int kUntilKnown = 150;
  EXPECT_LE(clients.clock.looks, found.rounds / 16 + kUntilKnown);
}

TEST(WalSyncDelayTest, ClientsThatCannotCommitTogetherSeldomWait) {
  Clients clients(4, 400);
  clients.TakeTurns();
  const Outcome found = clients.Run(AnswersAfter(3000));
  EXPECT_LE(found.waits, found.rounds / 16);
}

TEST(WalSyncDelayTest, FollowsTheDisk) {
  Clients clients(4, 500);
  EXPECT_EQ(clients.Run(AnswersAfter(100)).waits, 0);
  EXPECT_FALSE(clients.delay.active());
  EXPECT_GT(clients.Run(AnswersAfter(5000)).waits, 0);
  EXPECT_TRUE(clients.delay.active());
  clients.clock.looks = 0;
  const Outcome again = clients.Run(AnswersAfter(100));
  EXPECT_LT(again.waits, 1000) << "of " << again.rounds;
  EXPECT_LT(clients.clock.looks, again.rounds / 16 + 1000);
  EXPECT_FALSE(clients.delay.active());
}

}  // namespace
}  // namespace basalt::store
