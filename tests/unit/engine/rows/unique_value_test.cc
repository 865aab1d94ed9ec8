// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/unique_value.h"

#include <thread>

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

// Two connections and one table whose unique index is over whole names or, where the bytes of keys
// do not decide, over their beginnings; with a primary key of its own or a hidden one.
class UniqueValueTest : public EngineFixture,
                        public testing::WithParamInterface<std::pair<bool, bool>> {
 protected:
  // What another connection does, in a thread of its own where it has to wait.
  struct Connection {
    explicit Connection(const UniqueValueTest& test)
        : access(test.table_), transaction(test.database_->transactions()->NewTransaction()) {
      txn::Transaction::Settings settings;
      settings.lock_wait_microseconds = 20'000'000;
      transaction->Begin(settings);
      access.Bind(transaction.get(), {true});
      access.SetWantedColumns(codec::ColumnSet::All(3));
    }
    ~Connection() { access.Unbind(); }
    Code Insert(const Row& row) {
      size_t duplicate = 0;
      return access.writer().Insert(Record(row).data(), &duplicate).code();
    }
    RowAccess access;
    std::unique_ptr<txn::Transaction> transaction;
  };

  void SetUp() override {
    Open();
    if (GetParam().second) unique_bytes_ = 3;
    CreateTable(GetParam().first);
    Begin();
    ASSERT_TRUE(Insert(old_).ok());
    // The key by which a table with a hidden primary key finds the row again.
    old_key_.assign(access_->reader().key());
    Commit();
    Begin();
    access_->reader().SetKey(old_key_);
  }
  Status Delete(const Row& row) { return access_->writer().Delete(Record(row).data()); }
  Status Update(const Row& before, const Row& after) {
    size_t duplicate = 0;
    bool changed = false;
    access_->reader().SetKey(old_key_);
    return access_->writer().Update(Record(before).data(), Record(after).data(), &duplicate,
                                    &changed);
  }
  void Rollback() {
    access_->Unbind();
    ASSERT_TRUE(transaction_->Rollback().ok());
  }
  void WaitForWaiters(uint64_t count) const {
    while (database_->transactions()->waits()->counters().waits < count) std::this_thread::yield();
  }
  // What the other's INSERT of `row` comes to when the first transaction ends like this.
  template <typename End>
  Code InsertMeanwhile(const Row& row, const End& end) {
    Code inserted = Code::kOk;
    std::thread other([&] {
      Connection connection(*this);
      inserted = connection.Insert(row);
      connection.access.Unbind();
      EXPECT_TRUE(connection.transaction->Commit(txn::Durability::kNone).ok());
    });
    WaitForWaiters(1);
    end();
    other.join();
    return inserted;
  }

  const Row old_{1, false, 1, "abc"};
  const Row same_{2, false, 2, GetParam().second ? "abcdef" : "abc"};
  std::string old_key_;
};

TEST_P(UniqueValueTest, U2AValueTakenAwayByDeleteIsWaitedFor) {
  ASSERT_TRUE(Delete(old_).ok());
  EXPECT_EQ(InsertMeanwhile(same_, [&] { Commit(); }), Code::kOk);
}

TEST_P(UniqueValueTest, U2AValueGivenBackIsADuplicate) {
  ASSERT_TRUE(Delete(old_).ok());
  EXPECT_EQ(InsertMeanwhile(same_, [&] { Rollback(); }), Code::kDuplicateKey);
}

TEST_P(UniqueValueTest, U2AValueTakenAwayByUpdateIsWaitedFor) {
  ASSERT_TRUE(Update(old_, {1, false, 1, "xyz"}).ok());
  EXPECT_EQ(InsertMeanwhile(same_, [&] { Commit(); }), Code::kOk);
}

TEST_P(UniqueValueTest, U2OwnRowsAreNotWaitedFor) {
  Connection other(*this);
  ASSERT_TRUE(Update(old_, {1, false, 5, "abc"}).ok());
  size_t duplicate = 0;
  EXPECT_EQ(Insert(same_, &duplicate).code(), Code::kDuplicateKey);
  EXPECT_EQ(duplicate, by_name());
  EXPECT_EQ(access_->unique().duplicate_row_key(), Bytes(old_key_));
  ASSERT_TRUE(Update({1, false, 5, "abc"}, {1, false, 5, "xyz"}).ok());
  EXPECT_TRUE(Insert(same_).ok());
  Commit();
}

// U1: the second of two that want a value waits, also when both have waited for the row before.
TEST_P(UniqueValueTest, U1OneOfTwoGetsTheValue) {
  ASSERT_TRUE(Delete(old_).ok());
  std::atomic<int> inserted{0}, duplicates{0};
  auto insert = [&](int32_t id) {
    Connection connection(*this);
    const Code code = connection.Insert({id, false, id, same_.name});
    (code == Code::kOk ? inserted : duplicates).fetch_add(1);
    connection.access.Unbind();
    EXPECT_TRUE(connection.transaction->Commit(txn::Durability::kNone).ok());
  };
  std::thread second(insert, 2), third(insert, 3);
  WaitForWaiters(2);
  Commit();
  second.join();
  third.join();
  EXPECT_EQ(inserted.load(), 1);
  EXPECT_EQ(duplicates.load(), 1);
}

// U3: no deadlock, although the other has come between the two statements.
TEST_P(UniqueValueTest, U3TheOwnerMayWriteTheValueAgain) {
  ASSERT_TRUE(Delete(old_).ok());
  EXPECT_EQ(InsertMeanwhile(same_,
                            [&] {
                              EXPECT_TRUE(Insert({7, false, 7, "abc"}).ok());
                              Commit();
                            }),
            Code::kDuplicateKey);
  EXPECT_EQ(database_->transactions()->waits()->counters().deadlocks, 0u);
}

// A row that is going to be changed is locked as it will have to be.
TEST_P(UniqueValueTest, TheDuplicateIsLockedInTheModeAskedFor) {
  for (const bool replaces : {false, true}) {
    access_->unique().set_duplicate_mode(replaces ? txn::LockMode::kExclusive
                                                  : txn::LockMode::kShared);
    size_t duplicate = 0;
    ASSERT_EQ(Insert(same_, &duplicate).code(), Code::kDuplicateKey);
    Connection other(*this);
    const Status shared = other.transaction->locks().Acquire(
        table_->primary().id, old_key_, txn::LockMode::kShared, txn::LockWait::kNoWait);
    EXPECT_EQ(shared.code(), replaces ? Code::kLockBusy : Code::kOk);
  }
  Rollback();
}

INSTANTIATE_TEST_SUITE_P(Keys, UniqueValueTest,
                         testing::Values(std::pair{false, false}, std::pair{true, false},
                                         std::pair{false, true}, std::pair{true, true}));

}  // namespace
}  // namespace basalt::engine
