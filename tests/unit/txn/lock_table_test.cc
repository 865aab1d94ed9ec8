// SPDX-License-Identifier: GPL-2.0-only
#include "txn/lock_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace basalt::txn {
namespace {

constexpr IndexId kIndex{0, 300};
constexpr IndexId kOtherIndex{0, 301};
constexpr uint64_t kShortMicroseconds = 20'000;
constexpr uint64_t kLongMicroseconds = 20'000'000;
constexpr LockMode kS = LockMode::kShared;
constexpr LockMode kX = LockMode::kExclusive;

// A lock table with the graph it needs.
struct Locks : WaitGraph, LockTable {
  explicit Locks(LockTable::Options options = {}) : LockTable(options, this) {}
};

Code Try(LockTable* table, LockOwner* owner, Bytes key, LockMode mode = kX,
         IndexId index = kIndex) {
  return table->Acquire(owner, index, key, mode, LockWait::kNoWait, 0).code();
}

Code Wait(LockTable* table, LockOwner* owner, Bytes key, LockMode mode = kX,
          uint64_t timeout = kLongMicroseconds) {
  return table->Acquire(owner, kIndex, key, mode, LockWait::kWait, timeout).code();
}

// Returns once `count` requests have begun to wait.
void WaitForWaiters(const WaitGraph& table, uint64_t count) {
  while (table.counters().waits < count) std::this_thread::yield();
  // The count is taken just before the request queues.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(LockTable, L1ExclusiveExcludesAll) {
  Locks table;
  LockOwner a(1), b(2);
  EXPECT_EQ(Try(&table, &a, "k"), Code::kOk);
  EXPECT_EQ(Try(&table, &a, "k", kS), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "k"), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "k", kS), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "other"), Code::kOk);
  table.ReleaseAll(&a);
  EXPECT_EQ(Try(&table, &b, "k"), Code::kOk);
  table.ReleaseAll(&b);
}

TEST(LockTable, L1SharedIsShared) {
  Locks table;
  LockOwner a(1), b(2), c(3);
  EXPECT_EQ(Try(&table, &a, "k", kS), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "k", kS), Code::kOk);
  EXPECT_EQ(Try(&table, &c, "k", kX), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &a, "k", kX), Code::kLockBusy);
  table.ReleaseAll(&b);
  EXPECT_EQ(Try(&table, &a, "k", kX), Code::kOk);  // strengthened
  EXPECT_EQ(Try(&table, &b, "k", kS), Code::kLockBusy);
  table.ReleaseAll(&a);
  EXPECT_EQ(Try(&table, &c, "k", kX), Code::kOk);
  table.ReleaseAll(&c);
}

TEST(LockTable, ReleaseAfterKeepsEarlierLocks) {
  Locks table;
  LockOwner a(1), b(2);
  EXPECT_EQ(Try(&table, &a, "first"), Code::kOk);
  const size_t position = a.position();
  EXPECT_EQ(Try(&table, &a, "second"), Code::kOk);
  EXPECT_EQ(Try(&table, &a, "first"), Code::kOk);  // held: adds nothing
  table.ReleaseAfter(&a, position);
  EXPECT_EQ(Try(&table, &b, "second"), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "first"), Code::kLockBusy);
  table.ReleaseAll(&a);
  table.ReleaseAll(&b);
}

TEST(LockTable, L2GrantsInOrderOfArrival) {
  Locks table;
  LockOwner holder(1);
  ASSERT_EQ(Try(&table, &holder, "k"), Code::kOk);
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      LockOwner owner(static_cast<uint64_t>(10 + i));
      EXPECT_EQ(Wait(&table, &owner, "k"), Code::kOk);
      {
        std::lock_guard guard(mutex);
        order.push_back(i);
      }
      table.ReleaseAll(&owner);
    });
    WaitForWaiters(table, static_cast<uint64_t>(i) + 1);
  }
  table.ReleaseAll(&holder);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(LockTable, L3BreaksACycleAtItsLastEdge) {
  Locks table;
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &a, "x"), Code::kOk);
  ASSERT_EQ(Try(&table, &b, "y"), Code::kOk);
  std::thread waiter([&] {
    EXPECT_EQ(Wait(&table, &a, "y"), Code::kOk);
    table.ReleaseAll(&a);
  });
  WaitForWaiters(table, 1);
  EXPECT_EQ(Wait(&table, &b, "x"), Code::kDeadlock);
  table.ReleaseAll(&b);
  waiter.join();
  EXPECT_EQ(table.counters().deadlocks, 1u);
}

TEST(LockTable, L3TwoUpgradesOfOneRowAreADeadlock) {
  Locks table;
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &a, "k", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &b, "k", kS), Code::kOk);
  std::thread waiter([&] {
    EXPECT_EQ(Wait(&table, &a, "k", kX), Code::kOk);
    table.ReleaseAll(&a);
  });
  WaitForWaiters(table, 1);
  EXPECT_EQ(Wait(&table, &b, "k", kX), Code::kDeadlock);
  table.ReleaseAll(&b);
  waiter.join();
}

TEST(LockTable, L4G2TimeoutLeavesNothingBehind) {
  Locks table;
  LockOwner a(1), b(2), c(3);
  ASSERT_EQ(Try(&table, &a, "k"), Code::kOk);
  EXPECT_EQ(Wait(&table, &b, "k", kX, kShortMicroseconds), Code::kLockTimeout);
  table.ReleaseAll(&a);
  EXPECT_EQ(Try(&table, &c, "k"), Code::kOk);
  table.ReleaseAll(&b);
  table.ReleaseAll(&c);
}

TEST(LockTable, L4ATimedOutWriterLetsReadersBehindItIn) {
  Locks table;
  LockOwner reader(1), writer(2), second(3);
  ASSERT_EQ(Try(&table, &reader, "k", kS), Code::kOk);
  std::thread writes(
      [&] { EXPECT_EQ(Wait(&table, &writer, "k", kX, kShortMicroseconds), Code::kLockTimeout); });
  WaitForWaiters(table, 1);
  EXPECT_EQ(Wait(&table, &second, "k", kS), Code::kOk);
  writes.join();
  table.ReleaseAll(&reader);
  table.ReleaseAll(&second);
}

TEST(LockTable, L4G2InterruptEndsAWait) {
  Locks table;
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &a, "k"), Code::kOk);
  std::thread waiter([&] { EXPECT_EQ(Wait(&table, &b, "k"), Code::kInterrupted); });
  WaitForWaiters(table, 1);
  table.Interrupt(&b);
  waiter.join();
  EXPECT_EQ(Wait(&table, &b, "k"), Code::kInterrupted);  // until it is cleared
  table.ClearInterrupt(&b);
  table.ReleaseAll(&a);
  EXPECT_EQ(Try(&table, &b, "k"), Code::kOk);
  table.ReleaseAll(&b);
}

TEST(LockTable, ARollBackGivesBackTheLocksOfNewEntriesAlone) {
  Locks table;
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &a, "before"), Code::kOk);
  LockTable::NoteNewEntry(&a);
  const size_t position = a.position();
  ASSERT_EQ(Try(&table, &a, "new"), Code::kOk);
  LockTable::NoteNewEntry(&a);
  ASSERT_EQ(Try(&table, &a, "read", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &a, "also new"), Code::kOk);
  LockTable::NoteNewEntry(&a);
  ASSERT_EQ(Try(&table, &a, "written"), Code::kOk);
  table.ReleaseNewEntriesAfter(&a, position);
  EXPECT_EQ(a.lock_count(), 3u);
  EXPECT_EQ(Try(&table, &b, "new"), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "also new"), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "before"), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "read"), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "written", kS), Code::kLockBusy);
  table.ReleaseAll(&a);
  EXPECT_EQ(Try(&table, &b, "written"), Code::kOk);
  table.ReleaseAll(&b);
}

TEST(LockTable, L1ALockOfAnEntryThatIsThereBecomesSharedAndLetsReadersIn) {
  Locks table;
  LockOwner a(1), b(2), c(3);
  ASSERT_EQ(Try(&table, &a, "k"), Code::kOk);
  LockTable::NoteNewEntry(&a);
  std::thread reader([&] { EXPECT_EQ(Wait(&table, &b, "k", kS), Code::kOk); });
  WaitForWaiters(table, 1);
  table.KeepNewest(&a, kS);
  reader.join();
  EXPECT_EQ(Try(&table, &c, "k", kS), Code::kOk);
  table.ReleaseNewEntriesAfter(&a, 0);
  table.ReleaseAll(&b);
  table.ReleaseAll(&c);
  EXPECT_EQ(Try(&table, &b, "k"), Code::kLockBusy) << "it is for no new entry any more";
  EXPECT_EQ(Try(&table, &b, "k", kS), Code::kOk);
  table.ReleaseAll(&a);
  table.ReleaseAll(&b);
}

TEST(LockTable, L1ASharedLockThatWasMadeExclusiveForNothingIsSharedAgain) {
  Locks table;
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &a, "k", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &a, "k"), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "k", kS), Code::kLockBusy);
  table.UndoStrengthening(&a, "k");
  EXPECT_EQ(Try(&table, &b, "k", kS), Code::kOk);
  table.ReleaseAll(&b);
  ASSERT_EQ(Try(&table, &a, "k"), Code::kOk);
  ASSERT_EQ(Try(&table, &a, "k"), Code::kOk);
  table.UndoStrengthening(&a, "k");
  EXPECT_EQ(Try(&table, &b, "k", kS), Code::kLockBusy) << "it was exclusive before";
  table.ReleaseAll(&a);
}

TEST(LockTable, WhoReadsNoMoreGivesBackWhatItHasShared) {
  Locks table({.escalation_threshold = 100});
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &a, "read", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &a, "written"), Code::kOk);
  ASSERT_EQ(Try(&table, &a, "read, then written", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &a, "read, then written"), Code::kOk);
  ASSERT_EQ(Try(&table, &b, "read by both", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &a, "read by both", kS), Code::kOk);
  for (int i = 0; i < 150; ++i) {
    ASSERT_EQ(Try(&table, &a, std::to_string(i), kS, kOtherIndex), Code::kOk);
  }
  ASSERT_EQ(Try(&table, &b, "any", kX, kOtherIndex), Code::kLockBusy);
  table.ReleaseShared(&a);
  EXPECT_EQ(Try(&table, &b, "read"), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "read by both"), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "any", kX, kOtherIndex), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "written", kS), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "read, then written", kS), Code::kLockBusy);
  table.ReleaseAll(&a);
  table.ReleaseAll(&b);
  EXPECT_TRUE(a.holds_nothing());
}

TEST(LockTable, L5EscalatesWhenAlone) {
  Locks table({.escalation_threshold = 100});
  LockOwner a(1), b(2);
  for (int i = 0; i < 250; ++i) ASSERT_EQ(Try(&table, &a, std::to_string(i)), Code::kOk);
  EXPECT_EQ(table.escalations(), 1u);
  EXPECT_EQ(a.lock_count(), 0u);
  EXPECT_EQ(Try(&table, &b, "a row nobody has touched"), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "k", kX, kOtherIndex), Code::kOk);
  std::thread waiter([&] {
    EXPECT_EQ(Wait(&table, &b, "another"), Code::kOk);
    table.ReleaseAll(&b);
  });
  WaitForWaiters(table, 1);
  table.ReleaseAll(&a);
  waiter.join();
}

// An owner remembers the indexes of its last transaction, but nothing of what it had in them.
TEST(LockTable, L5NothingOfAnIndexStaysBehind) {
  Locks table({.escalation_threshold = 100});
  LockOwner a(1), b(2);
  for (int i = 0; i < 150; ++i) ASSERT_EQ(Try(&table, &a, std::to_string(i)), Code::kOk);
  ASSERT_EQ(table.escalations(), 1u);
  table.ReleaseAll(&a);
  EXPECT_TRUE(a.holds_nothing());
  EXPECT_EQ(Try(&table, &b, "0"), Code::kOk);
  EXPECT_EQ(Try(&table, &a, "0"), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &a, "1", kS), Code::kOk);
  EXPECT_EQ(a.lock_count(), 1u);
  // Shared rows again make a shared index, although the owner had exclusive ones before.
  table.ReleaseAll(&b);
  for (int i = 0; i < 150; ++i) ASSERT_EQ(Try(&table, &a, std::to_string(i), kS), Code::kOk);
  EXPECT_EQ(table.escalations(), 2u);
  EXPECT_EQ(Try(&table, &b, "7", kS), Code::kOk);
  table.ReleaseAll(&a);
  table.ReleaseAll(&b);
}

TEST(LockTable, AnOwnerForgetsManyIndexes) {
  Locks table;
  LockOwner a(1), b(2);
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 20; ++i) {
      ASSERT_EQ(Try(&table, &a, "k" + std::to_string(i), kX, IndexId{0, 300 + i}), Code::kOk);
    }
    EXPECT_EQ(Try(&table, &b, "k7", kX, IndexId{0, 307}), Code::kLockBusy);
    table.ReleaseAll(&a);
    EXPECT_TRUE(a.holds_nothing());
  }
}

TEST(LockTable, L5LeavesOthersTheRowsTheyHold) {
  Locks table({.escalation_threshold = 100});
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &b, "theirs"), Code::kOk);
  for (int i = 0; i < 250; ++i) ASSERT_EQ(Try(&table, &a, std::to_string(i)), Code::kOk);
  EXPECT_EQ(table.escalations(), 1u);
  EXPECT_EQ(a.lock_count(), 0u);
  EXPECT_EQ(Try(&table, &a, "theirs"), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "theirs"), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "7"), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &b, "a row nobody has touched"), Code::kLockBusy);
  std::thread waiter([&] {
    EXPECT_EQ(Wait(&table, &a, "theirs"), Code::kOk);
    EXPECT_EQ(a.lock_count(), 1u);
    table.ReleaseAll(&a);
  });
  WaitForWaiters(table, 1);
  table.ReleaseAll(&b);
  waiter.join();
  EXPECT_EQ(Try(&table, &b, "7"), Code::kOk);
  table.ReleaseAll(&b);
}

TEST(LockTable, L5KeepsRowsThatOthersWaitFor) {
  Locks table({.escalation_threshold = 100});
  LockOwner a(1), b(2), c(3);
  ASSERT_EQ(Try(&table, &a, "0"), Code::kOk);
  std::thread waiter([&] {
    EXPECT_EQ(Wait(&table, &b, "0"), Code::kOk);
    table.ReleaseAll(&b);
  });
  WaitForWaiters(table, 1);
  for (int i = 1; i < 150; ++i) ASSERT_EQ(Try(&table, &a, std::to_string(i)), Code::kOk);
  EXPECT_EQ(table.escalations(), 1u);
  EXPECT_EQ(a.lock_count(), 1u);
  table.ReleaseAll(&a);
  waiter.join();
  EXPECT_EQ(Try(&table, &c, "0"), Code::kOk);
  table.ReleaseAll(&c);
}

TEST(LockTable, L5SharedRowsBecomeASharedIndex) {
  Locks table({.escalation_threshold = 100});
  LockOwner a(1), b(2), c(3);
  for (LockOwner* owner : {&a, &b}) {
    for (int i = 0; i < 250; ++i) {
      ASSERT_EQ(Try(&table, owner, std::to_string(i), kS), Code::kOk);
    }
  }
  EXPECT_EQ(table.escalations(), 2u);
  EXPECT_EQ(Try(&table, &c, "7", kS), Code::kOk);
  EXPECT_EQ(Try(&table, &c, "8", kX), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &a, "9", kX), Code::kLockBusy);  // b has it as well
  table.ReleaseAll(&b);
  EXPECT_EQ(Try(&table, &a, "9", kX), Code::kOk);
  EXPECT_EQ(Try(&table, &a, "7", kX), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &c, "9", kS), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &c, "10", kS), Code::kOk);
  table.ReleaseAll(&a);
  table.ReleaseAll(&c);
}

TEST(LockTable, L5RowsThatOthersShareAreTraded) {
  Locks table({.escalation_threshold = 100});
  LockOwner a(1), b(2), c(3);
  for (int i = 0; i < 250; ++i) {
    for (LockOwner* owner : {&a, &b}) {
      ASSERT_EQ(Try(&table, owner, std::to_string(i), kS), Code::kOk);
    }
  }
  EXPECT_EQ(table.escalations(), 2u);
  EXPECT_EQ(a.lock_count(), 0u);
  EXPECT_EQ(b.lock_count(), 0u);
  EXPECT_EQ(Try(&table, &c, "7", kX), Code::kLockBusy);
  table.ReleaseAll(&a);
  EXPECT_EQ(Try(&table, &c, "7", kX), Code::kLockBusy);
  table.ReleaseAll(&b);
  EXPECT_EQ(Try(&table, &c, "7", kX), Code::kOk);
  table.ReleaseAll(&c);
}

TEST(LockTable, L1AnIndexIsSharedWhenNobodyHasARowExclusively) {
  Locks table;
  LockOwner a(1), b(2), c(3);
  ASSERT_EQ(Try(&table, &a, "1", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &b, "1", kS), Code::kOk);
  ASSERT_EQ(Try(&table, &c, "2", kX), Code::kOk);
  EXPECT_FALSE(table.TryShareIndex(&a, kIndex));
  EXPECT_EQ(Try(&table, &c, "3", kX), Code::kOk);  // nothing has stayed of the try
  EXPECT_EQ(Try(&table, &a, "2", kS), Code::kLockBusy);
  table.ReleaseAll(&c);
  EXPECT_TRUE(table.TryShareIndex(&a, kIndex));
  EXPECT_EQ(a.lock_count(), 0u);
  EXPECT_EQ(Try(&table, &a, "2", kS), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "2", kS), Code::kOk);
  EXPECT_EQ(Try(&table, &b, "1", kX), Code::kLockBusy);
  EXPECT_EQ(Try(&table, &c, "4", kX), Code::kLockBusy);
  EXPECT_TRUE(table.TryShareIndex(&b, kIndex));
  EXPECT_EQ(Try(&table, &a, "1", kX), Code::kLockBusy);
  table.ReleaseAll(&b);
  EXPECT_EQ(Try(&table, &a, "1", kX), Code::kOk);
  EXPECT_EQ(Try(&table, &c, "1", kS), Code::kLockBusy);
  table.ReleaseAll(&a);
  EXPECT_TRUE(a.holds_nothing());
  EXPECT_EQ(Try(&table, &c, "1", kX), Code::kOk);
  EXPECT_EQ(Try(&table, &a, "1", kS), Code::kLockBusy);  // a knows no more of its shared index
  table.ReleaseAll(&c);
}

TEST(LockTable, L5AnIndexIsNotSharedBehindWhoWaits) {
  Locks table;
  LockOwner a(1), b(2);
  ASSERT_EQ(Try(&table, &a, "1", kS), Code::kOk);
  std::thread waiter([&] {
    EXPECT_EQ(Wait(&table, &b, "1"), Code::kOk);
    table.ReleaseAll(&b);
  });
  WaitForWaiters(table, 1);
  EXPECT_FALSE(table.TryShareIndex(&a, kIndex));
  EXPECT_EQ(a.lock_count(), 1u);
  table.ReleaseAll(&a);
  waiter.join();
}

TEST(LockTable, G1ReportsTheCycle) {
  Locks table;
  LockOwner a(1), b(2), c(3);
  ASSERT_EQ(Try(&table, &a, "x"), Code::kOk);
  ASSERT_EQ(Try(&table, &b, "y"), Code::kOk);
  ASSERT_EQ(Try(&table, &c, "z"), Code::kOk);
  std::thread first([&] {
    EXPECT_EQ(Wait(&table, &a, "y"), Code::kOk);
    table.ReleaseAll(&a);
  });
  WaitForWaiters(table, 1);
  std::thread second([&] {
    EXPECT_EQ(Wait(&table, &b, "z", kS), Code::kOk);
    table.ReleaseAll(&b);
  });
  WaitForWaiters(table, 2);
  EXPECT_EQ(Wait(&table, &c, "x"), Code::kDeadlock);
  table.ReleaseAll(&c);
  first.join();
  second.join();
  const std::vector<DeadlockReport> reports = table.Deadlocks();
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_EQ(reports[0].members.size(), 3u);
  EXPECT_EQ(reports[0].members[0].transaction, 3u);
  EXPECT_EQ(reports[0].members[0].key, "x");
  EXPECT_EQ(reports[0].members[1].transaction, 1u);
  EXPECT_EQ(reports[0].members[1].key, "y");
  EXPECT_EQ(reports[0].members[2].transaction, 2u);
  EXPECT_EQ(reports[0].members[2].wanted, LockKind::kRowShared);
}

// Counters that only their lock protects: a lost update shows that two held it at once (L1).
TEST(LockTable, L1L3L4UnderThreads) {
  Locks table;
  constexpr int kRows = 5;
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::vector<int64_t> counters(kRows);
  std::atomic<int64_t> additions{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      LockOwner owner(static_cast<uint64_t>(t) + 1);
      for (int round = 0; round < kRounds; ++round) {
        std::vector<int> rows;
        for (int i = 0; i < 3; ++i) {
          const int row = static_cast<int>(random() % kRows);
          const LockMode mode = random() % 3 == 0 ? kS : kX;
          const Code code = Wait(&table, &owner, std::to_string(row), mode);
          if (code == Code::kDeadlock) break;
          ASSERT_EQ(code, Code::kOk);
          if (mode == kX) rows.push_back(row);
          std::this_thread::yield();
        }
        for (const int row : rows) {
          ++counters[row];
          ++additions;
        }
        table.ReleaseAll(&owner);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int64_t sum = 0;
  for (const int64_t counter : counters) sum += counter;
  EXPECT_EQ(sum, additions.load());
}

}  // namespace
}  // namespace basalt::txn
