// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/reference_batch.h"

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

using Match = ReferenceCheck::Match;

// A table that refers to itself: k to id.
class ReferenceBatchTest : public EngineFixture {
 protected:
  void SetUp() override {
    Open();
    CreateTable(/*hidden=*/false);
    Begin();
    for (const int id : {1, 2, 5}) ASSERT_TRUE(Insert({id, true, 0, std::to_string(id)}).ok());
    check_ = std::make_unique<ReferenceCheck>(table_->descriptor(), table_, 0,
                                              std::vector<codec::ReferenceCopy::Pair>{{1, 0}});
    check_->Begin(transaction_.get());
    batch_ = std::make_unique<ReferenceBatch>(check_.get());
  }
  void TearDown() override {
    check_->End();
    access_->Unbind();
    EXPECT_TRUE(transaction_->Rollback().ok());
  }

  Match Add(int k) { return batch_->Add(Record({9, false, k, "x"}).data()); }
  bool IsMissing() {
    bool missing = false;
    EXPECT_TRUE(batch_->Check(&missing).ok());
    return missing;
  }

  std::unique_ptr<ReferenceCheck> check_;
  std::unique_ptr<ReferenceBatch> batch_;
};

TEST_F(ReferenceBatchTest, FindsTheParentsOfAllRows) {
  for (const int k : {5, 1, 1, 2, 5}) EXPECT_EQ(Add(k), Match::kFound);
  EXPECT_FALSE(IsMissing());
}

TEST_F(ReferenceBatchTest, OneThatIsMissingIsTold) {
  for (const int k : {5, 3, 1}) EXPECT_EQ(Add(k), Match::kFound);
  EXPECT_TRUE(IsMissing());
}

TEST_F(ReferenceBatchTest, IsEmptyAfterACheck) {
  EXPECT_EQ(Add(3), Match::kFound);
  EXPECT_TRUE(IsMissing());
  EXPECT_FALSE(IsMissing());
  EXPECT_EQ(Add(3), Match::kFound);
  batch_->Clear();
  EXPECT_FALSE(IsMissing());
}

TEST_F(ReferenceBatchTest, ANullRefersToNothing) {
  EXPECT_EQ(batch_->Add(Record({9, true, 3, "x"}).data()), Match::kNull);
  EXPECT_FALSE(IsMissing());
}

TEST_F(ReferenceBatchTest, EachParentIsLockedOnce) {
  const size_t before = transaction_->locks().count();
  for (const int k : {7, 8, 7, 8, 7}) EXPECT_EQ(Add(k), Match::kFound);
  EXPECT_TRUE(IsMissing());
  EXPECT_EQ(transaction_->locks().count(), before + 1);  // of 7, which is missing
}

TEST_F(ReferenceBatchTest, IsFullAtSomeTime) {
  for (int k = 0; k < 1'000'000 && !batch_->full(); ++k) EXPECT_EQ(Add(k), Match::kFound);
  EXPECT_TRUE(batch_->full());
  EXPECT_TRUE(IsMissing());
  EXPECT_FALSE(batch_->full());
}

}  // namespace
}  // namespace basalt::engine
