// SPDX-License-Identifier: GPL-2.0-only
//
// Tables whose rows are written anew, under another primary key, while others write.
#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <random>

#include "codec/posting.h"
#include "engine/indexes/index_build.h"
#include "unit/engine/damage_fixture.h"

namespace basalt::engine {
namespace {

using testing::IsEmpty;

using Lines = std::vector<std::string>;

const Lines kColumns = {"column a int", "column b int", "column c varchar(20) letters_ci null"};

Lines TableOf(const Lines& indexes) {
  Lines lines = kColumns;
  lines.insert(lines.end(), indexes.begin(), indexes.end());
  return lines;
}

class Steps final : public TaskProgress {
 public:
  void NextStage() override { ++stages; }
  bool Report(uint64_t, uint64_t) override { return true; }
  unsigned stages = 1;
};

// The columns are the same before and after.
class SameColumns final : public RowConversion {
 public:
  explicit SameColumns(size_t bytes) : bytes_(bytes) {}
  Status Convert(const uint8_t* from, uint8_t* to) override {
    ++rows;
    if (rows == fail_at) return Status(Code::kInvalidArgument, "no counterpart");
    std::memcpy(to, from, bytes_);
    return Status::Ok();
  }
  uint64_t rows = 0;
  uint64_t fail_at = 0;

 private:
  const size_t bytes_;
};

class TableRebuildTest : public DamageFixture {
 protected:
  static constexpr char kByA[] = "primary 100 a";
  static constexpr char kByB[] = "primary 100 b";
  static constexpr char kHidden[] = "hidden 100";

  void MakeTable(const Lines& indexes, const Lines& rows, bool reverse = false) {
    reverse_ = reverse;
    Open();
    hidden_ = indexes.back() == kHidden;
    CreateTable("d.t", TableOf(indexes), reverse);
    Insert(rows);
  }

  void Begin(const Lines& indexes) {
    lines_ = TableOf(indexes);
    target_ = std::make_unique<test::TestTable>(lines_, test::FakeCollationByName);
    codec::TableDescriptor target = target_->descriptor();
    target.name = "d.t";
    GiveWords(&target);
    std::vector<size_t> positions;
    std::vector<catalog::IndexRequest> requests;
    for (size_t i = 0; i < target.indexes.size(); ++i) {
      positions.push_back(i);
      requests.push_back(RequestOf(target.indexes[i]));
      requests.back().column_family =
          std::string(reverse_ ? "rev:" : "") + "n" + std::to_string(i % 2);
    }
    IndexBuild::Options options;
    options.log_changes = true;
    conversion_ = std::make_unique<SameColumns>(target.record_length);
    build_ = std::make_unique<IndexBuild>(table_.get(), target, options, &steps_, nullptr,
                                          conversion_.get());
    ASSERT_EQ(build_->Begin(positions, requests).ToString(), "ok");
  }
  uint64_t Apply() {
    uint64_t applied = 0;
    EXPECT_EQ(build_->ApplyChanges(&applied).ToString(), "ok");
    return applied;
  }
  // The table gets what was built.
  void Take() {
    catalog::TableRecord record{"d.t", build_->built()};
    ASSERT_EQ(database_->catalog()->ReplaceIndexes({record}).ToString(), "ok");
    ASSERT_EQ(build_->EndLog().ToString(), "ok");
    build_.reset();
    access_.reset();
    OpenTable("d.t", lines_);
  }
  // Of a FULLTEXT index that has been filled.
  size_t RowsInBlocks(size_t built) {
    const IndexId id = build_->built()[built].id;
    std::string head;
    codec::AppendPostingHead(id.number, codec::PostingKind::kDocument, &head);
    const std::unique_ptr<rocksdb::Iterator> entry(database_->store()->base()->NewIterator(
        {}, database_->store()->FindColumnFamily(id.column_family)));
    size_t rows = 0;
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      codec::DocumentValue value;
      if (!entry->key().starts_with(head)) continue;
      EXPECT_TRUE(
          codec::DecodeDocumentValue({entry->value().data(), entry->value().size()}, &value));
      rows += value.in_blocks ? 1 : 0;
    }
    return rows;
  }
  void ExpectWhole(size_t rows) {
    Steps steps;
    EXPECT_THAT(CheckExtended(&steps), IsEmpty());
    EXPECT_EQ(rows_, rows);
  }
  void GiveUp() {
    ASSERT_EQ(build_->Abort().ToString(), "ok");
    build_.reset();
    ASSERT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
    EXPECT_THAT(database_->catalog()->dropped_indexes().All(), IsEmpty());
    EXPECT_FALSE(table_->counters().change_log().is_open());
  }
  void TearDown() override {
    build_.reset();
    CloseDatabase();
  }

  // Statements of one connection each, committed at once. Rows of a table without a primary key are
  // found by their ids, which are counted from 1 on.
  void Change(const std::string& before, const std::string& after, uint64_t hidden_id = 0) {
    access_->Bind(Started(), {.lock = true, .mode = txn::LockMode::kExclusive});
    access_->SetWantedColumns(codec::ColumnSet::All(3));
    size_t duplicate = 0;
    bool changed = false;
    if (!before.empty()) Find(before, hidden_id);
    if (before.empty()) {
      ASSERT_TRUE(access_->writer().Insert(Record(after).data(), &duplicate).ok()) << after;
    } else if (after.empty()) {
      ASSERT_TRUE(access_->writer().Delete(Record(before).data()).ok()) << before;
    } else {
      ASSERT_TRUE(access_->writer()
                      .Update(Record(before).data(), Record(after).data(), &duplicate, &changed)
                      .ok());
    }
    Commit();
  }
  std::vector<uint8_t> Record(const std::string& row) { return described_->Record(row); }

  bool hidden_ = false;
  bool reverse_ = false;
  Lines lines_;
  std::unique_ptr<test::TestTable> target_;
  std::unique_ptr<SameColumns> conversion_;
  std::unique_ptr<IndexBuild> build_;
  Steps steps_;

 private:
  txn::Transaction* Started() {
    if (!transaction_->active()) transaction_->Begin({});
    return transaction_.get();
  }
  void Find(const std::string& row, uint64_t hidden_id) {
    access_->reader().SetKey(EntryOf(table_->primary_position(), row, hidden_id).key);
  }
};

const Lines kRows = {"1,10,'one'", "2,20,'Two'", "3,30,NULL", "4,40,'four  '"};

TEST_F(TableRebuildTest, AnotherPrimaryKey) {
  for (const bool reverse : {false, true}) {
    MakeTable({kByA, "index 101 b unique"}, kRows, reverse);
    const IndexId old = table_->primary().id;
    Begin({kByB, "index 101 c", "index 102 a unique"});
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    EXPECT_EQ(build_->rows(), 4u);
    Change("", "5,50,'five'");
    Change("1,10,'one'", "1,11,'eins'");  // its new primary key
    Change("2,20,'Two'", "7,20,'zwei'");  // its old one
    Change("3,30,NULL", "");
    Change("4,40,'four  '", "4,40,'vier'");
    EXPECT_EQ(Apply(), 5u);
    EXPECT_EQ(Apply(), 0u);
    ASSERT_EQ(build_->Complete().ToString(), "ok");
    Take();
    EXPECT_NE(table_->primary().id, old);
    ExpectWhole(4);
    Change("4,40,'vier'", "");
    Change("", "8,40,'again'");
    ExpectWhole(4);
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

// All entries of a row go with it: also of one that waits for a key, and of one that takes its
// place. Rows that keep their order get blocks of words; by b the last one comes before others.
TEST_F(TableRebuildTest, WordsOfRowsThatAreWrittenAnew) {
  const std::string words = "index 101 c full_text version=16";
  for (const auto& [reverse, primary] : std::vector<std::pair<bool, std::string>>{
           {false, kByA}, {false, kByB}, {true, kByA}, {true, kByB}}) {
    SCOPED_TRACE(primary + (reverse ? " in reverse" : ""));
    MakeTable({kByA, words}, kRows, reverse);
    Insert({"6,15,'two sixes'"});
    Begin({primary, words, "index 102 c full_text version=16", "index 103 a"});
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    EXPECT_EQ(RowsInBlocks(1), primary == kByA ? 5u : 4u);
    EXPECT_EQ(RowsInBlocks(2), RowsInBlocks(1));
    Change("", "5,10,'five for one'");  // the key of the first row, by b
    Change("2,20,'Two'", "2,20,'two and three'");
    EXPECT_EQ(Apply(), 2u);
    Change("1,10,'one'", "1,11,'one eins one'");
    Change("3,30,NULL", "3,30,'drei'");
    Change("4,40,'four  '", "");
    ASSERT_EQ(build_->Complete().ToString(), "ok");
    EXPECT_EQ(RowsInBlocks(1), primary == kByA ? 1u : 0u);
    Take();
    ExpectWhole(5);
    Change("2,20,'two and three'", "");
    Change("6,15,'two sixes'", "6,16,'six'");
    ExpectWhole(4);
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

TEST_F(TableRebuildTest, ATableWithoutPrimaryKeyGetsOne) {
  MakeTable({"index 101 c", kHidden}, kRows);
  Begin({kByA, "index 101 c"});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  Change("", "5,50,'five'");
  Change("3,30,NULL", "3,31,'drei'", 3);
  Change("1,10,'one'", "", 1);
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  Take();
  ExpectWhole(4);
}

TEST_F(TableRebuildTest, HiddenIdsStay) {
  MakeTable({"index 101 c", kHidden}, kRows);
  Begin({"index 101 b", "index 102 c", "index 103 c full_text version=16", kHidden});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  Change("", "5,50,'five'");
  Change("3,30,NULL", "3,31,'drei'", 3);
  Change("1,10,'one'", "", 1);
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  Take();
  ExpectWhole(4);
  EXPECT_EQ(table_->counters().hidden_id(), 6u);
}

// The log has the row that gets a key in front of the one that gives it up, or both have it for a
// while.
TEST_F(TableRebuildTest, ANewKeyThatIsDoubleForAWhile) {
  MakeTable({kByA, "index 101 c"}, kRows);
  Begin({kByB, "index 101 c", "index 102 a unique"});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  Change("1,10,'one'", "1,20,'one'");
  Change("", "9,20,'nine'");
  EXPECT_EQ(Apply(), 2u);  // three rows have 20
  Change("9,20,'nine'", "9,20,'neun'");
  Change("2,20,'Two'", "2,10,'Two'");
  EXPECT_EQ(Apply(), 2u);
  Change("9,20,'neun'", "");
  Change("2,10,'Two'", "2,30,'Two'");
  Change("3,30,NULL", "");
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  Take();
  ExpectWhole(3);
}

TEST_F(TableRebuildTest, RowsThatDifferInNothingButTheOldKey) {
  MakeTable({"index 101 c", kHidden}, {"1,1,'x'", "2,2,'y'"});
  Begin({kByA, "index 101 c"});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  Change("", "1,1,'x'");
  EXPECT_EQ(Apply(), 1u);
  Change("1,1,'x'", "", 1);
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  Take();
  ExpectWhole(2);
}

TEST_F(TableRebuildTest, DuplicatesInTheRows) {
  MakeTable({kByA}, {"1,10,'a'", "2,20,'b'", "3,10,'c'"});
  Begin({kByB});
  ASSERT_EQ(build_->Fill().code(), Code::kDuplicateKey);
  EXPECT_EQ(build_->duplicate_position(), 0u);
  std::vector<uint8_t> record(target_->descriptor().record_length);
  ASSERT_EQ(build_->ReadDuplicate(record.data()).ToString(), "ok");
  EXPECT_EQ(target_->Show(record.data(), 1), std::string("\x0a\0\0\0", 4));
  GiveUp();
  Begin({kByA, "index 101 c", "index 102 b unique"});
  ASSERT_EQ(build_->Fill().code(), Code::kDuplicateKey);
  EXPECT_EQ(build_->duplicate_position(), 2u);
  ASSERT_EQ(build_->ReadDuplicate(record.data()).ToString(), "ok");
  EXPECT_EQ(target_->Show(record.data(), 1), std::string("\x0a\0\0\0", 4));
  GiveUp();
  ExpectWhole(3);
}

TEST_F(TableRebuildTest, DuplicatesInTheChanges) {
  MakeTable({kByA}, kRows);
  for (const bool primary : {true, false}) {
    Begin({primary ? kByB : kByA, primary ? "index 101 a" : "index 101 b unique"});
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    Change("", "9,20,'nine'");
    ASSERT_EQ(build_->Complete().code(), Code::kDuplicateKey);
    EXPECT_EQ(build_->duplicate_position(), primary ? 0u : 1u);
    std::vector<uint8_t> record(target_->descriptor().record_length);
    ASSERT_EQ(build_->ReadDuplicate(record.data()).ToString(), "ok");
    EXPECT_EQ(target_->Show(record.data(), 1), std::string("\x14\0\0\0", 4));
    Change("9,20,'nine'", "");
    GiveUp();
    ExpectWhole(4);
  }
}

TEST_F(TableRebuildTest, MoreDoubleRowsThanAreKept) {
  MakeTable({kByA}, {"0,7,'x'"});
  Begin({kByB});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  Lines rows;
  for (int i = 1; i <= 10'001; ++i) rows.push_back(std::to_string(i) + ",7,'x'");
  Insert(rows);
  uint64_t applied = 0;
  EXPECT_EQ(build_->ApplyChanges(&applied).code(), Code::kDuplicateKey);
  std::vector<uint8_t> record(target_->descriptor().record_length);
  ASSERT_EQ(build_->ReadDuplicate(record.data()).ToString(), "ok");
  EXPECT_EQ(target_->Show(record.data(), 1), std::string("\x07\0\0\0", 4));
  GiveUp();
}

TEST_F(TableRebuildTest, ARowThatCannotBeConverted) {
  MakeTable({kByA}, kRows);
  Begin({kByB});
  conversion_->fail_at = 3;
  EXPECT_EQ(build_->Fill().code(), Code::kInvalidArgument);
  GiveUp();
  Begin({kByB});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  Change("", "9,90,'nine'");
  conversion_->fail_at = conversion_->rows + 1;
  uint64_t applied = 0;
  EXPECT_EQ(build_->ApplyChanges(&applied).code(), Code::kInvalidArgument);
  GiveUp();
  ExpectWhole(5);
}

// A snapshot that is older than the rows of now does not see the table at all.
TEST_F(TableRebuildTest, OldSnapshots) {
  MakeTable({kByA}, kRows);
  EXPECT_EQ(table_->readable_from(), database_->catalog()->visibility().ReadableFrom("d.t"));
  const uint64_t before = table_->readable_from();
  Begin({kByA});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  Take();
  EXPECT_GT(table_->readable_from(), before);
  ExpectWhole(4);
}

TEST_F(TableRebuildTest, ACrashLeavesNothing) {
  MakeTable({kByA}, kRows);
  const Lines lines = TableOf({kByA});
  Begin({kByB, "index 101 c"});
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  Change("", "9,90,'nine'");
  Apply();
  build_.reset();
  CloseDatabase();
  Open();
  OpenTable("d.t", lines);
  ExpectWhole(5);
  ASSERT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
  EXPECT_THAT(database_->catalog()->dropped_indexes().All(), IsEmpty());
}

// Values of the new key change hands all the time, in transactions of one row each; in the end each
// has one owner.
TEST_F(TableRebuildTest, KeysThatChangeHands) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    constexpr int kCount = 60;
    std::map<int, int> key_of;  // by the old key
    Lines rows;
    const auto row = [](int a, int b) {
      return std::to_string(a) + "," + std::to_string(b) + ",'t" + std::to_string(b % 3) + "'";
    };
    for (int i = 0; i < kCount; ++i) rows.push_back(row(i, key_of[i] = i));
    MakeTable({kByA, "index 101 c"}, rows, seed == 2);
    Begin({kByB, "index 101 c", "index 102 a unique"});
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    for (int step = 0; step < 2000; ++step) {
      const int a = static_cast<int>(random() % kCount);
      const int b = static_cast<int>(random() % kCount);
      const auto known = key_of.find(a);
      if (known == key_of.end()) {
        Change("", row(a, key_of[a] = b));
      } else if (random() % 5 == 0) {
        Change(row(a, known->second), "");
        key_of.erase(known);
      } else if (known->second != b) {
        Change(row(a, known->second), row(a, b));
        known->second = b;
      }
      if (random() % 50 == 0) Apply();
    }
    std::map<int, int> owner;
    for (auto known = key_of.begin(); known != key_of.end();) {
      const auto [a, b] = *known;
      if (owner.emplace(b, a).second) {
        ++known;
        continue;
      }
      Change(row(a, b), "");
      known = key_of.erase(known);
    }
    ASSERT_EQ(build_->Complete().ToString(), "ok");
    Take();
    ExpectWhole(key_of.size());
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

}  // namespace
}  // namespace basalt::engine
