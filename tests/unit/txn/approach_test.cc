// SPDX-License-Identifier: GPL-2.0-only
#include "txn/approach.h"

#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

class ApproachTest : public TxnFixture {
 protected:
  // Keys 0, 10, .. 90.
  void Fill() {
    rocksdb::WriteBatch batch;
    for (uint32_t i = 0; i < 100; i += 10) ASSERT_TRUE(batch.Put(family(), Key(i), "v").ok());
    ASSERT_TRUE(store_->Write(&batch, false).ok());
  }
  std::unique_ptr<Cursor> Standing(uint32_t at) {
    auto cursor = std::make_unique<Cursor>(store_->base(), family(), false, index(),
                                           manager_->idle_cursors());
    EXPECT_TRUE(cursor->Bind(nullptr, nullptr).ok());
    cursor->SeekForward(Key(at));
    return cursor;
  }
};

TEST_F(ApproachTest, StepsToWhatIsNearAndSeeksWhatIsNot) {
  Fill();
  struct Case {
    uint32_t from, target, found;
    unsigned steps;
    bool sought;
  };
  for (const Case& each :
       {Case{10, 11, 20, 1, false}, Case{10, 20, 20, 1, false}, Case{10, 40, 40, 3, false},
        Case{10, 41, 50, 3, true}, Case{50, 50, 50, 0, true}, Case{50, 20, 20, 0, true}}) {
    const auto cursor = Standing(each.from);
    const Approach done = MoveTo(Key(each.target), 3, cursor.get());
    ASSERT_TRUE(cursor->Valid());
    EXPECT_EQ(std::string(cursor->key()), Key(each.found));
    EXPECT_EQ(done.steps, each.steps) << each.target;
    EXPECT_EQ(done.sought, each.sought) << each.target;
  }
}

TEST_F(ApproachTest, EndsWithTheEntriesAndBeginsFromNowhere) {
  Fill();
  auto cursor = Standing(80);
  const Approach done = MoveTo(Key(95), 3, cursor.get());
  EXPECT_FALSE(cursor->Valid());
  EXPECT_TRUE(cursor->status().ok());
  EXPECT_EQ(done.steps, 2u);
  EXPECT_FALSE(done.sought);
  EXPECT_TRUE(MoveTo(Key(30), 3, cursor.get()).sought);
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(std::string(cursor->key()), Key(30));
}

}  // namespace
}  // namespace basalt::txn
