// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/reference_search.h"

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

class ReferenceSearchTest : public EngineFixture, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Open();
    CreateTable(GetParam());
    Begin();
    ASSERT_TRUE(Insert({1, false, 10, "one"}).ok());
    ASSERT_TRUE(Insert({2, false, 10, "two"}).ok());
    ASSERT_TRUE(Insert({3, false, 30, "three"}).ok());
    ASSERT_TRUE(Insert({4, true, 0, "four"}).ok());
    Commit();
    other_ = NewTransaction();
  }
  void TearDown() override {
    access_->Unbind();
    for (txn::Transaction* each : {transaction_.get(), other_.get()}) {
      if (each->active()) {
        EXPECT_TRUE(each->Rollback().ok());
      }
    }
  }

  std::unique_ptr<txn::Transaction> NewTransaction() const {
    return database_->transactions()->NewTransaction();
  }
  static void BeginIn(txn::Transaction* transaction, bool detect_conflicts = false) {
    if (transaction->active()) return;
    txn::Transaction::Settings settings;
    settings.lock_wait_microseconds = 20'000;
    settings.detect_conflicts = detect_conflicts;
    transaction->Begin(settings);
  }

  // By the primary key where there is one, else by the unique name.
  Code ByKey(txn::Transaction* transaction, const Row& row, bool* found) const {
    return Search(transaction, GetParam() ? by_name() : 0, row, found);
  }
  Code ByK(txn::Transaction* transaction, int32_t k, bool* found) const {
    return Search(transaction, by_k(), {0, false, k, ""}, found);
  }
  Code Search(txn::Transaction* transaction, size_t index, const Row& row, bool* found) const {
    BeginIn(transaction);
    ReferenceSearch search(table_, index, 1);
    search.Begin(transaction);
    const Status status = search.Find(Record(row).data(), Bytes(), found);
    search.End();
    return status.code();
  }

  // In the fixture's transaction.
  Code DeleteByName(const std::string& name) {
    Begin({.lock = true});
    std::vector<uint8_t> record(kRecordBytes);
    EXPECT_TRUE(access_->scan().BeginScan(by_name(), false, true).ok());
    const std::vector<uint8_t> wanted = Record({0, true, 0, name});
    std::vector<uint8_t> key(table_->max_key_bytes());
    const size_t bytes = table_->index(by_name()).codec->EncodePrefix(wanted.data(), 1, key.data());
    Status status = access_->scan().Seek(MakeBytes(key.data(), bytes));
    if (status.ok()) status = access_->scan().ReadRow(record.data());
    access_->scan().End();
    if (status.ok()) status = access_->writer().Delete(record.data());
    return status.code();
  }

  std::unique_ptr<txn::Transaction> other_;
};

TEST_P(ReferenceSearchTest, FindsWhatIsThere) {
  bool found = false;
  EXPECT_EQ(ByKey(other_.get(), {2, true, 0, "two"}, &found), Code::kOk);
  EXPECT_TRUE(found);
  EXPECT_EQ(ByKey(other_.get(), {9, true, 0, "nine"}, &found), Code::kOk);
  EXPECT_FALSE(found);
  EXPECT_EQ(ByK(other_.get(), 10, &found), Code::kOk);
  EXPECT_TRUE(found);
  EXPECT_EQ(ByK(other_.get(), 20, &found), Code::kOk);
  EXPECT_FALSE(found);
  EXPECT_EQ(ByK(other_.get(), 0, &found), Code::kOk);  // NULL is no value
  EXPECT_FALSE(found);
}

TEST_P(ReferenceSearchTest, SeesOwnWrites) {
  Begin();
  ASSERT_TRUE(Insert({5, false, 50, "five"}).ok());
  ASSERT_EQ(DeleteByName("three"), Code::kOk);
  bool found = false;
  EXPECT_EQ(ByK(transaction_.get(), 50, &found), Code::kOk);
  EXPECT_TRUE(found);
  EXPECT_EQ(ByK(transaction_.get(), 30, &found), Code::kOk);
  EXPECT_FALSE(found);
  EXPECT_EQ(ByKey(transaction_.get(), {3, true, 0, "three"}, &found), Code::kOk);
  EXPECT_FALSE(found);
}

// The latest state counts, also where the transaction's snapshot is older, and where a locking read
// would say that the row has changed.
TEST_P(ReferenceSearchTest, LooksPastTheSnapshot) {
  for (const bool detect_conflicts : {false, true}) {
    BeginIn(other_.get(), detect_conflicts);
    (void)other_->reads().snapshot().ForReads();
    const int32_t id = detect_conflicts ? 7 : 6;
    Begin();
    ASSERT_TRUE(Insert({id, false, id * 10, "new " + std::to_string(id)}).ok());
    Commit();
    bool found = false;
    EXPECT_EQ(ByK(other_.get(), id * 10, &found), Code::kOk);
    EXPECT_TRUE(found);
    EXPECT_EQ(ByKey(other_.get(), {id, true, 0, "new " + std::to_string(id)}, &found), Code::kOk);
    EXPECT_TRUE(found);
    ASSERT_TRUE(other_->Rollback().ok());
  }
}

TEST_P(ReferenceSearchTest, WhatIsFoundStays) {
  bool found = false;
  ASSERT_EQ(ByK(other_.get(), 30, &found), Code::kOk);
  ASSERT_TRUE(found);
  const auto third = NewTransaction();
  EXPECT_EQ(ByK(third.get(), 30, &found), Code::kOk);  // shared by all who refer to it
  EXPECT_TRUE(found);
  EXPECT_EQ(DeleteByName("three"), Code::kLockTimeout);
  ASSERT_TRUE(third->Rollback().ok());
  ASSERT_TRUE(other_->Rollback().ok());
  EXPECT_EQ(DeleteByName("three"), Code::kOk);
}

TEST_P(ReferenceSearchTest, WhatIsMissingStaysMissing) {
  bool found = true;
  ASSERT_EQ(ByK(other_.get(), 40, &found), Code::kOk);
  ASSERT_FALSE(found);
  ASSERT_EQ(ByKey(other_.get(), {8, true, 0, "eight"}, &found), Code::kOk);
  ASSERT_FALSE(found);
  Begin();
  EXPECT_EQ(Insert({5, false, 40, "five"}).code(), Code::kLockTimeout);
  EXPECT_EQ(Insert({8, false, 80, "eight"}).code(), Code::kLockTimeout);
  EXPECT_TRUE(Insert({9, false, 90, "nine"}).ok());
  ASSERT_TRUE(other_->Rollback().ok());
  EXPECT_TRUE(Insert({5, false, 40, "five"}).ok());
  EXPECT_TRUE(Insert({8, false, 80, "eight"}).ok());
}

// What another has changed and not committed is waited for.
TEST_P(ReferenceSearchTest, WaitsForWhatIsNotDecided) {
  ASSERT_EQ(DeleteByName("three"), Code::kOk);
  bool found = true;
  EXPECT_EQ(ByK(other_.get(), 30, &found), Code::kLockTimeout);
  EXPECT_EQ(ByKey(other_.get(), {3, true, 0, "three"}, &found), Code::kLockTimeout);
  ASSERT_TRUE(Insert({5, false, 50, "five"}).ok());
  EXPECT_EQ(ByK(other_.get(), 50, &found), Code::kLockTimeout);
  EXPECT_EQ(ByKey(other_.get(), {5, true, 0, "five"}, &found), Code::kLockTimeout);
  Commit();
  ASSERT_EQ(ByK(other_.get(), 30, &found), Code::kOk);
  EXPECT_FALSE(found);
  ASSERT_EQ(ByK(other_.get(), 50, &found), Code::kOk);
  EXPECT_TRUE(found);
}

TEST_P(ReferenceSearchTest, CollectsAllRowsAndLocksThemForItself) {
  BeginIn(other_.get());
  ReferenceSearch search(table_, by_k(), 1);
  search.Begin(other_.get());
  std::vector<std::string> row_keys;
  ASSERT_TRUE(search.Collect(Record({0, false, 10, ""}).data(), &row_keys).ok());
  EXPECT_EQ(row_keys.size(), 2u);
  row_keys.clear();
  ASSERT_TRUE(search.Collect(Record({0, false, 11, ""}).data(), &row_keys).ok());
  EXPECT_TRUE(row_keys.empty());
  search.End();
  const auto third = NewTransaction();
  bool found = false;
  EXPECT_EQ(ByK(third.get(), 10, &found), Code::kLockTimeout);
  EXPECT_EQ(ByK(third.get(), 30, &found), Code::kOk);
  EXPECT_TRUE(found);
  ASSERT_TRUE(third->Rollback().ok());
}

INSTANTIATE_TEST_SUITE_P(PrimaryKey, ReferenceSearchTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                           return std::string(info.param ? "Hidden" : "Declared");
                         });

}  // namespace
}  // namespace basalt::engine
