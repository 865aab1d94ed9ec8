// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/reference_check.h"

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

using Match = ReferenceCheck::Match;

// A table that refers to itself: k to id, and the name to the name.
class ReferenceCheckTest : public EngineFixture {
 protected:
  void SetUp() override {
    Open();
    CreateTable(/*hidden=*/false);
    Begin();
    ASSERT_TRUE(Insert({1, true, 0, "one"}).ok());
    ASSERT_TRUE(Insert({2, false, 1, "two"}).ok());
  }
  void TearDown() override {
    access_->Unbind();
    EXPECT_TRUE(transaction_->Rollback().ok());
  }

  Match Look(uint32_t from, uint32_t to, const Row& row) {
    const std::optional<size_t> index = FindReferenceIndex(*table_, {to});
    EXPECT_TRUE(index.has_value());
    ReferenceCheck check(table_->descriptor(), table_, index.value_or(0), {{from, to}});
    check.Begin(transaction_.get());
    Match match = Match::kNull;
    EXPECT_TRUE(check.Check(Record(row).data(), &match).ok());
    check.End();
    return match;
  }
};

TEST_F(ReferenceCheckTest, TellsAMatchFromNoneAndFromNull) {
  EXPECT_EQ(Look(1, 0, {3, false, 2, "x"}), Match::kFound);
  EXPECT_EQ(Look(1, 0, {3, false, 3, "x"}), Match::kAbsent);
  EXPECT_EQ(Look(1, 0, {3, true, 0, "x"}), Match::kNull);
  EXPECT_EQ(Look(0, 1, {1, true, 0, "x"}), Match::kFound);  // row 2 refers to it
  EXPECT_EQ(Look(0, 1, {2, true, 0, "x"}), Match::kAbsent);
  EXPECT_EQ(Look(2, 2, {3, true, 0, "two"}), Match::kFound);
  EXPECT_EQ(Look(2, 2, {3, true, 0, "two "}), Match::kAbsent);
}

TEST_F(ReferenceCheckTest, ARowCanMatchItself) {
  ReferenceCheck check(table_->descriptor(), table_, 0, {{1, 0}});
  check.Begin(transaction_.get());
  const std::vector<uint8_t> own = Record({3, false, 3, "x"});
  const std::vector<uint8_t> other = Record({3, false, 4, "x"});
  EXPECT_TRUE(check.Matches(own.data(), own.data()));
  EXPECT_FALSE(check.Matches(other.data(), other.data()));
  EXPECT_FALSE(check.Matches(Record({3, true, 0, "x"}).data(), own.data()));
  check.End();
}

TEST_F(ReferenceCheckTest, AnIndexBeginsWithTheColumnsInTheirOrder) {
  EXPECT_EQ(FindReferenceIndex(*table_, {0}), std::optional<size_t>(0));
  EXPECT_EQ(FindReferenceIndex(*table_, {1}), std::optional<size_t>(1));
  EXPECT_EQ(FindReferenceIndex(*table_, {2}), std::optional<size_t>(2));
  EXPECT_EQ(FindReferenceIndex(*table_, {1, 0}), std::nullopt);  // the row's own key does not count
}

class PrefixIndexTest : public EngineFixture {};

TEST_F(PrefixIndexTest, AnIndexOfAPrefixDoesNotDo) {
  unique_bytes_ = 5;
  Open();
  CreateTable(/*hidden=*/true);
  EXPECT_EQ(FindReferenceIndex(*table_, {2}), std::nullopt);
  EXPECT_EQ(FindReferenceIndex(*table_, {0}), std::nullopt);
}

}  // namespace
}  // namespace basalt::engine
