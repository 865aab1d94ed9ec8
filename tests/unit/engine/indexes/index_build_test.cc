// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/index_build.h"

#include <gmock/gmock.h>

#include "engine/checks/table_check.h"
#include "store/reports/dividing_keys.h"
#include "unit/engine/damage_fixture.h"

namespace basalt::engine {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

using Lines = std::vector<std::string>;

const Lines kTable = {"column a int", "column b int null", "column c varchar(20) letters_ci null",
                      "column d int", "primary 100 a",     "index 101 b"};
const std::string kByText = "index 102 c";
const std::string kUnique = "index 103 d unique";
const Lines kRows = {"1,10,'one',1", "2,NULL,'Two',2", "3,10,NULL,3", "4,-7,'four  ',4"};

class Steps final : public TaskProgress {
 public:
  void NextStage() override { ++stages; }
  bool Report(uint64_t, uint64_t) override { return stages < stop_in_stage; }
  unsigned stages = 1;
  unsigned stop_in_stage = ~0u;
};

class IndexBuildTest : public DamageFixture {
 protected:
  void MakeTable(const Lines& rows = kRows, bool reverse = false) {
    reverse_ = reverse;
    Open();
    CreateTable("d.t", kTable, reverse);
    Insert(rows);
  }
  static Lines ManyRows(int last) {
    Lines rows;
    for (int i = 100; i < last; ++i) {
      rows.push_back(std::to_string(i) + "," + std::to_string(i * 7919 % 1000) + ",'row " +
                     std::to_string(i % 97) + "'," + std::to_string((i * 7919) % 100003));
    }
    return rows;
  }
  // The same rows in several files, so that several threads read them.
  void MakeTableInFiles(const Lines& rows, bool reverse = false) {
    MakeTable({}, reverse);
    rocksdb::DB* db = database_->store()->base();
    ASSERT_TRUE(
        db->SetOptions(table_->primary().family, {{"disable_auto_compactions", "true"}}).ok());
    constexpr size_t kFiles = 3;
    for (size_t file = 0; file < kFiles; ++file) {
      const auto begin = rows.begin() + static_cast<ptrdiff_t>(rows.size() * file / kFiles);
      const auto end = rows.begin() + static_cast<ptrdiff_t>(rows.size() * (file + 1) / kFiles);
      Insert(Lines(begin, end));
      ASSERT_TRUE(database_->store()->flushes().Flush().ok());
    }
    EXPECT_FALSE(
        store::DividingKeys(db, table_->primary().family, table_->primary().id, 2).empty());
  }
  // The table with these indexes besides.
  void Describe(const Lines& added) {
    lines_ = kTable;
    lines_.insert(lines_.end(), added.begin(), added.end());
    target_ = std::make_unique<test::TestTable>(lines_, test::FakeCollationByName);
  }
  Status Build(const Lines& added, IndexBuild::Options options = {}) {
    Describe(added);
    codec::TableDescriptor target = target_->descriptor();
    target.name = "d.t";
    std::vector<size_t> positions;
    std::vector<catalog::IndexRequest> requests;
    for (size_t i = 0; i < target.indexes.size(); ++i) {
      if (i < table_->index_count()) {
        target.indexes[i] = table_->descriptor().indexes[i];
        continue;
      }
      positions.push_back(i);
      requests.emplace_back();
      requests.back().column_family = std::string(reverse_ ? "rev:" : "") + "n" + std::to_string(i);
    }
    steps_.stages = 1;
    build_ = std::make_unique<IndexBuild>(table_.get(), target, options, &steps_, nullptr);
    BASALT_RETURN_IF_ERROR(build_->Begin(positions, requests));
    return build_->Fill();
  }
  void Take() {
    catalog::TableRecord record = *database_->catalog()->FindTable("d.t");
    for (const catalog::IndexRecord& index : build_->built()) record.indexes.push_back(index);
    ASSERT_EQ(database_->catalog()->ReplaceIndexes({record}).ToString(), "ok");
    access_.reset();
    OpenTable("d.t", lines_);
  }
  Lines Check() {
    Steps steps;
    return CheckExtended(&steps);
  }
  // The table with its new indexes is whole. It is gone afterwards, and the database is closed.
  void ExpectBuilt(uint64_t rows) {
    Take();
    EXPECT_THAT(Check(), IsEmpty());
    EXPECT_EQ(rows_, rows);
    EXPECT_EQ(IngestFiles(), 0u);
    build_.reset();
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
  size_t IngestFiles() const {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "store")) {
      if (entry.path().extension() == ".ingest") ++files;
    }
    return files;
  }
  void ExpectNothingLeft() {
    ASSERT_EQ(build_->Abort().ToString(), "ok");
    EXPECT_EQ(IngestFiles(), 0u);
    EXPECT_EQ(database_->catalog()->FindTable("d.t")->indexes.size(), 2u);
    EXPECT_FALSE(database_->catalog()->dropped_indexes().All().empty());
    ASSERT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
    EXPECT_THAT(Check(), IsEmpty());
  }

  bool reverse_ = false;
  Lines lines_;
  std::unique_ptr<test::TestTable> target_;
  std::unique_ptr<IndexBuild> build_;
  Steps steps_;
};

TEST_F(IndexBuildTest, SeveralAtOnce) {
  for (const bool reverse : {false, true}) {
    MakeTable(kRows, reverse);
    ASSERT_EQ(Build({kByText, kUnique}).ToString(), "ok");
    EXPECT_EQ(build_->rows(), 4u);
    Take();
    EXPECT_THAT(Check(), IsEmpty());
    EXPECT_EQ(rows_, 4u);
    Insert({"5,5,'five',5"});
    EXPECT_THAT(Check(), IsEmpty());
    build_.reset();
    CloseDatabase();
    Open();
    OpenTable("d.t", lines_);
    EXPECT_THAT(Check(), IsEmpty());
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

TEST_F(IndexBuildTest, MoreEntriesThanFitIntoMemory) {
  for (const bool reverse : {false, true}) {
    MakeTable(ManyRows(6000), reverse);
    IndexBuild::Options options;
    options.buffer_bytes = 32u << 10;
    ASSERT_EQ(Build({kByText, kUnique}, options).ToString(), "ok");
    ExpectBuilt(5900);
  }
}

TEST_F(IndexBuildTest, SeveralThreadsReadRows) {
  for (const bool reverse : {false, true}) {
    for (const size_t buffer_bytes : {size_t{64} << 20, size_t{32} << 10}) {
      MakeTableInFiles(ManyRows(6000), reverse);
      IndexBuild::Options options;
      options.buffer_bytes = buffer_bytes;
      const uint64_t before = steps_.work().rows_read.sum();
      ASSERT_EQ(Build({kByText, kUnique}, options).ToString(), "ok");
      EXPECT_EQ(build_->rows(), 5900u);
      EXPECT_EQ(steps_.work().rows_read.sum() - before, 5900u);
      ExpectBuilt(5900);
    }
  }
}

TEST_F(IndexBuildTest, WhatEndsOneOfSeveralThreadsEndsAll) {
  Lines rows = ManyRows(6000);
  rows.insert(rows.begin(), "50,1,'x',4711");  // read by another thread than the last one
  rows.push_back("9000,2,'y',4711");
  MakeTableInFiles(rows);
  IndexBuild::Options options;
  options.buffer_bytes = 32u << 10;
  ASSERT_EQ(Build({kByText, kUnique}, options).code(), Code::kDuplicateKey);
  EXPECT_EQ(build_->duplicate_position(), 3u);
  std::vector<uint8_t> record(target_->descriptor().record_length);
  ASSERT_EQ(build_->ReadDuplicate(record.data()).ToString(), "ok");
  EXPECT_THAT(target_->Show(record.data(), 2), AnyOf("x", "y"));
  ExpectNothingLeft();
  steps_.stop_in_stage = 1;
  EXPECT_EQ(Build({kByText}, options).code(), Code::kInterrupted);
  steps_.stop_in_stage = ~0u;
  ExpectNothingLeft();
  for (const char* row : {"60,9,'nine',9", "9001,9,'nine',9"}) {  // of the first part, of the last
    PutEntry(0, {EntryOf(0, row).key, "?"});
    const Status status = Build({kByText}, options);
    EXPECT_EQ(status.code(), Code::kCorruption);
    EXPECT_THAT(status.ToString(), HasSubstr("index PRIMARY, key "));
    ASSERT_TRUE(build_->Abort().ok());
  }
  options.skip_undecodable = true;
  EXPECT_TRUE(Build({kByText}, options).ok());
  EXPECT_EQ(build_->rows(), 5902u);
}

TEST_F(IndexBuildTest, AnEmptyTable) {
  MakeTable({});
  ASSERT_EQ(Build({kByText, kUnique}).ToString(), "ok");
  Take();
  EXPECT_THAT(Check(), IsEmpty());
  Insert(kRows);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexBuildTest, ADuplicateEndsIt) {
  for (const size_t buffer_bytes : {size_t{64} << 20, size_t{16} << 10}) {
    Lines rows = ManyRows(3000);
    rows.push_back("50,1,'x',4711");
    rows.push_back("9000,2,'y',4711");
    MakeTable(rows);
    IndexBuild::Options options;
    options.buffer_bytes = buffer_bytes;
    ASSERT_EQ(Build({kByText, kUnique}, options).code(), Code::kDuplicateKey);
    EXPECT_EQ(build_->duplicate_position(), 3u);
    std::vector<uint8_t> record(target_->descriptor().record_length);
    const std::vector<uint8_t> twice = target_->Record(rows.back());
    ASSERT_EQ(build_->ReadDuplicate(record.data()).ToString(), "ok");
    EXPECT_EQ(target_->Show(record.data(), 3), target_->Show(twice.data(), 3));
    EXPECT_THAT(target_->Show(record.data(), 2), AnyOf("x", "y"));
    ExpectNothingLeft();
    options.check_unique = false;
    EXPECT_TRUE(Build({kUnique}, options).ok());
    ExpectNothingLeft();
    build_.reset();
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

TEST_F(IndexBuildTest, NullsAreNoDuplicates) {
  MakeTable({"1,NULL,'a',1", "2,NULL,'a',2", "3,1,'a',3"});
  ASSERT_EQ(Build({"index 102 b unique"}).ToString(), "ok");
  Take();
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexBuildTest, KilledWhileReadingAndWhileMerging) {
  MakeTable(ManyRows(9000));
  IndexBuild::Options options;
  options.buffer_bytes = 32u << 10;
  for (const unsigned stage : {1u, 2u}) {
    steps_.stop_in_stage = stage;
    EXPECT_EQ(Build({kByText, kUnique}, options).code(), Code::kInterrupted);
    EXPECT_EQ(steps_.stages, stage);
    ExpectNothingLeft();
  }
}

TEST_F(IndexBuildTest, ARowThatCannotBeDecoded) {
  MakeTable();
  PutEntry(0, {EntryOf(0, "9,9,'nine',9").key, "?"});
  const Status status = Build({kByText});
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.ToString(), HasSubstr("index PRIMARY, key "));
  ASSERT_TRUE(build_->Abort().ok());
  EXPECT_TRUE(Build({kByText}, {.skip_undecodable = true}).ok());
  EXPECT_EQ(build_->rows(), 4u);
}

TEST_F(IndexBuildTest, WhatACrashLeavesIsDropped) {
  MakeTable();
  ASSERT_EQ(Build({kByText}).ToString(), "ok");
  build_.reset();
  CloseDatabase();
  Open();
  EXPECT_EQ(database_->catalog()->dropped_indexes().All().size(), 1u);
  ASSERT_TRUE(database_->reclaimer()->ReclaimAll().ok());
  OpenTable("d.t", kTable);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(IndexBuildTest, WhatIsCommittedIntoADroppedTableIsReclaimed) {
  MakeTable();
  Begin();
  size_t duplicate = 0;
  ASSERT_TRUE(access_->writer().Insert(described_->Record("7,7,'s',7").data(), &duplicate).ok());
  access_->Unbind();
  ASSERT_TRUE(transaction_->Prepare("late", txn::Durability::kWrite, true).ok());
  txn::TransactionManager* transactions = database_->transactions();
  const IndexId primary = table_->primary().id;
  EXPECT_TRUE(transactions->PreparedHasWritesOf(primary)) << "and has a connection";
  transactions->Detach(std::move(transaction_));
  transaction_ = transactions->NewTransaction();
  EXPECT_TRUE(transactions->PreparedHasWritesOf(primary));
  EXPECT_FALSE(transactions->PreparedHasWritesOf({primary.column_family, primary.number + 100}));
  ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
  ASSERT_TRUE(database_->reclaimer()->ReclaimAll().ok());
  ASSERT_TRUE(transactions->CommitDetached("late", txn::Durability::kWrite).ok());
  EXPECT_FALSE(transactions->PreparedHasWritesOf(primary));
  ASSERT_TRUE(database_->reclaimer()->ReclaimAll().ok());
  EXPECT_THAT(database_->catalog()->dropped_indexes().All(), IsEmpty());
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  std::unique_ptr<rocksdb::Iterator> entry(database_->store()->base()->NewIterator(options));
  entry->SeekToFirst();
  EXPECT_FALSE(entry->Valid()) << entry->key().ToString(true);
}

TEST_F(IndexBuildTest, APreparedTransactionIsNotLeftOut) {
  MakeTable();
  Begin();
  size_t duplicate = 0;
  ASSERT_TRUE(access_->writer().Insert(described_->Record("7,7,'s',7").data(), &duplicate).ok());
  access_->Unbind();
  ASSERT_TRUE(transaction_->Prepare("left", txn::Durability::kWrite, true).ok());
  database_->transactions()->Detach(std::move(transaction_));
  transaction_ = database_->transactions()->NewTransaction();
  EXPECT_EQ(Build({kByText}).code(), Code::kLockBusy);
  ASSERT_TRUE(build_->Abort().ok());
  ASSERT_TRUE(database_->transactions()->CommitDetached("left", txn::Durability::kWrite).ok());
  ASSERT_EQ(Build({kByText}).ToString(), "ok");
  Take();
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(rows_, 5u);
}

}  // namespace
}  // namespace basalt::engine
