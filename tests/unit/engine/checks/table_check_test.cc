// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/table_check.h"

#include <gmock/gmock.h>

#include "unit/codec/checksum_writer.h"
#include "unit/engine/damage_fixture.h"

namespace basalt::engine {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Lines = std::vector<std::string>;

const Lines kPlain = {"column a int",
                      "column b int null",
                      "column c varchar(20) letters_ci null",
                      "column d varbinary(10)",
                      "primary 100 a",
                      "index 101 b",
                      "index 102 c",
                      "index 103 d unique"};
const Lines kHidden = {
    "column a int",           "column b int null", "column c varchar(20) letters_ci null",
    "column d varbinary(10)", "index 101 b",       "index 102 c",
    "index 103 d unique",     "hidden 100"};
const Lines kRows = {"1,10,'one','x'", "2,NULL,'Two','y'", "3,10,NULL,'z'",
                     "4,-7,'four  ','\\x00'"};

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

struct Shape {
  bool hidden;
  bool reverse;
};

class TableCheckTest : public DamageFixture {
 protected:
  void MakeTable(Shape shape = {false, false}) {
    Open();
    CreateTable("d.t", shape.hidden ? kHidden : kPlain, shape.reverse);
    Insert(kRows);
    b_ = shape.hidden ? 0 : 1;
    c_ = b_ + 1;
    d_ = b_ + 2;
  }
  // In a snapshot of its own.
  Lines Check(CheckDepth depth) {
    auto transaction = database_->transactions()->NewTransaction();
    transaction->Begin({});
    TableCheck check(table_.get(), transaction.get(), depth, &steps_, nullptr);
    steps_.BeginAnew();
    EXPECT_EQ(check.Run().ToString(), "ok");
    EXPECT_LE(steps_.stages, check.max_stages());
    EXPECT_EQ(check.findings().empty(), check.findings().Lines().empty());
    return check.findings().Lines();
  }
  std::string KeyOf(size_t index, const std::string& row) {
    return test::Hex(EntryOf(index, row).key);
  }

  Steps steps_;
  size_t b_ = 0;
  size_t c_ = 0;
  size_t d_ = 0;
};

class EveryShape : public TableCheckTest, public testing::WithParamInterface<Shape> {};

TEST_P(EveryShape, AHealthyTableHasNoFindings) {
  MakeTable(GetParam());
  for (const CheckDepth depth : {CheckDepth::kQuick, CheckDepth::kMedium, CheckDepth::kExtended}) {
    EXPECT_THAT(Check(depth), IsEmpty());
  }
  ASSERT_TRUE(database_->store()->flushes().Flush().ok());
  EXPECT_THAT(Check(CheckDepth::kExtended), IsEmpty());
}

TEST_P(EveryShape, ALackingEntryIsNamedByItsRow) {
  MakeTable(GetParam());
  RemoveEntry(b_, EntryOf(b_, kRows[2], 3).key);
  EXPECT_THAT(Check(CheckDepth::kQuick), ElementsAre(HasSubstr("has 3 entries, the table 4 rows")));
  const std::string row = test::Hex(EntryOf(table_->primary_position(), kRows[2], 3).key);
  for (const CheckDepth depth : {CheckDepth::kMedium, CheckDepth::kExtended}) {
    EXPECT_THAT(Check(depth), ElementsAre("index k" + std::to_string(b_) +
                                          ": 1 rows without an entry, key " + row));
  }
}

TEST_P(EveryShape, AnEntryWithoutARowIsNamed) {
  MakeTable(GetParam());
  const Entry orphan = EntryOf(b_, "99,5,'x','q'", 99);
  PutEntry(b_, orphan);
  EXPECT_THAT(Check(CheckDepth::kQuick), ElementsAre(HasSubstr("has 5 entries, the table 4 rows")));
  EXPECT_THAT(Check(CheckDepth::kMedium), ElementsAre(AllOf(HasSubstr("1 entries without a row"),
                                                            HasSubstr(test::Hex(orphan.key)))));
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryShape,
                         testing::Values(Shape{false, false}, Shape{false, true},
                                         Shape{true, false}, Shape{true, true}));

// As many entries as rows, and each has a row: only comparing them tells.
TEST_F(TableCheckTest, AnEntryOfAnotherValueIsFound) {
  MakeTable();
  RemoveEntry(b_, EntryOf(b_, kRows[0]).key);
  const Entry foreign = EntryOf(b_, "1,11,'one','x'");
  PutEntry(b_, foreign);
  EXPECT_THAT(Check(CheckDepth::kQuick), IsEmpty());
  EXPECT_THAT(Check(CheckDepth::kMedium),
              ElementsAre(HasSubstr("1 entries that do not belong to their row, key " +
                                    test::Hex(foreign.key)),
                          HasSubstr("1 rows without an entry")));
}

TEST_F(TableCheckTest, AnEntryWithOtherUnpackInfoIsFound) {
  MakeTable();
  const Entry right = EntryOf(c_, kRows[0]);
  const Entry other = EntryOf(c_, "1,10,'ONE','x'");
  ASSERT_EQ(right.key, other.key);
  ASSERT_NE(right.value, other.value);
  PutEntry(c_, other);
  EXPECT_THAT(Check(CheckDepth::kMedium),
              ElementsAre(HasSubstr("1 entries that give other values than their row, key " +
                                    test::Hex(right.key))));
}

TEST_F(TableCheckTest, GarbageInAnIndexIsFound) {
  MakeTable();
  const Entry right = EntryOf(c_, kRows[0]);
  PutEntry(c_, {right.key.substr(0, right.key.size() - 1), right.value});
  PutEntry(d_, {EntryOf(d_, kRows[0]).key, "garbage"});
  for (const CheckDepth depth : {CheckDepth::kQuick, CheckDepth::kMedium}) {
    const Lines lines = Check(depth);
    EXPECT_THAT(lines, testing::Contains(HasSubstr("index k2: 1 entries that contradict")));
    EXPECT_THAT(lines, testing::Contains(HasSubstr("index k3: 1 entries that contradict")));
  }
}

TEST_F(TableCheckTest, ARowThatCannotBeDecodedIsNamedAndTheOthersAreChecked) {
  MakeTable();
  const size_t primary = table_->primary_position();
  const Entry row = EntryOf(primary, kRows[1]);
  PutEntry(primary, {row.key, row.value.substr(0, 3)});
  const std::string finding =
      "index PRIMARY: 1 rows that cannot be decoded, key " + test::Hex(row.key);
  EXPECT_THAT(Check(CheckDepth::kQuick), ElementsAre(finding));
  EXPECT_THAT(Check(CheckDepth::kMedium), testing::Contains(finding));
  PutEntry(primary, {row.key, row.value + "more"});
  EXPECT_THAT(Check(CheckDepth::kQuick), ElementsAre(finding));
}

TEST_F(TableCheckTest, AValueThatIsThereTwiceIsFound) {
  MakeTable();
  const std::string twin = "9,1,'twin','x'";
  for (size_t i = 0; i < table_->index_count(); ++i) PutEntry(i, EntryOf(i, twin));
  EXPECT_THAT(Check(CheckDepth::kMedium),
              ElementsAre("index k3: 1 values that are there twice, key " + KeyOf(d_, twin)));
}

// Here the bytes of keys differ although the declared prefixes are the same.
TEST_F(TableCheckTest, ATwinUnderAPrefixIsFoundByItsImage) {
  const Lines lines = {"column a int", "column t blob(2) null", "primary 100 a",
                       "index 101 t(3) unique"};
  Open();
  CreateTable("d.p", lines, false);
  ASSERT_FALSE(table_->index(1).codec->UniqueIsExact());
  Insert({"1,'abcd'", "2,'ab'", "3,NULL", "4,NULL", "5,'abd'", "6,'abxxx'"});
  EXPECT_THAT(Check(CheckDepth::kMedium), IsEmpty());
  for (size_t i = 0; i < 2; ++i) PutEntry(i, EntryOf(i, "7,'abcdefgh'"));
  EXPECT_THAT(Check(CheckDepth::kMedium), ElementsAre(HasSubstr("1 values that are there twice")));
}

TEST_F(TableCheckTest, ChecksumsOfValuesAreComparedWhenAskedFor) {
  MakeTable();
  const size_t primary = table_->primary_position();
  Entry row = EntryOf(primary, kRows[0]);
  test::AppendChecksumChunk(row.key, &row.value);
  PutEntry(primary, row);
  Entry entry = EntryOf(c_, kRows[0]);
  test::AppendChecksumChunk(entry.key, &entry.value);
  PutEntry(c_, entry);
  EXPECT_THAT(Check(CheckDepth::kExtended), IsEmpty());
  row.value.back() ^= 1;
  entry.value.back() ^= 1;
  PutEntry(primary, row);
  PutEntry(c_, entry);
  EXPECT_THAT(Check(CheckDepth::kMedium), IsEmpty());
  EXPECT_THAT(Check(CheckDepth::kExtended),
              ElementsAre(HasSubstr("PRIMARY: 1 values that contradict their checksum"),
                          HasSubstr("k2: 1 values that contradict their checksum")));
}

TEST_F(TableCheckTest, OneSnapshotWhileOthersWrite) {
  MakeTable();
  auto reader = database_->transactions()->NewTransaction();
  reader->Begin({});
  reader->snapshot().ForReads();
  Insert({"50,1,'a','fifty'", "51,1,'a','fifty-one'"});
  TableCheck check(table_.get(), reader.get(), CheckDepth::kExtended, &steps_, nullptr);
  ASSERT_TRUE(check.Run().ok());
  EXPECT_THAT(check.findings().Lines(), IsEmpty());
  EXPECT_EQ(check.rows(), 4u);
}

TEST_F(TableCheckTest, OwnWritesTakePart) {
  MakeTable();
  Begin();
  size_t duplicate = 0;
  ASSERT_TRUE(
      access_->writer().Insert(described_->Record("7,7,'s','seven'").data(), &duplicate).ok());
  TableCheck check(table_.get(), transaction_.get(), CheckDepth::kExtended, &steps_, nullptr);
  ASSERT_TRUE(check.Run().ok());
  EXPECT_THAT(check.findings().Lines(), IsEmpty());
  EXPECT_EQ(check.rows(), 5u);
  Commit();
}

TEST_F(TableCheckTest, ItStopsWhenTold) {
  MakeTable();
  Lines rows;
  for (int i = 100; i < 3200; ++i) {
    rows.push_back(std::to_string(i) + ",1,'r','" + std::to_string(i) + "'");
  }
  Insert(rows);
  transaction_->Begin({});
  steps_.stop_at = 3;
  TableCheck check(table_.get(), transaction_.get(), CheckDepth::kMedium, &steps_, nullptr);
  EXPECT_EQ(check.Run().code(), Code::kInterrupted);
  EXPECT_EQ(steps_.reports, 3u);
}

TEST_F(TableCheckTest, ADamagedBlockOfAnIndexLeavesTheRestToBeChecked) {
  MakeTable();
  PutEntry(c_, EntryOf(c_, "99,5,'x','q'"));
  FlipBytesOf(b_);
  OpenTable("d.t", kPlain);
  for (const CheckDepth depth : {CheckDepth::kQuick, CheckDepth::kMedium}) {
    EXPECT_THAT(Check(depth), ElementsAre(HasSubstr("index k1 cannot be read"), HasSubstr("k2")));
  }
  EXPECT_THAT(Check(CheckDepth::kExtended),
              testing::Contains(HasSubstr("index k1 shares a damaged table file")));
}

// The cache still has the blocks; only reading the file tells.
TEST_F(TableCheckTest, ADamageBehindTheCacheIsFoundByReadingTheFiles) {
  MakeTable();
  ASSERT_TRUE(database_->store()->flushes().Flush().ok());
  Begin();
  EXPECT_TRUE(access_->scan().BeginScan(b_, false, true).ok());
  EXPECT_TRUE(access_->scan().SeekToEnd(Direction::kForward).ok());
  Commit();
  std::vector<rocksdb::LiveFileMetaData> files;
  database_->store()->base()->GetLiveFilesMetaData(&files);
  for (const auto& file : files) {
    if (file.column_family_name == table_->index(b_).family->GetName()) {
      FlipByte(file.db_path + file.name, 20);
    }
  }
  EXPECT_THAT(Check(CheckDepth::kMedium), IsEmpty());
  EXPECT_THAT(Check(CheckDepth::kExtended),
              ElementsAre(HasSubstr("index k1 shares a damaged table file")));
}

TEST_F(TableCheckTest, DamagedRowsLeaveOtherTablesAlone) {
  MakeTable();
  FlipBytesOf(table_->primary_position());
  OpenTable("d.t", kPlain);
  EXPECT_THAT(Check(CheckDepth::kMedium), ElementsAre(HasSubstr("index PRIMARY cannot be read")));
  CreateTable("d.other", kPlain, false);
  Insert(kRows);
  EXPECT_THAT(Check(CheckDepth::kExtended), IsEmpty());
  EXPECT_TRUE(database_->store()->writing_allowed());
}

}  // namespace
}  // namespace basalt::engine
