// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/table_repair.h"

#include <gmock/gmock.h>

#include "engine/indexes/index_rebuild.h"

#include "unit/engine/damage_fixture.h"

namespace basalt::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Lines = std::vector<std::string>;

const Lines kTable = {"column a int", "column b int null", "column c varchar(20) letters_ci null",
                      "column d int", "primary 100 a",     "index 101 b",
                      "index 102 c",  "index 103 d unique"};
const Lines kRows = {"1,10,'one',1", "2,NULL,'Two',2", "3,10,NULL,3", "4,-7,'four  ',4"};

class Steps final : public TaskProgress {
 public:
  void NextStage() override { ++stages; }
  bool Report(uint64_t, uint64_t) override { return ++reports < stop_at; }
  void BeginAnew() {
    stages = 1;
    reports = 0;
    stop_at = ~0u;
  }
  unsigned stages = 1;
  unsigned reports = 0;
  unsigned stop_at = ~0u;
};

class TableRepairTest : public DamageFixture {
 protected:
  void MakeTable(bool reverse = false) {
    Open();
    CreateTable("d.t", kTable, reverse);
    Insert(kRows);
  }
  Status Repair(RepairDepth depth) {
    access_.reset();
    steps_.stages = 1;
    TableRepair repair(table_, depth, &steps_, nullptr);
    Status status = repair.Run();
    EXPECT_LE(steps_.stages, repair.max_stages());
    table_ = repair.table();
    access_ = std::make_unique<RowAccess>(table_);
    found_ = repair.found();
    done_ = repair.done();
    left_ = repair.left();
    healthy_ = repair.healthy();
    return status;
  }
  Lines Check() { return CheckExtended(&steps_); }
  void Damage() {
    RemoveEntry(1, EntryOf(1, kRows[2]).key);
    PutEntry(1, EntryOf(1, "99,5,'x',99"));
    PutEntry(2, EntryOf(2, "1,10,'ONE',1"));
  }
  std::vector<catalog::IndexRecord> Indexes() {
    return database_->catalog()->FindTable("d.t")->indexes;
  }

  Steps steps_;
  Lines found_;
  Lines done_;
  Lines left_;
  bool healthy_ = false;
};

TEST_F(TableRepairTest, IndexesAreBuiltAnewFromTheRows) {
  for (const bool reverse : {false, true}) {
    MakeTable(reverse);
    Damage();
    EXPECT_EQ(Check().size(), 3u);
    const auto before = Indexes();
    ASSERT_EQ(Repair(RepairDepth::kMedium).ToString(), "ok");
    EXPECT_TRUE(healthy_);
    EXPECT_EQ(found_.size(), 3u);
    EXPECT_THAT(done_, ElementsAre("built anew from 4 rows: k1, k2, k3"));
    EXPECT_THAT(left_, IsEmpty());
    EXPECT_THAT(Check(), IsEmpty());
    EXPECT_EQ(rows_, 4u);
    EXPECT_EQ(Indexes()[0], before[0]);
    for (size_t i = 1; i < 4; ++i) {
      EXPECT_NE(Indexes()[i].id, before[i].id);
      EXPECT_EQ(Indexes()[i].id.column_family, before[i].id.column_family);
      EXPECT_THAT(database_->catalog()->dropped_indexes().All(), Contains(before[i].id));
    }
    Insert({"5,5,'five',5"});
    EXPECT_THAT(Check(), IsEmpty());
    CloseDatabase();
    Open();
    OpenTable("d.t", kTable);
    EXPECT_THAT(Check(), IsEmpty());
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

TEST_F(TableRepairTest, QuickBuildsTheDamagedIndexesOnly) {
  MakeTable();
  Damage();
  const auto before = Indexes();
  ASSERT_TRUE(Repair(RepairDepth::kQuick).ok());
  EXPECT_TRUE(healthy_);
  EXPECT_THAT(done_, ElementsAre("built anew from 4 rows: k1, k2"));
  EXPECT_EQ(Indexes()[3], before[3]);
  ASSERT_TRUE(Repair(RepairDepth::kQuick).ok());
  EXPECT_TRUE(healthy_);
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(TableRepairTest, MoreEntriesThanFitIntoMemory) {
  spill_bytes_ = 64u << 10;
  MakeTable();
  Lines rows;
  for (int i = 100; i < 8100; ++i) {
    rows.push_back(std::to_string(i) + "," + std::to_string(i * 7919 % 1000) + ",'row " +
                   std::to_string(i) + "'," + std::to_string(i));
  }
  Insert(rows);
  Damage();
  ASSERT_EQ(Repair(RepairDepth::kMedium).ToString(), "ok");
  EXPECT_TRUE(healthy_);
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(rows_, 8004u);
}

TEST_F(TableRepairTest, ADamagedBlockOfAnIndexIsGoneAfterwards) {
  MakeTable();
  FlipBytesOf(1);
  OpenTable("d.t", kTable);
  ASSERT_TRUE(Repair(RepairDepth::kQuick).ok());
  EXPECT_TRUE(healthy_);
  EXPECT_THAT(done_, ElementsAre("built anew from 4 rows: k1"));
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(TableRepairTest, DamagedRowsAreReportedAndNothingIsChanged) {
  MakeTable();
  FlipBytesOf(0);
  OpenTable("d.t", kTable);
  const auto before = Indexes();
  for (const RepairDepth depth : {RepairDepth::kMedium, RepairDepth::kExtended}) {
    ASSERT_TRUE(Repair(depth).ok());
    EXPECT_FALSE(healthy_);
    EXPECT_THAT(found_, ElementsAre(HasSubstr("PRIMARY cannot be read")));
    EXPECT_THAT(left_, ElementsAre(HasSubstr("nothing was changed")));
    EXPECT_EQ(Indexes(), before);
  }
}

TEST_F(TableRepairTest, OnlyExtendedTakesUndecodableRowsOut) {
  MakeTable();
  const Entry row = EntryOf(0, kRows[1]);
  const std::string garbage = row.value.substr(0, 2);
  PutEntry(0, {row.key, garbage});
  const auto before = Indexes();
  ASSERT_TRUE(Repair(RepairDepth::kMedium).ok());
  EXPECT_FALSE(healthy_);
  EXPECT_THAT(left_, ElementsAre(HasSubstr("cannot be decoded; nothing was changed")));
  EXPECT_EQ(Indexes(), before);

  ASSERT_EQ(Repair(RepairDepth::kExtended).ToString(), "ok");
  EXPECT_TRUE(healthy_);
  EXPECT_THAT(done_, ElementsAre("built anew from 3 rows: k1, k2, k3",
                                 HasSubstr("took out 1 rows that cannot be decoded")));
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(rows_, 3u);
  const std::string name = "d.t." + std::to_string(before[0].id.number) + ".removed_rows";
  std::ifstream file(directory_ / ("store/" + name));
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, test::Hex(row.key) + " " + test::Hex(garbage));
  EXPECT_FALSE(std::getline(file, line));
}

TEST_F(TableRepairTest, AValueThatIsThereTwiceIsLeftAndSaid) {
  MakeTable();
  for (size_t i = 0; i < 4; ++i) PutEntry(i, EntryOf(i, "9,1,'twin',1"));
  ASSERT_TRUE(Repair(RepairDepth::kMedium).ok());
  EXPECT_FALSE(healthy_);
  EXPECT_THAT(left_, ElementsAre(HasSubstr("index k3: 1 values that are there twice")));
}

TEST_F(TableRepairTest, AnInterruptedRepairLeavesTheTableAsItWas) {
  MakeTable();
  Lines rows;
  for (int i = 100; i < 2500; ++i)
    rows.push_back(std::to_string(i) + ",1,'r'," + std::to_string(i));
  Insert(rows);
  Damage();
  const Lines damage = Check();
  const auto before = Indexes();
  for (unsigned stop = 1; stop < 60; stop += 2) {
    steps_.BeginAnew();
    steps_.stop_at = stop;
    const Status status = Repair(RepairDepth::kMedium);
    if (status.ok()) break;
    EXPECT_EQ(status.code(), Code::kInterrupted);
    if (done_.empty()) {
      EXPECT_EQ(Indexes(), before);
    }
  }
  steps_.BeginAnew();
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(TableRepairTest, AFailedBuildIsDroppedAndTheTableStays) {
  MakeTable();
  Damage();
  const Lines damage = Check();
  const auto before = Indexes();
  {
    Steps stops;
    stops.stop_at = 1;
    Lines rows;
    for (int i = 100; i < 2500; ++i)
      rows.push_back(std::to_string(i) + ",1,'r'," + std::to_string(i));
    Insert(rows);
    IndexRebuild rebuild(table_.get(), &stops, nullptr);
    EXPECT_EQ(rebuild.Run({1, 2}).code(), Code::kInterrupted);
  }
  EXPECT_EQ(Indexes(), before);
  EXPECT_EQ(Check(), damage);
  EXPECT_EQ(database_->catalog()->dropped_indexes().All().size(), 2u);
}

TEST_F(TableRepairTest, APreparedTransactionKeepsItsIndexes) {
  MakeTable();
  Begin();
  size_t duplicate = 0;
  ASSERT_TRUE(access_->writer().Insert(described_->Record("7,7,'s',7").data(), &duplicate).ok());
  access_->Unbind();
  ASSERT_TRUE(transaction_->Prepare("left", txn::Durability::kWrite, true).ok());
  database_->transactions()->Detach(std::move(transaction_));
  transaction_ = database_->transactions()->NewTransaction();
  EXPECT_EQ(Repair(RepairDepth::kMedium).code(), Code::kLockBusy);
  ASSERT_TRUE(database_->transactions()->CommitDetached("left", txn::Durability::kWrite).ok());
  EXPECT_TRUE(Repair(RepairDepth::kMedium).ok());
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(rows_, 5u);
}

}  // namespace
}  // namespace basalt::engine
