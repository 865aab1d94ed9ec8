// SPDX-License-Identifier: GPL-2.0-only
#include "txn/range_locks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

constexpr uint64_t kLongMicroseconds = 20'000'000;

// Transactions that lock ranges of index 300 and insert rows there, by number.
class RangeLocksTest : public TxnFixture {
 protected:
  std::unique_ptr<Transaction> BeginPatient() {
    auto transaction = manager_->NewTransaction();
    Start(transaction.get());
    return transaction;
  }
  static void Start(Transaction* transaction) {
    Transaction::Settings settings;
    settings.lock_wait_microseconds = kLongMicroseconds;
    transaction->Begin(settings);
  }

  IndexId IndexOf(rocksdb::ColumnFamilyHandle* handle) { return {handle->GetID(), 300}; }

  // Locks the rows [first, last).
  Code LockRange(Transaction* transaction, uint32_t first, uint32_t last,
                 LockWait wait = LockWait::kNoWait) {
    return transaction->locks().AcquireRange(IndexOf(target_), Key(first), Key(last), wait).code();
  }

  // As an insert does it: kLockBusy when a range is in the way and `wait` is false.
  Code Insert(Transaction* transaction, uint32_t number, bool wait = false) {
    const std::string key = Key(number);
    const std::array<NewEntry, 1> added{NewEntry{IndexOf(target_), key}};
    while (true) {
      WriteGate gate;
      const NewEntry* held_up = nullptr;
      Status opened = transaction->writes().OpenWrite(added, &gate, &held_up);
      if (opened.ok()) return transaction->writes().Put(target_, key, "new").code();
      if (!wait || opened.code() != Code::kLockBusy) return opened.code();
      opened = transaction->locks().WaitToInsert(*held_up);
      if (!opened.ok()) return opened.code();
    }
  }
  void Commit(Transaction* transaction) {
    ASSERT_EQ(transaction->Commit(Durability::kNone).ToString(), "ok");
  }
  void InsertCommitted(uint32_t number) {
    auto transaction = Begin();
    ASSERT_EQ(Insert(transaction.get(), number), Code::kOk);
    Commit(transaction.get());
  }
  void WaitForWaiters(uint64_t count) {
    while (manager_->waits()->counters().waits < count) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  rocksdb::ColumnFamilyHandle* target_ = nullptr;

  void SetUp() override {
    TxnFixture::SetUp();
    target_ = family();
  }
};

TEST_F(RangeLocksTest, R1KeepsOthersFromAdding) {
  for (rocksdb::ColumnFamilyHandle* handle : {family(), reversed_}) {
    target_ = handle;
    auto reader = Begin();
    auto writer = Begin();
    ASSERT_EQ(LockRange(reader.get(), 10, 20), Code::kOk);
    EXPECT_EQ(Insert(writer.get(), 9), Code::kOk);
    EXPECT_EQ(Insert(writer.get(), 10), Code::kLockBusy);
    EXPECT_EQ(Insert(writer.get(), 19), Code::kLockBusy);
    EXPECT_EQ(Insert(writer.get(), 20), Code::kOk);
    EXPECT_EQ(Insert(reader.get(), 15), Code::kOk);  // its own range
    Commit(reader.get());
    EXPECT_EQ(Insert(writer.get(), 19), Code::kOk);
  }
}

TEST_F(RangeLocksTest, R1RangesOfOneIndexAreNotThoseOfAnother) {
  auto reader = Begin();
  auto writer = Begin();
  ASSERT_EQ(LockRange(reader.get(), 10, 20), Code::kOk);
  target_ = reversed_;
  EXPECT_EQ(Insert(writer.get(), 15), Code::kOk);
}

TEST_F(RangeLocksTest, R1G3WaitingInsertGoesOnAfterTheEnd) {
  auto reader = BeginPatient();
  ASSERT_EQ(LockRange(reader.get(), 10, 20), Code::kOk);
  std::thread thread([&] {
    auto writer = BeginPatient();
    EXPECT_EQ(Insert(writer.get(), 15, true), Code::kOk);
    Commit(writer.get());
  });
  WaitForWaiters(1);
  EXPECT_EQ(Contents(target_, nullptr).size(), 0u);
  Commit(reader.get());
  thread.join();
  EXPECT_EQ(Contents(target_, nullptr).size(), 1u);
}

TEST_F(RangeLocksTest, R2WaitsForUncommittedInserts) {
  for (rocksdb::ColumnFamilyHandle* handle : {family(), reversed_}) {
    target_ = handle;
    auto writer = Begin();
    auto reader = Begin();
    ASSERT_EQ(Insert(writer.get(), 15), Code::kOk);
    EXPECT_EQ(LockRange(reader.get(), 10, 15), Code::kOk);
    EXPECT_EQ(LockRange(reader.get(), 16, 20), Code::kOk);
    EXPECT_EQ(LockRange(reader.get(), 10, 20), Code::kLockBusy);
    Commit(writer.get());
    EXPECT_EQ(LockRange(reader.get(), 10, 20), Code::kOk);
  }
}

TEST_F(RangeLocksTest, R2FindsInsertsThatWereSpilled) {
  for (rocksdb::ColumnFamilyHandle* handle : {family(), reversed_}) {
    target_ = handle;
    auto writer = Begin();
    auto reader = Begin();
    for (uint32_t i = 100; i < 300; ++i) ASSERT_EQ(Insert(writer.get(), i), Code::kOk);
    ASSERT_TRUE(writer->writes().logged().spilled());
    EXPECT_EQ(LockRange(reader.get(), 10, 100), Code::kOk);
    EXPECT_EQ(LockRange(reader.get(), 100, 101), Code::kLockBusy);
    EXPECT_EQ(LockRange(reader.get(), 299, 400), Code::kLockBusy);
    Commit(writer.get());
    EXPECT_EQ(LockRange(reader.get(), 100, 400), Code::kOk);
    EXPECT_EQ(Contents(target_, nullptr).size(), 200u);
  }
}

TEST_F(RangeLocksTest, R2DoesNotWaitForChangesOfEntriesThatExist) {
  InsertCommitted(15);
  InsertCommitted(16);
  auto writer = Begin();
  auto reader = Begin();
  ASSERT_EQ(Insert(writer.get(), 50), Code::kOk);
  ASSERT_TRUE(writer->writes().Put(target_, Key(15), "changed").ok());
  ASSERT_TRUE(writer->writes().Delete(target_, Key(16)).ok());
  EXPECT_EQ(LockRange(reader.get(), 10, 20), Code::kOk);
  EXPECT_EQ(LockRange(reader.get(), 10, 60), Code::kLockBusy);
}

TEST_F(RangeLocksTest, R2InsertsTakenBackAreNotWaitedFor) {
  auto writer = BeginPatient();
  auto reader = BeginPatient();
  Transaction::Savepoint savepoint;
  ASSERT_TRUE(writer->SetSavepoint(&savepoint).ok());
  ASSERT_EQ(Insert(writer.get(), 15), Code::kOk);
  std::thread thread(
      [&] { EXPECT_EQ(LockRange(reader.get(), 10, 20, LockWait::kWait), Code::kOk); });
  WaitForWaiters(1);
  ASSERT_TRUE(writer->RollbackToSavepoint(savepoint).ok());
  thread.join();
  EXPECT_EQ(Insert(writer.get(), 15), Code::kLockBusy);
}

TEST_F(RangeLocksTest, R2PreparedTransactionsTakePart) {
  {
    auto writer = Begin();
    ASSERT_EQ(Insert(writer.get(), 15), Code::kOk);
    ASSERT_TRUE(writer->Prepare("a name", Durability::kSync).ok());
    auto reader = Begin();
    EXPECT_EQ(LockRange(reader.get(), 10, 15), Code::kOk);
    EXPECT_EQ(LockRange(reader.get(), 15, 20), Code::kLockBusy);
    manager_->Detach(std::move(writer));
    EXPECT_EQ(LockRange(reader.get(), 15, 20), Code::kLockBusy);
  }
  Reopen();
  target_ = family();
  auto reader = Begin();
  EXPECT_EQ(LockRange(reader.get(), 10, 15), Code::kOk);
  EXPECT_EQ(LockRange(reader.get(), 15, 20), Code::kLockBusy);
  ASSERT_TRUE(manager_->CommitDetached("a name", Durability::kSync).ok());
  EXPECT_EQ(LockRange(reader.get(), 15, 20), Code::kOk);
}

TEST_F(RangeLocksTest, R2PreparedAndSpilledTransactionsTakePartAfterARestart) {
  {
    auto writer = Begin();
    for (uint32_t i = 100; i < 300; ++i) {
      ASSERT_TRUE(
          writer->locks().Acquire(index(), Key(i), LockMode::kExclusive, LockWait::kNoWait).ok());
      ASSERT_EQ(Insert(writer.get(), i), Code::kOk);
    }
    ASSERT_TRUE(writer->writes().logged().spilled());
    ASSERT_TRUE(writer->Prepare("large", Durability::kSync).ok());
    manager_->Detach(std::move(writer));
  }
  Reopen();
  target_ = family();
  auto reader = Begin();
  EXPECT_EQ(LockRange(reader.get(), 150, 151), Code::kLockBusy);
  // and it has its row locks again
  EXPECT_EQ(reader->locks().Acquire(index(), Key(150), LockMode::kShared, LockWait::kNoWait).code(),
            Code::kLockBusy);
  ASSERT_TRUE(manager_->RollbackDetached("large").ok());
  EXPECT_EQ(LockRange(reader.get(), 150, 151), Code::kOk);
}

TEST_F(RangeLocksTest, R3RangesDoNotExcludeEachOther) {
  auto a = Begin();
  auto b = Begin();
  EXPECT_EQ(LockRange(a.get(), 10, 20), Code::kOk);
  EXPECT_EQ(LockRange(b.get(), 15, 25), Code::kOk);
  EXPECT_EQ(Insert(a.get(), 15), Code::kLockBusy);
  EXPECT_EQ(Insert(a.get(), 12), Code::kOk);
  EXPECT_EQ(Insert(b.get(), 22), Code::kOk);
}

TEST_F(RangeLocksTest, R4WhoIsWaitedForMayGoOnAdding) {
  auto loader = BeginPatient();
  ASSERT_EQ(Insert(loader.get(), 11), Code::kOk);
  auto reader = BeginPatient();
  std::thread thread(
      [&] { EXPECT_EQ(LockRange(reader.get(), 10, 20, LockWait::kWait), Code::kOk); });
  WaitForWaiters(1);
  EXPECT_EQ(Insert(loader.get(), 12), Code::kOk);
  auto other = Begin();
  EXPECT_EQ(Insert(other.get(), 13), Code::kLockBusy);
  Commit(loader.get());
  thread.join();
  // no longer exempt
  Start(loader.get());
  EXPECT_EQ(Insert(loader.get(), 14), Code::kLockBusy);
}

TEST_F(RangeLocksTest, R5AFailedRequestLeavesNothingBehind) {
  auto loader = BeginPatient();
  ASSERT_EQ(Insert(loader.get(), 11), Code::kOk);
  auto reader = Begin();
  auto other = Begin();
  EXPECT_EQ(LockRange(reader.get(), 10, 20, LockWait::kWait), Code::kLockTimeout);
  EXPECT_EQ(Insert(other.get(), 12), Code::kOk);
}

TEST_F(RangeLocksTest, R5WhoWaitedForAFailedRequestGoesOn) {
  auto loader = BeginPatient();
  ASSERT_EQ(Insert(loader.get(), 11), Code::kOk);
  auto reader = BeginPatient();
  auto other = BeginPatient();
  std::thread reads(
      [&] { EXPECT_EQ(LockRange(reader.get(), 10, 20, LockWait::kWait), Code::kInterrupted); });
  WaitForWaiters(1);
  std::thread inserts([&] { EXPECT_EQ(Insert(other.get(), 12, true), Code::kOk); });
  WaitForWaiters(2);
  reader->locks().Interrupt();
  reads.join();
  inserts.join();
}

TEST_F(RangeLocksTest, R6NeighboursAreJoined) {
  WaitGraph graph;
  RangeLocks ranges({.ranges_per_index = 10}, &graph);
  LockOwner owner(1);
  for (uint32_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(ranges.Ask(&owner, index(), Key(10 * i), Key(10 * i + 1)));
    ranges.Grant(&owner);
    EXPECT_LE(ranges.HeldRanges().size(), 10u);
    for (uint32_t j = 0; j <= i; ++j) ASSERT_TRUE(ranges.Holds(owner, index(), Key(10 * j)));
  }
  EXPECT_FALSE(ranges.Holds(owner, index(), Key(991)));
  ranges.ReleaseAll(&owner);
  EXPECT_EQ(ranges.HeldRanges().size(), 0u);
  EXPECT_FALSE(ranges.MayCover(index()));
}

TEST_F(RangeLocksTest, R7TrimGivesBackOnlyWhatTheNewestRequestAdded) {
  auto reader = Begin();
  auto writer = Begin();
  ASSERT_EQ(LockRange(reader.get(), 10, 20), Code::kOk);
  ASSERT_EQ(LockRange(reader.get(), 15, 40), Code::kOk);
  reader->locks().TrimRange(IndexOf(target_), Key(12), Key(40));
  EXPECT_EQ(Insert(writer.get(), 19), Code::kLockBusy);
  EXPECT_EQ(Insert(writer.get(), 20), Code::kOk);
  EXPECT_EQ(Insert(writer.get(), 39), Code::kOk);
  // Only once, and not when a request came after it that found all locked.
  reader->locks().TrimRange(IndexOf(target_), Key(10), Key(20));
  EXPECT_EQ(Insert(writer.get(), 18), Code::kLockBusy);
  ASSERT_EQ(LockRange(reader.get(), 50, 60), Code::kOk);
  ASSERT_EQ(LockRange(reader.get(), 55, 60), Code::kOk);
  reader->locks().TrimRange(IndexOf(target_), Key(50), Key(60));
  EXPECT_EQ(Insert(writer.get(), 57), Code::kLockBusy);
}

TEST_F(RangeLocksTest, R7WaitingInsertGoesOnAfterATrim) {
  auto reader = BeginPatient();
  ASSERT_EQ(LockRange(reader.get(), 10, 20), Code::kOk);
  std::thread thread([&] {
    auto writer = BeginPatient();
    EXPECT_EQ(Insert(writer.get(), 15, true), Code::kOk);
    Commit(writer.get());
  });
  WaitForWaiters(1);
  reader->locks().TrimRange(IndexOf(target_), Key(12), Key(20));
  thread.join();
  EXPECT_EQ(Contents(target_, nullptr).size(), 1u);
}

// The ranges against one flag for each number: what any request but the newest has asked for stays.
TEST_F(RangeLocksTest, R7TrimsAtRandom) {
  constexpr uint32_t kNumbers = 60;
  std::mt19937 random(27);
  const auto some_range = [&] {
    const uint32_t first = random() % (kNumbers - 1);
    return std::pair(first, std::min(kNumbers, first + 1 + uint32_t(random() % 20)));
  };
  for (int round = 0; round < 200; ++round) {
    WaitGraph graph;
    RangeLocks ranges({}, &graph);
    LockOwner owner(1);
    std::array<bool, kNumbers> locked{};
    for (int step = 0; step < 30; ++step) {
      const std::array<bool, kNumbers> before = locked;
      const auto [first, last] = some_range();
      const bool granted = ranges.Ask(&owner, index(), Key(first), Key(last));
      if (granted) ranges.Grant(&owner);
      std::fill(locked.begin() + first, locked.begin() + last, true);
      EXPECT_EQ(granted, locked != before);
      if (random() % 2 == 0) {
        const auto [start, end] = some_range();
        ranges.Trim(&owner, index(), Key(start), Key(end));
        for (uint32_t i = std::max(first, start); granted && i < std::min(last, end); ++i) {
          locked[i] = before[i];
        }
      }
      for (uint32_t i = 0; i < kNumbers; ++i) {
        ASSERT_EQ(ranges.Holds(owner, index(), Key(i)), locked[i]) << round << ":" << step;
      }
    }
    ranges.ReleaseAll(&owner);
  }
}

TEST_F(RangeLocksTest, RangesThatTouchBecomeOne) {
  WaitGraph graph;
  RangeLocks ranges({}, &graph);
  LockOwner owner(1);
  const auto add = [&](uint32_t first, uint32_t last) {
    if (ranges.Ask(&owner, index(), Key(first), Key(last))) ranges.Grant(&owner);
    return ranges.HeldRanges().size();
  };
  EXPECT_EQ(add(10, 20), 1u);
  EXPECT_EQ(add(30, 40), 2u);
  EXPECT_EQ(add(50, 60), 3u);
  EXPECT_EQ(add(12, 18), 3u);  // held already
  EXPECT_EQ(add(20, 25), 3u);
  EXPECT_EQ(add(5, 10), 3u);
  EXPECT_EQ(add(8, 55), 1u);
  const std::vector<RangeLocks::HeldRange> held = ranges.HeldRanges();
  EXPECT_EQ(held[0].start, Key(5));
  EXPECT_EQ(held[0].end, Key(60));
  ranges.ReleaseAll(&owner);
}

TEST_F(RangeLocksTest, G1CyclesOverRangesAreBroken) {
  auto a = BeginPatient();
  auto b = BeginPatient();
  ASSERT_EQ(LockRange(a.get(), 10, 20), Code::kOk);
  ASSERT_EQ(LockRange(b.get(), 10, 20), Code::kOk);
  std::thread thread([&] {
    EXPECT_EQ(Insert(a.get(), 15, true), Code::kOk);
    Commit(a.get());
  });
  WaitForWaiters(1);
  EXPECT_EQ(Insert(b.get(), 16, true), Code::kDeadlock);
  ASSERT_TRUE(b->Rollback().ok());
  thread.join();
}

TEST_F(RangeLocksTest, G1CyclesOverARangeAndARowAreBroken) {
  auto a = BeginPatient();
  auto b = BeginPatient();
  ASSERT_EQ(LockRange(a.get(), 10, 20), Code::kOk);
  ASSERT_TRUE(b->locks().Acquire(index(), Key(50), LockMode::kExclusive, LockWait::kNoWait).ok());
  std::thread thread([&] {
    EXPECT_TRUE(a->locks().Acquire(index(), Key(50), LockMode::kExclusive, LockWait::kWait).ok());
    Commit(a.get());
  });
  WaitForWaiters(1);
  EXPECT_EQ(Insert(b.get(), 16, true), Code::kDeadlock);
  ASSERT_TRUE(b->Rollback().ok());
  thread.join();
}

// Readers lock a range, count it twice, and must see no difference; writers insert, delete and
// commit all the while. A phantom (R1) or an entry that was missed (R2) shows as one; who looks
// into a write set that its owner changes without its mutex (W4) shows under TSan.
TEST_F(RangeLocksTest, R1R2R4G1W4UnderThreads) {
  constexpr int kRounds = 300;
  std::atomic<int> phantoms{0};
  std::atomic<int> inserted{0};
  const auto count = [&](Transaction* transaction, uint32_t first, uint32_t last) {
    Cursor cursor(store_->base(), target_, false, IndexOf(target_), manager_->idle_cursors());
    EXPECT_TRUE(cursor.Bind(nullptr, &transaction->writes().logged()).ok());
    int entries = 0;
    for (cursor.SeekForward(Key(first)); cursor.Valid() && cursor.key() < Key(last);
         cursor.Next()) {
      ++entries;
    }
    return entries;
  };
  const auto read = [&](unsigned seed) {
    std::mt19937 random(seed);
    auto transaction = manager_->NewTransaction();
    for (int round = 0; round < kRounds; ++round) {
      Start(transaction.get());
      const uint32_t first = random() % 5000;
      const uint32_t last = first + 1 + random() % 1000;
      if (LockRange(transaction.get(), first, last, LockWait::kWait) == Code::kOk) {
        const int before = count(transaction.get(), first, last);
        std::this_thread::yield();
        if (count(transaction.get(), first, last) != before) ++phantoms;
      }
      EXPECT_TRUE(transaction->Rollback().ok());
    }
  };
  // Each writer has numbers of its own, so that no row lock is needed.
  const auto write = [&](uint32_t remainder) {
    std::mt19937 random(100 + remainder);
    auto transaction = manager_->NewTransaction();
    for (int round = 0; round < kRounds; ++round) {
      Start(transaction.get());
      Code code = Code::kOk;
      for (int i = 0; i < 3 && code == Code::kOk; ++i) {
        code = Insert(transaction.get(), 3 * (random() % 2000) + remainder, true);
        std::this_thread::yield();
      }
      const bool commit = code == Code::kOk && random() % 4 != 0;
      if (commit) ++inserted;
      EXPECT_TRUE((commit ? transaction->Commit(Durability::kNone) : transaction->Rollback()).ok());
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 2; ++i) threads.emplace_back(read, i);
  for (uint32_t i = 0; i < 3; ++i) threads.emplace_back(write, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(phantoms.load(), 0);
  EXPECT_GT(inserted.load(), 0);
  auto last = Begin();
  EXPECT_EQ(LockRange(last.get(), 0, 10000), Code::kOk);  // nothing is left behind (R5)
}

}  // namespace
}  // namespace basalt::txn
