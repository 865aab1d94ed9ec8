// SPDX-License-Identifier: GPL-2.0-only
#include "txn/wait_observer.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "txn/lock_table.h"

namespace basalt::txn {
namespace {

constexpr IndexId kIndex{0, 300};
constexpr uint64_t kLongMicroseconds = 20'000'000;

// Runners are numbers, in the order in which they must commit. As the server does, it interrupts a
// later one that an earlier one waits for; not at once, since it is called with the graph's mutex.
struct Ordered : WaitObserver {
  struct Runner {
    int number;
    bool reports;
  };

  bool Wants(WaitObserver::Runner waiter) const override { return Of(waiter)->reports; }
  void Waits(WaitObserver::Runner waiter, WaitObserver::Runner blocker) override {
    std::lock_guard guard(mutex);
    seen.insert({Of(waiter)->number, Of(blocker)->number});
  }
  Victim Prefer(WaitObserver::Runner first, WaitObserver::Runner second) const override {
    if (!prefers) return Victim::kEither;
    return Of(first)->number > Of(second)->number ? Victim::kFirst : Victim::kSecond;
  }
  void Sleeps(WaitObserver::Runner waiter) override {
    EXPECT_TRUE(asleep.insert({waiter, std::this_thread::get_id()}).second) << "asleep twice";
  }
  void Wakes(WaitObserver::Runner waiter) override {
    EXPECT_EQ(asleep.erase({waiter, std::this_thread::get_id()}), 1u) << "not by the same thread";
    ++woken;
  }
  static const Runner* Of(WaitObserver::Runner runner) { return static_cast<Runner*>(runner); }

  std::set<std::pair<int, int>> Seen() {
    std::lock_guard guard(mutex);
    return seen;
  }

  bool prefers = true;
  std::mutex mutex;
  std::set<std::pair<int, int>> seen;
  // The graph's mutex guards them.
  std::set<std::pair<WaitObserver::Runner, std::thread::id>> asleep;
  int woken = 0;
};

struct Fixture : ::testing::Test {
  Fixture() {
    graph.Observe(&observer);
    for (int i = 0; i < 3; ++i) graph.SetRunner(owners[i], &runners[i]);
  }
  Code Take(LockOwner* owner, Bytes key) {
    return table
        .Acquire(owner, kIndex, key, LockMode::kExclusive, LockWait::kWait, kLongMicroseconds)
        .code();
  }
  ~Fixture() override { EXPECT_TRUE(observer.asleep.empty()); }
  void WaitForWaiters(uint64_t count) const {
    while (graph.counters().waits < count) std::this_thread::yield();
  }

  Ordered observer;
  Ordered::Runner runners[3] = {{1, true}, {2, true}, {3, true}};
  WaitGraph graph;
  LockTable table{{}, &graph};
  LockOwner a{1}, b{2}, c{3};
  LockOwner* owners[3] = {&a, &b, &c};
};

// G4: also the waits behind others in a queue.
TEST_F(Fixture, G4TellsOfAllThatMustEndFirst) {
  EXPECT_EQ(Take(&b, "k"), Code::kOk);
  std::thread third([&] {
    EXPECT_EQ(Take(&c, "k"), Code::kOk);
    table.ReleaseAll(&c);
  });
  WaitForWaiters(1);
  std::thread first([&] {
    EXPECT_EQ(Take(&a, "k"), Code::kOk);
    table.ReleaseAll(&a);
  });
  WaitForWaiters(2);
  table.ReleaseAll(&b);
  third.join();
  first.join();
  EXPECT_EQ(observer.Seen(), (std::set<std::pair<int, int>>{{3, 2}, {1, 3}, {1, 2}}));
}

TEST_F(Fixture, WhoSleepsAndWakesIsTold) {
  ASSERT_EQ(Take(owners[0], "a"), Code::kOk);
  EXPECT_EQ(observer.woken, 0) << "nobody has waited";
  std::thread waiter([&] {
    EXPECT_EQ(Take(owners[1], "a"), Code::kOk);
    table.ReleaseAll(owners[1]);
  });
  WaitForWaiters(1);
  table.ReleaseAll(owners[0]);
  waiter.join();
  EXPECT_EQ(observer.woken, 1);
}

TEST_F(Fixture, G4SilentWhereNobodyAsksOrNobodyRuns) {
  runners[0].reports = false;
  EXPECT_EQ(Take(&b, "k"), Code::kOk);
  std::thread first([&] {
    EXPECT_EQ(Take(&a, "k"), Code::kOk);
    table.ReleaseAll(&a);
  });
  WaitForWaiters(1);
  table.ReleaseAll(&b);
  first.join();

  EXPECT_EQ(Take(&b, "k"), Code::kOk);
  graph.SetRunner(&b, nullptr);
  std::thread third([&] {
    EXPECT_EQ(Take(&c, "k"), Code::kOk);
    table.ReleaseAll(&c);
  });
  WaitForWaiters(2);
  table.ReleaseAll(&b);
  third.join();
  EXPECT_TRUE(observer.Seen().empty());
}

// G1: the request that closes the cycle goes on, the preferred victim's fails.
TEST_F(Fixture, G1ThePreferredVictimFails) {
  EXPECT_EQ(Take(&a, "x"), Code::kOk);
  EXPECT_EQ(Take(&b, "y"), Code::kOk);
  std::thread later([&] {
    EXPECT_EQ(Take(&b, "x"), Code::kDeadlock);
    table.ReleaseAll(&b);
  });
  WaitForWaiters(1);
  EXPECT_EQ(Take(&a, "y"), Code::kOk);
  later.join();
  table.ReleaseAll(&a);
  EXPECT_EQ(graph.counters().deadlocks, 1u);
  EXPECT_EQ(graph.Deadlocks().back().members.front().transaction, b.id());
  // Nothing is left of having been a victim.
  EXPECT_EQ(Take(&b, "x"), Code::kOk);
  table.ReleaseAll(&b);
}

TEST_F(Fixture, G1WithoutPreferenceTheOneThatClosesItFails) {
  observer.prefers = false;
  EXPECT_EQ(Take(&a, "x"), Code::kOk);
  EXPECT_EQ(Take(&b, "y"), Code::kOk);
  std::thread later([&] {
    EXPECT_EQ(Take(&b, "x"), Code::kOk);
    table.ReleaseAll(&b);
  });
  WaitForWaiters(1);
  EXPECT_EQ(Take(&a, "y"), Code::kDeadlock);
  table.ReleaseAll(&a);
  later.join();
}

}  // namespace
}  // namespace basalt::txn
