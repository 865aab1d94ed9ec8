// SPDX-License-Identifier: GPL-2.0-only
//
// Writes to temporary tables beside those to others, in one transaction.
#include <gtest/gtest.h>

#include <random>

#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

class TemporaryWritesTest : public TxnFixture {
 protected:
  void SetUp() override {
    TxnFixture::SetUp();
    MakeTable();
  }
  void MakeTable() {
    catalog::IndexRecord primary;
    primary.kind = catalog::IndexKind::kPrimary;
    ASSERT_TRUE(tables()->Create("/tmp/t", {primary}).ok());
    number_ = tables()->Find("/tmp/t")->indexes[0].id.number;
  }
  catalog::TemporaryTables* tables() { return catalog_->temporary_tables(); }
  rocksdb::ColumnFamilyHandle* temporary() {
    return store_->FindColumnFamily(std::string_view("__temporary__"));
  }
  void Put(Transaction* transaction, uint32_t key, const std::string& value) {
    ASSERT_EQ(transaction->writes().Put(temporary(), Key(key, number_), value).ToString(), "ok");
  }
  // What a cursor of `transaction` (null: committed rows only) shows, by the number in the key.
  std::map<uint32_t, std::string> Rows(Transaction* transaction) {
    Cursor cursor(store_->base(), temporary(), false, IndexId{temporary()->GetID(), number_},
                  manager_->idle_cursors());
    EXPECT_TRUE(
        cursor.Bind(nullptr, transaction ? &transaction->writes().Of(temporary()) : nullptr).ok());
    std::map<uint32_t, std::string> rows;
    for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
      rows.emplace(LoadBigEndian32(cursor.key().data() + kIndexNumberBytes), cursor.value());
    }
    return rows;
  }
  using Map = std::map<uint32_t, std::string>;

  uint32_t number_ = 0;
};

TEST_F(TemporaryWritesTest, CommitAndRollBackWithTheOthers) {
  auto transaction = Begin();
  Put(transaction.get(), 1, "one");
  EXPECT_FALSE(transaction->has_writes());
  ASSERT_TRUE(transaction->writes().Put(family(), Key(1), "logged").ok());
  EXPECT_TRUE(transaction->has_writes());
  EXPECT_EQ(Rows(transaction.get()), (Map{{1, "one"}}));
  EXPECT_EQ(Rows(nullptr), Map());
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(nullptr), (Map{{1, "one"}}));
  EXPECT_EQ(Contents(family(), nullptr).size(), 1u);

  auto undone = Begin();
  Put(undone.get(), 2, "two");
  ASSERT_TRUE(undone->writes().Delete(temporary(), Key(1, number_)).ok());
  EXPECT_EQ(Rows(undone.get()), (Map{{2, "two"}}));
  ASSERT_TRUE(undone->Rollback().ok());
  EXPECT_EQ(Rows(nullptr), (Map{{1, "one"}}));
}

TEST_F(TemporaryWritesTest, StatementsAndSavepoints) {
  auto transaction = Begin();
  Transaction::Savepoint early;
  ASSERT_TRUE(transaction->SetSavepoint(&early).ok());
  transaction->BeginStatement();
  Put(transaction.get(), 1, "one");
  ASSERT_TRUE(transaction->RollbackStatement().ok());
  EXPECT_EQ(Rows(transaction.get()), Map());
  transaction->BeginStatement();
  Put(transaction.get(), 2, "two");
  transaction->EndStatement();
  transaction->BeginStatement();
  Put(transaction.get(), 2, "changed");
  Put(transaction.get(), 3, "three");
  ASSERT_TRUE(transaction->RollbackStatement().ok());
  EXPECT_EQ(Rows(transaction.get()), (Map{{2, "two"}}));
  Transaction::Savepoint middle;
  ASSERT_TRUE(transaction->SetSavepoint(&middle).ok());
  Put(transaction.get(), 4, "four");
  ASSERT_TRUE(transaction->RollbackToSavepoint(middle).ok());
  EXPECT_EQ(Rows(transaction.get()), (Map{{2, "two"}}));
  Put(transaction.get(), 5, "five");
  ASSERT_TRUE(transaction->RollbackToSavepoint(early).ok());
  EXPECT_EQ(Rows(transaction.get()), Map());
  Put(transaction.get(), 6, "six");
  ASSERT_TRUE(transaction->Commit(Durability::kNone).ok());
  EXPECT_EQ(Rows(nullptr), (Map{{6, "six"}}));
}

// Against a map, with values that make the writes spill again and again.
TEST_F(TemporaryWritesTest, RandomWritesWithSavepointsAndSpills) {
  std::mt19937 random(4711);
  Map committed;
  for (int round = 0; round < 60; ++round) {
    auto transaction = Begin();
    Map rows = committed;
    std::vector<std::pair<Transaction::Savepoint, Map>> savepoints;
    for (int step = 0; step < 40; ++step) {
      const uint32_t key = random() % 30;
      const auto roll = random() % 12;
      if (roll < 7) {
        const std::string value(1 + random() % 120, static_cast<char>('a' + random() % 26));
        Put(transaction.get(), key, value);
        rows[key] = value;
      } else if (roll < 9) {
        ASSERT_TRUE(transaction->writes().Delete(temporary(), Key(key, number_)).ok());
        rows.erase(key);
      } else if (roll < 11 || savepoints.empty()) {
        savepoints.emplace_back(Transaction::Savepoint(), rows);
        ASSERT_TRUE(transaction->SetSavepoint(&savepoints.back().first).ok());
      } else {
        const size_t back = random() % savepoints.size();
        savepoints.resize(back + 1);
        ASSERT_TRUE(transaction->RollbackToSavepoint(savepoints[back].first).ok());
        rows = savepoints[back].second;
      }
      ASSERT_EQ(Rows(transaction.get()), rows) << "round " << round << " step " << step;
    }
    if (random() % 3 == 0) {
      ASSERT_TRUE(transaction->Rollback().ok());
    } else {
      ASSERT_EQ(transaction->Commit(Durability::kNone).ToString(), "ok");
      committed = rows;
    }
    ASSERT_EQ(Rows(nullptr), committed) << "round " << round;
  }
}

// T5 is about the others: of a prepared transaction the log has nothing of temporary tables, and
// a connection that goes takes them along.
TEST_F(TemporaryWritesTest, PreparedTransactionsKeepThemInMemoryOnly) {
  auto transaction = Begin();
  Put(transaction.get(), 1, "one");
  ASSERT_TRUE(transaction->writes().Put(family(), Key(1), "logged").ok());
  ASSERT_TRUE(transaction->Prepare("a", Durability::kSync, true).ok());
  EXPECT_EQ(Rows(transaction.get()), (Map{{1, "one"}}));
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(nullptr), (Map{{1, "one"}}));

  auto detached = Begin();
  Put(detached.get(), 2, "two");
  ASSERT_TRUE(detached->writes().Put(family(), Key(2), "logged").ok());
  ASSERT_TRUE(detached->Prepare("b", Durability::kSync, true).ok());
  manager_->Detach(std::move(detached));
  ASSERT_TRUE(manager_->CommitDetached("b", Durability::kSync).ok());
  EXPECT_EQ(Rows(nullptr), (Map{{1, "one"}}));
  EXPECT_EQ(Contents(family(), nullptr).size(), 2u);

  auto left = Begin();
  Put(left.get(), 3, "three");
  ASSERT_TRUE(left->writes().Put(family(), Key(3), "logged").ok());
  ASSERT_TRUE(left->Prepare("c", Durability::kSync, true).ok());
  manager_->Detach(std::move(left));
  transaction.reset();
  Reopen();
  MakeTable();
  ASSERT_TRUE(manager_->CommitDetached("c", Durability::kSync).ok());
  EXPECT_EQ(Rows(nullptr), Map());
  EXPECT_EQ(Contents(family(), nullptr).size(), 3u);
}

// Rows that a transaction has not committed yet when their table is dropped must not stay behind.
TEST_F(TemporaryWritesTest, DroppedTablesLeaveNothing) {
  auto transaction = Begin();
  Put(transaction.get(), 1, "one");
  std::shared_ptr<const catalog::TableRecord> dropped;
  ASSERT_TRUE(tables()->Drop("/tmp/t", &dropped).ok());
  transaction->writes().temporary().TableDropped(dropped);
  ASSERT_TRUE(transaction->Commit(Durability::kNone).ok());
  EXPECT_EQ(Rows(nullptr), Map());

  MakeTable();
  auto second = Begin();
  Put(second.get(), 1, "one");
  ASSERT_TRUE(second->Commit(Durability::kNone).ok());
  ASSERT_TRUE(tables()->Drop("/tmp/t", &dropped).ok());
  second->writes().temporary().TableDropped(dropped);
  EXPECT_EQ(Rows(nullptr), Map());
}

}  // namespace
}  // namespace basalt::txn
