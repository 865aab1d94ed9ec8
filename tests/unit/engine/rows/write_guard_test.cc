// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/write_guard.h"

#include <string>

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

// Locks another row before the entries of the written one are added; a cascade changes it as well.
class OtherRow final : public WriteGuard {
 public:
  OtherRow(const Table& table, txn::Transaction* transaction, std::string row_key, bool changes)
      : table_(table), transaction_(transaction), row_key_(std::move(row_key)), changes_(changes) {}

  Status Check(size_t index) override {
    if (index != table_.primary_position()) return Status::Ok();
    const Index& rows = table_.primary();
    BASALT_RETURN_IF_ERROR(transaction_->locks().Acquire(
        rows.id, row_key_, txn::LockMode::kExclusive, txn::LockWait::kWait));
    return changes_ ? transaction_->writes().Delete(rows.family, row_key_) : Status::Ok();
  }

 private:
  const Table& table_;
  txn::Transaction* const transaction_;
  const std::string row_key_;
  const bool changes_;
};

// Row 1 is to get an entry in a range that another transaction has locked.
class WriteGuardTest : public EngineFixture {
 protected:
  void SetUp() override {
    Open();
    CreateTable(/*hidden=*/false);
    Begin();
    ASSERT_TRUE(Insert({1, false, 10, "one"}).ok());
    ASSERT_TRUE(Insert({2, false, 20, "two"}).ok());
    Commit();
    other_ = database_->transactions()->NewTransaction();
    txn::Transaction::Settings settings;
    settings.lock_wait_microseconds = 20'000;
    other_->Begin(settings);
    ASSERT_TRUE(other_->locks()
                    .AcquireRange(table_->index(by_k()).id, Prefix(by_k(), {0, false, 30, ""}),
                                  Prefix(by_k(), {0, false, 40, ""}), txn::LockWait::kWait)
                    .ok());
  }
  void TearDown() override {
    access_->Unbind();
    EXPECT_TRUE(transaction_->Rollback().ok());
    EXPECT_TRUE(other_->Rollback().ok());
  }

  std::string Prefix(size_t index, const Row& row) const {
    std::vector<uint8_t> key(table_->max_key_bytes());
    const size_t bytes =
        table_->index(index).codec->EncodePrefix(Record(row).data(), 1, key.data());
    return std::string(MakeBytes(key.data(), bytes));
  }

  Code Update(WriteGuard* guard) {
    std::vector<uint8_t> before(kRecordBytes);
    EXPECT_TRUE(access_->reader().Read(Prefix(0, {1, false, 0, ""}), before.data()).ok());
    size_t duplicate = 0;
    bool changed = false;
    const std::vector<uint8_t> after = Record({1, false, 35, "one"});
    return access_->writer()
        .Update(before.data(), after.data(), &duplicate, &changed, guard)
        .code();
  }
  bool IsLocked(const std::string& row_key) {
    const Status taken = other_->locks().Acquire(table_->primary().id, row_key,
                                                 txn::LockMode::kShared, txn::LockWait::kNoWait);
    return taken.code() == Code::kLockBusy;
  }

  std::unique_ptr<txn::Transaction> other_;
};

TEST_F(WriteGuardTest, WhatItOnlyLockedIsGivenBackBeforeTheWait) {
  Begin({.lock = true});
  const std::string second = Prefix(0, {2, false, 0, ""});
  OtherRow guard(*table_, transaction_.get(), second, /*changes=*/false);
  EXPECT_EQ(Update(&guard), Code::kLockTimeout);
  EXPECT_FALSE(IsLocked(second));
}

TEST_F(WriteGuardTest, WhatItHasChangedStaysLocked) {
  Begin({.lock = true});
  const std::string second = Prefix(0, {2, false, 0, ""});
  OtherRow guard(*table_, transaction_.get(), second, /*changes=*/true);
  EXPECT_EQ(Update(&guard), Code::kLockTimeout);
  EXPECT_TRUE(IsLocked(second));
}

}  // namespace
}  // namespace basalt::engine
