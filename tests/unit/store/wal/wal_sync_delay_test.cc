// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_delay.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
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

// A generator that every library has.
using Random = std::minstd_rand;

// When a sync that begins at a time ends.
using Disk = std::function<int64_t(int64_t begin)>;

Disk AnswersAfter(int64_t micros) {
  return [=](int64_t begin) { return begin + micros; };
}

// As the kernel limits a disk: in each tenth of a second so many operations are done as fast as the
// disk can, and the next one waits for the next tenth. A sync is 26 tenths of an operation. Others
// do operations besides.
Disk Limited(int64_t operations_a_second, int64_t of_others = 0) {
  struct State {
    int64_t tenth = 0, done = 0;
  };
  return [=, state = State()](int64_t begin) mutable {
    if (begin / 100'000 > state.tenth) state = {begin / 100'000, of_others};
    state.done += 26;
    int64_t end = begin;
    if (state.done > operations_a_second) {
      state = {state.tenth + 1, of_others + 26};
      end = state.tenth * 100'000;
    }
    return end + 350;
  };
}

// The operations of a limited disk, evenly over the time.
Disk Spaced(int64_t syncs_a_second) {
  return [=, free = int64_t{0}](int64_t begin) mutable {
    const int64_t start = std::max(begin, free);
    free = start + 1'000'000 / syncs_a_second;
    return start + 350;
  };
}

// One sync in so many takes longer, whatever the load is.
Disk SlowOnceIn(int64_t syncs, int64_t micros, int64_t slow) {
  return [=, random = Random()](int64_t begin) mutable {
    return begin + (random() % syncs == 0 ? slow : micros);
  };
}

// In each period the disk stands still for a while, whatever the load is.
Disk StandsStill(int64_t micros, int64_t period) {
  return [=](int64_t begin) {
    const int64_t since = begin % period;
    return begin + 300 + (since < micros ? micros - since : 0);
  };
}

Disk Exponential(int64_t mean) {
  return [=, random = Random()](int64_t begin) mutable {
    const double part = (random() + 0.5) / Random::max();
    return begin + static_cast<int64_t>(-std::log(part) * mean);
  };
}

// Turns, and passes the place once in each turn.
Disk AnswersOnceIn(int64_t turn) {
  return [=](int64_t begin) { return (begin / turn + 1) * turn; };
}

struct Outcome {
  int64_t commits = 0, rounds = 0, waits = 0, longest_wait = 0;
  double rounds_a_commit() const { return static_cast<double>(rounds) / commits; }
};

// Clients that work for a while, commit, and so on, for a minute. Rounds as in WalSyncGroup.
class Clients {
 public:
  Clients(size_t number, int64_t work) : work_(work), arrives_(number), in_last_(number) {
    for (size_t i = 0; i < number; ++i) arrives_[i] = clock.now + NextWork(i);
  }
  // One in ten of their transactions takes ten times as long as others.
  void AreMixed() { mixed_ = true; }
  // Every other one works a hundred times longer.
  void DifferMuch() { differ_ = true; }
  // So many of them change one row: who is the next one begins when the commit before is durable.
  void ShareRows(size_t clients) {
    share_row_ = clients;
    for (size_t i = 0; i < arrives_.size(); ++i) {
      if (i % clients != 0) arrives_[i] = INT64_MAX;
    }
  }
  void WithoutDelay() { with_delay_ = false; }

  Outcome Run(const Disk& disk, int64_t seconds = 60) {
    const int64_t end = clock.now + seconds * 1'000'000;
    outcome_ = {};
    while (clock.now < end) Round(disk);
    return outcome_;
  }

  FakeClock clock;
  WalSyncDelay delay{&clock};

 private:
  // From half of it to one and a half.
  int64_t NextWork(size_t client) {
    int64_t mean = work_;
    if (mixed_) mean = random_() % 10 == 0 ? work_ * 5 : work_ / 2;
    if (differ_) mean = client % 2 == 0 ? work_ / 50 : work_ * 2;
    return mean / 2 + static_cast<int64_t>(random_() % (mean + 1));
  }
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
    delay.EndRound(std::count(is_in.begin(), is_in.end(), true));
    ++outcome_.rounds;
    for (size_t i = 0; i < is_in.size(); ++i) {
      if (is_in[i]) Committed(i);
    }
    in_last_ = std::move(is_in);
  }

  void WaitForOthers() {
    if (!with_delay_) return;
    const size_t members = Members();
    size_t missing = 0;
    for (size_t i = 0; i < arrives_.size(); ++i) missing += in_last_[i] && !IsIn(i) ? 1 : 0;
    const int64_t most = missing == 0 ? 0 : delay.MostWait(members, missing).count();
    if (most == 0) return;
    ++outcome_.waits;
    std::vector<int64_t> order = arrives_;
    const auto last = order.begin() + static_cast<int64_t>(members + missing) - 1;
    std::nth_element(order.begin(), last, order.end());
    const int64_t begun = clock.now;
    clock.now = std::clamp(*last, begun, begun + most);
    outcome_.longest_wait = std::max(outcome_.longest_wait, clock.now - begun);
    delay.EndWait(Members() > members);
  }

  void Committed(size_t client) {
    ++outcome_.commits;
    arrives_[client] = INT64_MAX;
    const size_t next_of_row =
        client % share_row_ + 1 == share_row_ ? client + 1 - share_row_ : client + 1;
    arrives_[next_of_row] = clock.now + NextWork(next_of_row);
  }

  const int64_t work_;
  bool mixed_ = false, differ_ = false, with_delay_ = true;
  size_t share_row_ = 1;
  Random random_;
  std::vector<int64_t> arrives_;  // when each wants the log synced
  std::vector<bool> in_last_;     // of the last round
  Outcome outcome_;
};

struct Comparison {
  Outcome with, without;
  double commits() const { return static_cast<double>(with.commits) / without.commits; }
  double syncs_a_commit() const { return with.rounds_a_commit() / without.rounds_a_commit(); }
};

using Habit = std::function<void(Clients*)>;

Comparison Compare(
    size_t clients, int64_t work, const std::function<Disk()>& disk,
    const Habit& habit = [](Clients*) {}) {
  Clients with(clients, work), without(clients, work);
  habit(&with);
  habit(&without);
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
  clients.ShareRows(4);
  const Outcome found = clients.Run(AnswersAfter(3000));
  EXPECT_LE(found.waits, found.rounds / 16);
}

TEST(WalSyncDelayTest, OneSlowSyncCostsLittle) {
  const auto disk = [] {
    return [slow = false](int64_t begin) mutable {
      const bool now = begin > 3'605'000'000 && !std::exchange(slow, slow || begin > 3'605'000'000);
      return begin + (now ? 1'000'000 : 300);
    };
  };
  const Comparison found = Compare(4, 300, disk);
  EXPECT_GE(found.commits(), 0.99);
}

struct Shape {
  std::string name;
  std::function<Disk()> disk;
};

const std::vector<Shape>& Disks() {
  static const std::vector<Shape> disks = {
      {"500 operations a second", [] { return Limited(500); }},
      {"1,000", [] { return Limited(1000); }},
      {"3,000", [] { return Limited(3000); }},
      {"1,000, half of them others'", [] { return Limited(1000, 500); }},
      {"1,000, nearly all others'", [] { return Limited(1000, 900); }},
      {"400 syncs a second, evenly", [] { return Spaced(400); }},
      {"0.6 ms", [] { return AnswersAfter(600); }},
      {"2 ms", [] { return AnswersAfter(2000); }},
      {"15 ms", [] { return AnswersAfter(15000); }},
      {"8.3 ms a turn", [] { return AnswersOnceIn(8333); }},
      {"2 ms, exponential", [] { return Exponential(2000); }},
      {"10 ms, exponential", [] { return Exponential(10000); }},
      {"one in two 10 ms", [] { return SlowOnceIn(2, 300, 10000); }},
      {"one in 16 30 ms", [] { return SlowOnceIn(16, 300, 30000); }},
      {"one in 64 100 ms", [] { return SlowOnceIn(64, 300, 100000); }},
      {"still for 50 ms of 100", [] { return StandsStill(50000, 100000); }},
      {"still for 5 ms of 10", [] { return StandsStill(5000, 10000); }},
      {"still for 300 ms of 1,000", [] { return StandsStill(300000, 1000000); }},
  };
  return disks;
}

const std::vector<std::pair<std::string, Habit>>& Habits() {
  static const std::vector<std::pair<std::string, Habit>> habits = {
      {"alike", [](Clients*) {}},
      {"mixed", [](Clients* clients) { clients->AreMixed(); }},
      {"differ", [](Clients* clients) { clients->DifferMuch(); }},
      {"two a row", [](Clients* clients) { clients->ShareRows(2); }},
      {"one row", [](Clients* clients) { clients->ShareRows(4); }},
  };
  return habits;
}

// A leader that waits lengthens the round, and so what it measures; who is waited for may not be
// able to come; what is slow may be so because of others. None of that may add up.
TEST(WalSyncDelayTest, WaitsNeverCostMuchMoreThanTheyGain) {
  double gain = 0;
  int shapes = 0;
  for (const Shape& disk : Disks()) {
    for (const auto& [habit_name, habit] : Habits()) {
      for (const auto& [number, work] :
           {std::pair{4, 200}, {4, 4000}, {16, 200}, {16, 4000}, {32, 40000}}) {
        const Comparison found = Compare(number, work, disk.disk, habit);
        EXPECT_GE(found.commits(), 0.95) << disk.name << "; " << habit_name << ", " << number
                                         << " clients that work " << work << " us";
        EXPECT_LE(found.with.longest_wait, 10'000);
        gain += std::log(found.commits());
        ++shapes;
      }
    }
  }
  EXPECT_GE(std::exp(gain / shapes), 1.2) << "the mean over " << shapes << " shapes";
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
