// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_group.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

TEST(WalSyncGroup, EverybodyIsCoveredByARoundThatBeganAfterThem) {
  std::atomic<uint64_t> written{0};
  std::atomic<uint64_t> durable{0};
  WalSyncGroup group([&] {
    const uint64_t seen = written.load();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    durable.store(seen);  // one round at a time, so it never goes back
    return rocksdb::Status::OK();
  });
  constexpr int kThreads = 8;
  constexpr int kCommits = 200;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCommits; ++i) {
        const uint64_t mine = written.fetch_add(1) + 1;
        if (!group.Sync().ok() || durable.load() < mine) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LT(group.rounds(), kThreads * kCommits / 2u) << "callers share rounds";
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

}  // namespace
}  // namespace basalt::store
