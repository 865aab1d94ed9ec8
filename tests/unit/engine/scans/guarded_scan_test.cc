// SPDX-License-Identifier: GPL-2.0-only
#include "engine/scans/guarded_scan.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>

#include "unit/txn/txn_fixture.h"

namespace basalt::engine {
namespace {

using txn::LockWait;
using txn::Transaction;

// Scans of index 300, in both orders of column families.
class GuardedScanTest : public txn::TxnFixture {
 protected:
  // A transaction that scans.
  struct Scanner {
    std::unique_ptr<Transaction> transaction;
    std::unique_ptr<txn::Cursor> cursor;
    GuardedScan scan;
    GuardedScan::Keep keep = GuardedScan::Keep::kRanges;
  };

  IndexId IndexOf() const { return {target_->GetID(), 300}; }

  void Open(Scanner* scanner) {
    scanner->transaction = Begin();
    scanner->cursor = std::make_unique<txn::Cursor>(
        store_->base(), target_, store::IsReverse(target_), IndexOf(), manager_->idle_cursors());
    Start(scanner);
  }
  void Start(Scanner* scanner) {
    const txn::ViewStamp stamp = scanner->transaction->reads().LatestStamp();
    ASSERT_TRUE(scanner->cursor->Bind(nullptr, &scanner->transaction->writes().logged()).ok());
    scanner->scan.Begin(scanner->transaction.get(), scanner->cursor.get(), IndexOf(), scanner->keep,
                        LockWait::kWait, true, stamp);
  }

  Code Insert(Transaction* transaction, uint32_t number) {
    const std::string key = Key(number);
    const std::array<txn::NewEntry, 1> added{txn::NewEntry{IndexOf(), key}};
    txn::WriteGate gate;
    const txn::NewEntry* held_up = nullptr;
    const Status opened = transaction->writes().OpenWrite(added, &gate, &held_up);
    return opened.ok() ? transaction->writes().Put(target_, key, "new").code() : opened.code();
  }
  // The numbers in [first, last) that another transaction may insert.
  std::vector<uint32_t> Free(uint32_t first, uint32_t last) {
    std::vector<uint32_t> free;
    auto other = Begin();
    for (uint32_t i = first; i < last; ++i) {
      if (Insert(other.get(), i) == Code::kOk) free.push_back(i);
    }
    return free;
  }
  void Fill(uint32_t count) {
    auto transaction = Begin();
    for (uint32_t i = 1; i <= count; ++i) ASSERT_EQ(Insert(transaction.get(), 10 * i), Code::kOk);
    ASSERT_TRUE(transaction->Commit(txn::Durability::kNone).ok());
  }
  static uint32_t NumberOf(const Scanner& scanner) {
    return LoadBigEndian32(scanner.cursor->key().data() + 4);
  }

  template <typename Test>
  void InBothOrders(const Test& test) {
    for (const bool reversed : {false, true}) {
      StartAfresh();
      target_ = reversed ? reversed_ : family();
      test();
    }
  }

  rocksdb::ColumnFamilyHandle* target_ = nullptr;
};

TEST_F(GuardedScanTest, TheFirstEntryLocksNoMoreThanTheGapBeforeIt) {
  InBothOrders([&] {
    Fill(10);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(15), scanner.scan.past_end()).ok());
    EXPECT_EQ(NumberOf(scanner), 20u);
    EXPECT_EQ(Free(11, 25), (std::vector<uint32_t>{11, 12, 13, 14, 21, 22, 23, 24}));
  });
}

TEST_F(GuardedScanTest, TheLastEntryLocksNoMoreThanTheGapBehindIt) {
  InBothOrders([&] {
    Fill(10);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekBelow(Key(25), scanner.scan.first()).ok());
    EXPECT_EQ(NumberOf(scanner), 20u);
    EXPECT_EQ(Free(16, 28), (std::vector<uint32_t>{16, 17, 18, 19, 25, 26, 27}));
  });
}

TEST_F(GuardedScanTest, StepsGrowAndEndAtTheBound) {
  InBothOrders([&] {
    Fill(100);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), Key(205)).ok());
    ASSERT_TRUE(scanner.scan.Next().ok());  // four more entries: to 50
    EXPECT_EQ(NumberOf(scanner), 20u);
    EXPECT_EQ(Free(49, 53), (std::vector<uint32_t>{51, 52}));
    Status moved;
    uint32_t last = 20;
    while ((moved = scanner.scan.Next()).ok()) last = NumberOf(scanner);
    EXPECT_EQ(moved.code(), Code::kEndOfRange);
    EXPECT_EQ(last, 200u);
    EXPECT_EQ(Free(202, 208), (std::vector<uint32_t>{205, 206, 207}));
  });
}

TEST_F(GuardedScanTest, ALongScanLocksAllThatIsLeft) {
  InBothOrders([&] {
    Fill(500);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), Key(4995)).ok());
    for (int i = 0; i < 340; ++i) ASSERT_TRUE(scanner.scan.Next().ok());
    EXPECT_EQ(Free(4992, 4997).size(), 5u);
    ASSERT_TRUE(scanner.scan.Next().ok());
    EXPECT_EQ(NumberOf(scanner), 3420u);
    EXPECT_EQ(Free(4992, 4997), (std::vector<uint32_t>{4995, 4996}));
    scanner.scan.End();
    EXPECT_EQ(Free(3418, 3423), (std::vector<uint32_t>{3421, 3422}));
  });
}

TEST_F(GuardedScanTest, ALongScanGoesInStepsWhereOthersHaveAdded) {
  InBothOrders([&] {
    Fill(500);
    auto other = Begin();
    ASSERT_EQ(Insert(other.get(), 4905), Code::kOk);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), scanner.scan.past_end()).ok());
    uint32_t last = 10;
    Status moved;
    while ((moved = scanner.scan.Next()).ok()) last = NumberOf(scanner);
    EXPECT_EQ(moved.code(), Code::kLockTimeout);
    EXPECT_EQ(last, 4900u);
  });
}

TEST_F(GuardedScanTest, BackwardToTheBound) {
  InBothOrders([&] {
    Fill(100);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekBelow(Key(1000), Key(795)).ok());
    uint32_t last = 0;
    Status moved;
    do {
      last = NumberOf(scanner);
      moved = scanner.scan.Previous();
    } while (moved.ok());
    EXPECT_EQ(moved.code(), Code::kEndOfRange);
    EXPECT_EQ(last, 800u);
    EXPECT_EQ(Free(792, 798), (std::vector<uint32_t>{792, 793, 794}));
  });
}

TEST_F(GuardedScanTest, AnEmptyRangeIsLocked) {
  InBothOrders([&] {
    Scanner scanner;
    Open(&scanner);
    EXPECT_EQ(scanner.scan.SeekForward(Key(10), Key(20)).code(), Code::kEndOfRange);
    EXPECT_EQ(scanner.scan.SeekBelow(Key(40), Key(30)).code(), Code::kEndOfRange);
    EXPECT_EQ(Free(9, 10), (std::vector<uint32_t>{9}));
    EXPECT_EQ(Free(10, 20).size(), 0u);
    EXPECT_EQ(Free(20, 30).size(), 10u);
    EXPECT_EQ(Free(30, 40).size(), 0u);
    EXPECT_EQ(scanner.scan.SeekForward(Key(50), Key(50)).code(), Code::kEndOfRange);
    EXPECT_EQ(Free(50, 51).size(), 1u);
  });
}

TEST_F(GuardedScanTest, TurnsRound) {
  InBothOrders([&] {
    Fill(30);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(100), scanner.scan.past_end()).ok());
    ASSERT_TRUE(scanner.scan.Next().ok());
    ASSERT_TRUE(scanner.scan.Next().ok());
    EXPECT_EQ(NumberOf(scanner), 120u);
    for (uint32_t number = 110; number >= 10; number -= 10) {
      ASSERT_TRUE(scanner.scan.Previous().ok());
      EXPECT_EQ(NumberOf(scanner), number);
    }
    EXPECT_EQ(scanner.scan.Previous().code(), Code::kEndOfRange);
    EXPECT_EQ(Free(1, 120).size(), 0u);
  });
}

TEST_F(GuardedScanTest, AnEndGivesBackWhatWasNotReached) {
  InBothOrders([&] {
    Fill(100);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), scanner.scan.past_end()).ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(scanner.scan.Next().ok());
    EXPECT_EQ(NumberOf(scanner), 30u);
    EXPECT_EQ(Free(29, 33), std::vector<uint32_t>{});
    scanner.scan.End();
    EXPECT_EQ(Free(29, 33), (std::vector<uint32_t>{31, 32}));
    EXPECT_EQ(Free(10, 20).size(), 0u);
  });
}

TEST_F(GuardedScanTest, AnEndGivesBackWhatWasNotReachedBackward) {
  InBothOrders([&] {
    Fill(100);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekBelow(Key(901), scanner.scan.first()).ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(scanner.scan.Previous().ok());
    EXPECT_EQ(NumberOf(scanner), 880u);
    EXPECT_EQ(Free(876, 882), std::vector<uint32_t>{});
    scanner.scan.End();
    EXPECT_EQ(Free(876, 882), (std::vector<uint32_t>{876, 877, 878, 879}));
  });
}

TEST_F(GuardedScanTest, ASeekGivesBackWhatWasNotReached) {
  InBothOrders([&] {
    Fill(100);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), scanner.scan.past_end()).ok());
    ASSERT_TRUE(scanner.scan.Next().ok());
    ASSERT_TRUE(scanner.scan.SeekForward(Key(500), scanner.scan.past_end()).ok());
    EXPECT_EQ(Free(19, 23), (std::vector<uint32_t>{21, 22}));
  });
}

TEST_F(GuardedScanTest, WhatAnotherScanHasLockedStaysLocked) {
  InBothOrders([&] {
    Fill(100);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), Key(45)).ok());
    while (scanner.scan.Next().ok()) {
    }
    scanner.scan.End();
    Start(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), scanner.scan.past_end()).ok());
    ASSERT_TRUE(scanner.scan.Next().ok());
    scanner.scan.End();
    EXPECT_EQ(Free(11, 47), (std::vector<uint32_t>{45, 46}));
  });
}

TEST_F(GuardedScanTest, WhoTurnsRoundKeepsAll) {
  InBothOrders([&] {
    Fill(100);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), scanner.scan.past_end()).ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(scanner.scan.Next().ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(scanner.scan.Previous().ok());
    scanner.scan.End();
    EXPECT_EQ(Free(11, 51).size(), 0u);
  });
}

TEST_F(GuardedScanTest, DoesNotWaitForWhatItMayNotComeTo) {
  InBothOrders([&] {
    Fill(100);
    auto other = Begin();
    ASSERT_EQ(Insert(other.get(), 45), Code::kOk);
    Scanner scanner;
    Open(&scanner);
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), scanner.scan.past_end()).ok());
    for (uint32_t number = 20; number <= 40; number += 10) {
      ASSERT_TRUE(scanner.scan.Next().ok());
      EXPECT_EQ(NumberOf(scanner), number);
    }
    EXPECT_EQ(scanner.scan.Next().code(), Code::kLockTimeout);
    ASSERT_TRUE(scanner.scan.SeekBelow(Key(71), scanner.scan.first()).ok());
    for (uint32_t number = 60; number >= 50; number -= 10) {
      ASSERT_TRUE(scanner.scan.Previous().ok());
      EXPECT_EQ(NumberOf(scanner), number);
    }
    EXPECT_EQ(scanner.scan.Previous().code(), Code::kLockTimeout);
    ASSERT_TRUE(other->Commit(txn::Durability::kNone).ok());
    ASSERT_TRUE(scanner.scan.SeekForward(Key(41), scanner.scan.past_end()).ok());
    EXPECT_EQ(NumberOf(scanner), 45u);
  });
}

TEST_F(GuardedScanTest, SeesWhatWasCommittedBeforeTheRangeWasItsOwn) {
  InBothOrders([&] {
    Fill(3);
    Scanner scanner;
    Open(&scanner);
    auto other = Begin();
    ASSERT_EQ(Insert(other.get(), 15), Code::kOk);
    ASSERT_TRUE(other->Commit(txn::Durability::kNone).ok());
    ASSERT_TRUE(scanner.scan.SeekForward(Key(11), scanner.scan.past_end()).ok());
    EXPECT_EQ(NumberOf(scanner), 15u);
  });
}

TEST_F(GuardedScanTest, WhoKeepsNothingWaitsForNewEntriesAndLocksNoRange) {
  InBothOrders([&] {
    Fill(3);
    auto other = Begin();
    ASSERT_EQ(Insert(other.get(), 25), Code::kOk);
    Scanner scanner;
    scanner.keep = GuardedScan::Keep::kNothing;
    Open(&scanner);
    EXPECT_EQ(scanner.scan.SeekForward(Key(21), Key(30)).code(), Code::kLockTimeout);
    ASSERT_TRUE(other->Commit(txn::Durability::kNone).ok());
    ASSERT_TRUE(scanner.scan.SeekForward(Key(21), scanner.scan.past_end()).ok());
    EXPECT_EQ(NumberOf(scanner), 25u);
    EXPECT_EQ(Free(22, 25).size(), 0u);
    ASSERT_TRUE(scanner.scan.Next().ok());
    scanner.scan.End();
    EXPECT_EQ(Free(21, 30).size(), 9u);
  });
}

TEST_F(GuardedScanTest, OwnWritesAreSeen) {
  InBothOrders([&] {
    Fill(3);
    Scanner scanner;
    Open(&scanner);
    ASSERT_EQ(Insert(scanner.transaction.get(), 15), Code::kOk);
    ASSERT_TRUE(scanner.transaction->writes().Delete(target_, Key(20)).ok());
    ASSERT_TRUE(scanner.scan.SeekForward(Key(10), Key(100)).ok());
    std::vector<uint32_t> seen{NumberOf(scanner)};
    while (scanner.scan.Next().ok()) seen.push_back(NumberOf(scanner));
    EXPECT_EQ(seen, (std::vector<uint32_t>{10, 15, 30}));
  });
}

// Two scans of one range by one transaction, while others insert into it: they must be the same.
TEST_F(GuardedScanTest, NoPhantomsUnderThreads) {
  target_ = family();
  Fill(50);
  std::atomic<bool> stop{false};
  std::atomic<int> inserted{0};
  const auto write = [&](unsigned seed) {
    std::mt19937 random(seed);
    while (!stop) {
      auto transaction = Begin();
      if (Insert(transaction.get(), random() % 500) != Code::kOk) continue;
      std::this_thread::yield();
      if (transaction->Commit(txn::Durability::kNone).ok()) ++inserted;
    }
  };
  std::vector<std::thread> writers;
  for (unsigned i = 0; i < 2; ++i) writers.emplace_back(write, i);
  // The last status; that the lock wait ended (20 ms) says nothing of phantoms.
  const auto scan = [&](Scanner* scanner, uint32_t first, uint32_t last,
                        std::vector<uint32_t>* seen) {
    seen->clear();
    Start(scanner);
    Status moved = scanner->scan.SeekForward(Key(first), Key(last));
    for (; moved.ok(); moved = scanner->scan.Next()) seen->push_back(NumberOf(*scanner));
    return moved.code();
  };
  std::mt19937 random(99);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    Scanner scanner;
    Open(&scanner);
    const uint32_t first = random() % 400;
    const uint32_t last = first + random() % 100;
    std::vector<uint32_t> once;
    std::vector<uint32_t> again;
    const Code found = scan(&scanner, first, last, &once);
    if (found == Code::kLockTimeout) continue;
    EXPECT_EQ(found, Code::kEndOfRange);
    std::this_thread::yield();
    EXPECT_EQ(scan(&scanner, first, last, &again), Code::kEndOfRange);
    EXPECT_EQ(again, once);
    ++compared;
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(inserted.load(), 0);
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace basalt::engine
