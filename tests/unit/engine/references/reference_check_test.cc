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
    EXPECT_TRUE(check.Check(Record(row).data(), Bytes(), &match).ok());
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

TEST_F(ReferenceCheckTest, OneRowMayNotCount) {
  ReferenceCheck check(table_->descriptor(), table_, 0, {{1, 0}});
  check.Begin(transaction_.get());
  std::vector<uint8_t> key(table_->max_key_bytes());
  const size_t bytes =
      table_->primary().codec->EncodePrefix(Record({2, true, 0, ""}).data(), 1, key.data());
  Match match = Match::kNull;
  const Bytes second = MakeBytes(key.data(), bytes);
  EXPECT_TRUE(check.Check(Record({3, false, 2, "x"}).data(), second, &match).ok());
  EXPECT_EQ(match, Match::kAbsent);
  EXPECT_TRUE(check.Check(Record({3, false, 1, "x"}).data(), second, &match).ok());
  EXPECT_EQ(match, Match::kFound);
  check.End();
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
  EXPECT_EQ(FindReferenceIndex(*table_, {1, 0}),
            std::optional<size_t>(1));  // the row's key ends it
  EXPECT_EQ(FindReferenceIndex(*table_, {0, 1}), std::nullopt);
}

TEST_F(ReferenceCheckTest, ThePrimaryKeyAtTheEndOfAnIndexCounts) {
  ReferenceCheck check(table_->descriptor(), table_, 1, {{0, 1}, {1, 0}});  // (id, k) to (k, id)
  check.Begin(transaction_.get());
  Match match = Match::kNull;
  EXPECT_TRUE(
      check.Check(Record({1, false, 2, "x"}).data(), Bytes(), &match).ok());  // row 2 has k = 1
  EXPECT_EQ(match, Match::kFound);
  EXPECT_TRUE(check.Check(Record({1, false, 1, "x"}).data(), Bytes(), &match).ok());
  EXPECT_EQ(match, Match::kAbsent);
  check.End();
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
