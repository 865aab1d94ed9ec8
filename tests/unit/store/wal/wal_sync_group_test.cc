// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_group.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

// Threads that commit again and again; a sync takes so long.
void ExpectEverybodyIsCovered(std::chrono::microseconds sync, int commits) {
  std::atomic<uint64_t> written{0};
  std::atomic<uint64_t> durable{0};
  WalSyncGroup group([&] {
    const uint64_t seen = written.load();
    std::this_thread::sleep_for(sync);
    durable.store(seen);  // one round at a time, so it never goes back
    return rocksdb::Status::OK();
  });
  constexpr int kThreads = 8;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      WalCommitter committer;
      for (int i = 0; i < commits; ++i) {
        const uint64_t mine = written.fetch_add(1) + 1;
        if (!group.Sync(&committer).ok() || durable.load() < mine) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LT(group.rounds(), kThreads * commits / 2u) << "callers share rounds";
}

TEST(WalSyncGroup, EverybodyIsCoveredByARoundThatBeganAfterThem) {
  ExpectEverybodyIsCovered(std::chrono::microseconds(200), 200);
}

TEST(WalSyncGroup, EverybodyIsCoveredWhereLeadersWaitForOthers) {
  ExpectEverybodyIsCovered(std::chrono::microseconds(1000), 200);
}

TEST(WalSyncGroup, WhoeverComesDuringARoundSharesTheNextOne) {
  std::atomic<bool> first_began{false}, let_go{false};
  WalSyncGroup group([&] {
    if (!first_began.exchange(true)) {
      while (!let_go.load()) std::this_thread::yield();
    }
    return rocksdb::Status::OK();
  });
  std::vector<std::thread> threads;
  threads.emplace_back([&] { EXPECT_TRUE(group.Sync().ok()); });
  while (!first_began.load()) std::this_thread::yield();
  std::atomic<int> called{0};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      ++called;
      EXPECT_TRUE(group.Sync().ok());
    });
  }
  while (called.load() < 6) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // they sleep by now, or soon
  let_go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(group.rounds(), 2u);
  EXPECT_LE(group.rounds(), 7u);
}

TEST(WalSyncGroup, AnErrorReachesEverybodyOfItsRound) {
  std::atomic<int> calls{0};
  std::atomic<bool> let_go{false};
  WalSyncGroup group([&] {
    const int call = ++calls;
    while (call == 1 && !let_go.load()) std::this_thread::yield();
    return call == 1 ? rocksdb::Status::OK() : rocksdb::Status::IOError("broken");
  });
  std::vector<std::thread> threads;
  threads.emplace_back([&] { (void)group.Sync(); });
  while (calls.load() == 0) std::this_thread::yield();
  std::atomic<int> failed{0};
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&] { failed += group.Sync().IsIOError() ? 1 : 0; });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  let_go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 5);
}

TEST(WalSyncGroup, ErrorsReachTheCaller) {
  bool fail = true;
  WalSyncGroup group(
      [&] { return fail ? rocksdb::Status::IOError("broken") : rocksdb::Status::OK(); });
  EXPECT_TRUE(group.Sync().IsIOError());
  fail = false;
  EXPECT_TRUE(group.Sync().ok());
}

// Passes only where a test says so.
class FakeClock final : public WalSyncClock {
 public:
  std::chrono::microseconds Now() override { return std::chrono::microseconds(now.load()); }
  void Wait(std::atomic<uint32_t>* word, uint32_t expected,
            std::chrono::microseconds most) override {
    ++sleeps;
    if (!while_asleep) {
      now += most.count();
      return;
    }
    while_asleep();
    while (word->load() == expected) std::this_thread::yield();
  }
  std::atomic<int64_t> now{3'600'000'000};
  int sleeps = 0;
  std::function<void()> while_asleep;  // does what ends the sleep
};

// A disk whose syncs take two milliseconds, with a group that knows it.
class WalSyncGroupOfASlowDisk : public ::testing::Test {
 protected:
  static constexpr int kUntilKnown = 100;

  void SetUp() override {
    for (int i = 0; i < kUntilKnown; ++i) ASSERT_TRUE(group_.Sync(&committer_).ok());
  }
  void SyncElsewhere() { EXPECT_TRUE(group_.Sync(&other_).ok()); }

  FakeClock clock_;
  WalSyncGroup group_{[this] {
                        clock_.now += 2000;
                        return fails_ ? rocksdb::Status::IOError("broken") : rocksdb::Status::OK();
                      },
                      &clock_};
  bool fails_ = false;
  WalCommitter committer_, other_;
};

TEST_F(WalSyncGroupOfASlowDisk, WhoIsAloneDoesNotWait) {
  EXPECT_EQ(group_.rounds(), uint64_t{kUntilKnown});
  EXPECT_EQ(group_.waits(), 0u);
  EXPECT_EQ(clock_.sleeps, 0);
}

TEST_F(WalSyncGroupOfASlowDisk, WhoIsAloneIsServedByAnyThread) {
  for (int i = 0; i < 20; ++i) {
    std::thread([&] { EXPECT_TRUE(group_.Sync(&committer_).ok()); }).join();
  }
  EXPECT_EQ(group_.waits(), 0u);
}

TEST_F(WalSyncGroupOfASlowDisk, WhoIsNoCommitterNeitherWaitsNorIsWaitedFor) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(group_.Sync().ok()) << "in the background, after a commit";
    EXPECT_TRUE(group_.Sync(&committer_).ok());
  }
  EXPECT_EQ(group_.waits(), 0u);
  EXPECT_EQ(clock_.sleeps, 0);
}

TEST_F(WalSyncGroupOfASlowDisk, AnErrorAfterAWaitReachesTheCaller) {
  SyncElsewhere();
  fails_ = true;
  const uint64_t waits = group_.waits();
  EXPECT_TRUE(group_.Sync(&committer_).IsIOError());
  EXPECT_EQ(group_.waits(), waits + 1);
  fails_ = false;
  EXPECT_TRUE(group_.Sync(&committer_).ok());
}

TEST_F(WalSyncGroupOfASlowDisk, TheLastOneOfTheRoundBeforeWakesItsLeader) {
  // One thread is in the round before, and comes again while the leader of the next one sleeps.
  std::atomic<bool> asleep{false};
  std::atomic<bool> was_in_round{false};
  std::thread other([&] {
    EXPECT_TRUE(group_.Sync(&other_).ok());
    was_in_round = true;
    while (!asleep.load()) std::this_thread::yield();
    EXPECT_TRUE(group_.Sync(&other_).ok());
  });
  while (!was_in_round.load()) std::this_thread::yield();
  clock_.while_asleep = [&] { asleep = true; };
  const uint64_t before = group_.rounds();
  const uint64_t waits = group_.waits();
  EXPECT_TRUE(group_.Sync(&committer_).ok());
  asleep = true;  // also where nobody has waited
  other.join();
  EXPECT_EQ(group_.rounds(), before + 1) << "one sync for both";
  EXPECT_EQ(group_.waits(), waits + 1);
}

TEST_F(WalSyncGroupOfASlowDisk, WhoDoesNotComeIsNotWaitedForLongerThanASync) {
  SyncElsewhere();
  const int64_t before = clock_.now;
  const uint64_t waits = group_.waits();
  EXPECT_TRUE(group_.Sync(&committer_).ok());
  EXPECT_EQ(group_.waits(), waits + 1);
  EXPECT_GT(clock_.now - before, 2000);
  EXPECT_LE(clock_.now - before, 4000);
}

TEST_F(WalSyncGroupOfASlowDisk, WaitsInVainBecomeRare) {
  for (int i = 0; i < 320; ++i) {
    SyncElsewhere();
    EXPECT_TRUE(group_.Sync(&committer_).ok());
  }
  EXPECT_LE(group_.waits(), 60u) << "of 640";
}

}  // namespace
}  // namespace basalt::store
