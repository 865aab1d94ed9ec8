// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/orphan_check.h"

#include <gmock/gmock.h>

#include <vector>

#include "engine/entry_name.h"
#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

class Stopper final : public TaskProgress {
 public:
  void NextStage() override {}
  bool Report(uint64_t, uint64_t) override { return ++reports < stop_at; }
  unsigned reports = 0;
  unsigned stop_at = ~0u;
};

constexpr uint32_t kIdColumn = 0;
constexpr uint32_t kKColumn = 1;
constexpr uint32_t kNameColumn = 2;

// A table that refers to itself.
class OrphanCheckTest : public EngineFixture {
 protected:
  void Fill(const std::vector<Row>& rows) {
    Open();
    CreateTable(/*hidden=*/false);
    Begin();
    for (const Row& row : rows) ASSERT_TRUE(Insert(row).ok());
    Commit();
  }
  ReferenceSide SideOf(uint32_t column) const {
    ReferenceSide side;
    side.table = table_;
    side.index = column;  // each column has an index of its own, in the same order
    return side;
  }
  std::unique_ptr<OrphanCheck> NewCheck(uint32_t from, uint32_t to) {
    return NewCheck(SideOf(from), SideOf(to), from, to);
  }
  std::unique_ptr<OrphanCheck> NewCheck(ReferenceSide child, ReferenceSide parent, uint32_t from,
                                        uint32_t to) {
    return std::make_unique<OrphanCheck>(std::move(child), std::move(parent),
                                         std::vector<codec::ReferenceCopy::Pair>{{from, to}},
                                         &progress_);
  }
  std::string Look(uint32_t from, uint32_t to) {
    const auto check = NewCheck(from, to);
    EXPECT_EQ(check->Run().ToString(), "ok");
    return check->Line();
  }
  std::string KeyOf(int32_t id) const {
    std::vector<uint8_t> key(table_->max_key_bytes());
    const std::vector<uint8_t> record = Record({id, true, 0, ""});
    return HexOf(
        MakeBytes(key.data(), table_->primary().codec->EncodePrefix(record.data(), 1, key.data())));
  }

  Stopper progress_;
};

TEST_F(OrphanCheckTest, RowsWithAParentAndNullAreNoFinding) {
  Fill({{1, true, 0, "one"}, {2, false, 1, "two"}, {3, false, 1, "three"}, {4, false, 3, "four"}});
  EXPECT_EQ(Look(kKColumn, kIdColumn), "");
  EXPECT_EQ(Look(kNameColumn, kNameColumn), "");
}

TEST_F(OrphanCheckTest, EachRowOfAValueWithoutAParentCounts) {
  Fill({{1, true, 0, "one"},
        {2, false, 70, "two"},
        {3, false, 1, "three"},
        {4, false, 70, "four"},
        {5, false, -2, "five"}});
  EXPECT_EQ(Look(kKColumn, kIdColumn),
            "3 rows without a parent, keys " + KeyOf(5) + ", " + KeyOf(2) + ", " + KeyOf(4));
}

TEST_F(OrphanCheckTest, OneRowIsNamedByItsKey) {
  Fill({{1, false, 1, "one"}, {2, false, 9, "two"}});
  EXPECT_EQ(Look(kKColumn, kIdColumn), "1 rows without a parent, key " + KeyOf(2));
}

// The child is found by its primary key, the parent by an index that is not unique.
TEST_F(OrphanCheckTest, AnyIndexDoesOnBothSides) {
  Fill({{1, false, 3, "one"}, {2, false, 3, "two"}, {3, true, 0, "three"}});
  EXPECT_EQ(Look(kIdColumn, kKColumn),
            "2 rows without a parent, keys " + KeyOf(1) + ", " + KeyOf(2));
}

TEST_F(OrphanCheckTest, OfManyTheFirstAreNamed) {
  std::vector<Row> rows;
  for (int32_t id = 1; id <= 500; ++id) rows.push_back({id, false, 1000, std::to_string(id)});
  Fill(rows);
  EXPECT_EQ(Look(kKColumn, kIdColumn), "500 rows without a parent, first keys " + KeyOf(1) + ", " +
                                           KeyOf(2) + ", " + KeyOf(3));
}

// Row 1 has 5 for the end of its life, and the others are history.
TEST_F(OrphanCheckTest, HistoryHasNoParentAndIsNone) {
  Fill({{1, false, 5, "one"}, {2, false, 6, "two"}, {3, false, 6, "three"}});
  TableTraits traits;
  traits.row_end = RowEnd{kKColumn, std::string("\x05\0\0\0", 4)};
  std::shared_ptr<Table> with_history;
  ASSERT_TRUE(Table::Open(database_.get(), Descriptor(false), traits, &with_history).ok());
  ReferenceSide child = SideOf(kIdColumn);
  child.table = with_history;
  auto check = NewCheck(child, SideOf(kKColumn), kIdColumn, kKColumn);
  ASSERT_EQ(check->Run().ToString(), "ok");
  EXPECT_EQ(check->Line(), "1 rows without a parent, key " + KeyOf(1));

  ReferenceSide parent = SideOf(kNameColumn);
  parent.table = with_history;
  check = NewCheck(SideOf(kNameColumn), parent, kNameColumn, kNameColumn);
  ASSERT_EQ(check->Run().ToString(), "ok");
  EXPECT_EQ(check->rows(), 2u);
}

TEST_F(OrphanCheckTest, ItSeesOneSnapshotAndWaitsForNobody) {
  Fill({{1, true, 0, "one"}, {2, false, 1, "two"}});
  Begin();
  ASSERT_TRUE(Insert({3, false, 33, "three"}).ok());
  EXPECT_EQ(Look(kKColumn, kIdColumn), "");
  Commit();
  EXPECT_EQ(Look(kKColumn, kIdColumn), "1 rows without a parent, key " + KeyOf(3));
}

TEST_F(OrphanCheckTest, ItStopsWhenTold) {
  std::vector<Row> rows;
  for (int32_t id = 1; id <= 3100; ++id) rows.push_back({id, false, 1, std::to_string(id)});
  Fill(rows);
  progress_.stop_at = 3;
  EXPECT_EQ(NewCheck(kKColumn, kIdColumn)->Run().code(), Code::kInterrupted);
  EXPECT_EQ(progress_.reports, 3u);
}

}  // namespace
}  // namespace basalt::engine
