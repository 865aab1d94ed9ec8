// SPDX-License-Identifier: GPL-2.0-only
#include "engine/loads/bulk_insert.h"

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

using Rows = std::vector<Row>;

// Loads into a table that has rows: the writer locks and checks, the load takes the entries.
class CheckedInsertTest : public EngineFixture, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Open();
    CreateTable(/*hidden=*/GetParam());
    Begin();
    ASSERT_TRUE(Insert(there_).ok());
    Commit();
  }
  void BeginLoad() {
    Begin();
    txn::LoadOptions options;
    options.checked_rows = true;
    ASSERT_EQ(BulkInsert::Begin(table_, transaction_.get(), options, &load_).ToString(), "ok");
    access_->writer().set_leaves_entries(true);
  }
  Status Add(const Row& row, size_t* duplicate = nullptr) {
    BASALT_RETURN_IF_ERROR(Insert(row, duplicate));
    return load_->AddChecked(access_->writer().added());
  }
  Status Finish() {
    access_->writer().set_leaves_entries(false);
    return load_->Finish([](uint64_t, uint64_t) { return true; });
  }

  const Row there_{5, false, 50, "there"};
  const Row first_{7, true, 0, "first"};
  const Row second_{3, false, 60, "second"};
  std::unique_ptr<BulkInsert> load_;
};

TEST_P(CheckedInsertTest, RowsAreThereInEveryIndexAfterTheCommit) {
  BeginLoad();
  ASSERT_TRUE(Add(first_).ok());
  ASSERT_TRUE(Add(second_).ok());
  ASSERT_EQ(Finish().ToString(), "ok");
  EXPECT_EQ(Scan(by_k()), Rows{there_}) << "nothing of a load is seen before";
  Commit();
  Begin();
  EXPECT_EQ(Scan(by_k()), (Rows{first_, there_, second_}));
  EXPECT_EQ(Scan(by_name()), (Rows{first_, second_, there_}));
  EXPECT_EQ(Scan(table_->primary_position()),
            GetParam() ? (Rows{there_, first_, second_}) : (Rows{second_, there_, first_}));
  Commit();
}

TEST_P(CheckedInsertTest, DuplicatesOfRowsAreFoundAtOnceAndOfNewOnesAtTheEnd) {
  BeginLoad();
  ASSERT_TRUE(Add(first_).ok());
  size_t duplicate = 0;
  EXPECT_EQ(Add({8, false, 1, "there"}, &duplicate).code(), Code::kDuplicateKey);
  EXPECT_EQ(duplicate, by_name());
  ASSERT_TRUE(Add({9, false, 1, "first"}).ok());
  ASSERT_EQ(Finish().code(), Code::kDuplicateKey);
  EXPECT_EQ(load_->duplicate_index(), by_name());
  std::vector<uint8_t> record(kRecordBytes);
  ASSERT_EQ(load_->ReadDuplicate(record.data()).ToString(), "ok");
  EXPECT_EQ(RowOf(record).name, "first");
  access_->Unbind();
  ASSERT_TRUE(transaction_->Rollback().ok());
  Begin();
  EXPECT_EQ(Scan(by_k()), Rows{there_});
  Commit();
}

TEST_P(CheckedInsertTest, CommitsOfOthersBeforeItsEndAreNotTheLoads) {
  TableCounters& counters = table_->counters();
  BeginLoad();
  ASSERT_TRUE(Add(first_).ok());
  counters.NoteCommit(1);
  const uint64_t before = counters.loads();
  ASSERT_TRUE(Finish().ok());
  Commit();
  counters.NoteCommit(2);
  EXPECT_EQ(counters.loads(), before + 1);
}

INSTANTIATE_TEST_SUITE_P(PrimaryKeyAndHidden, CheckedInsertTest, testing::Bool());

}  // namespace
}  // namespace basalt::engine
