// SPDX-License-Identifier: GPL-2.0-only
//
// Indexes that are built while others write. What they hold in the end is compared with the rows,
// both ways.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <utility>

#include "engine/checks/table_check.h"
#include "engine/indexes/index_build.h"
#include "engine/loads/bulk_insert.h"
#include "unit/engine/damage_fixture.h"
#include "unit/engine/entries_of_rows.h"

namespace basalt::engine {
namespace {

using testing::IsEmpty;

using Lines = std::vector<std::string>;

const Lines kTable = {"column a int", "column b int null", "column c varchar(20) letters_ci null",
                      "column d int", "primary 100 a",     "index 101 b"};
const std::string kByText = "index 102 c";
const std::string kUnique = "index 103 d unique";
const std::string kWords = "index 104 c full_text version=16";
const std::string kKeptWords = "index 106 c full_text version=16";
const std::string kSameWords = "index 105 c full_text version=16";

class Steps final : public TaskProgress {
 public:
  void NextStage() override { ++stages; }
  bool Report(uint64_t, uint64_t) override { return stages < stop_in_stage; }
  unsigned stages = 1;
  unsigned stop_in_stage = ~0u;
};

// One connection that writes.
class Writer {
 public:
  Writer(Database* database, std::shared_ptr<Table> table, test::TestTable* described)
      : described_(described),
        access_(table),
        transaction_(database->transactions()->NewTransaction()) {
    transaction_->Begin({});
  }
  ~Writer() { Rollback(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Insert(const std::string& row) {
    Bind();
    size_t duplicate = 0;
    ASSERT_EQ(access_.writer().Insert(described_->Record(row).data(), &duplicate).ToString(), "ok")
        << row;
  }
  void Update(const std::string& before, const std::string& after) {
    Find(before);
    size_t duplicate = 0;
    bool changed = false;
    ASSERT_EQ(access_.writer()
                  .Update(described_->Record(before).data(), described_->Record(after).data(),
                          &duplicate, &changed)
                  .ToString(),
              "ok");
  }
  void Delete(const std::string& row) {
    Find(row);
    ASSERT_EQ(access_.writer().Delete(described_->Record(row).data()).ToString(), "ok");
  }
  void Commit() {
    access_.Unbind();
    ASSERT_EQ(transaction_->Commit(txn::Durability::kWrite).ToString(), "ok");
    transaction_->Begin({});
  }
  void Rollback() {
    access_.Unbind();
    ASSERT_EQ(transaction_->Rollback().ToString(), "ok");
    transaction_->Begin({});
  }
  std::unique_ptr<txn::Transaction> Prepare(const std::string& name) {
    access_.Unbind();
    EXPECT_TRUE(transaction_->Prepare(name, txn::Durability::kWrite, true).ok());
    auto next = transaction_->manager()->NewTransaction();
    next->Begin({});
    std::swap(next, transaction_);
    return next;
  }
  txn::Transaction& transaction() { return *transaction_; }

 private:
  void Bind() {
    access_.Bind(transaction_.get(), {.lock = true, .mode = txn::LockMode::kExclusive});
    access_.SetWantedColumns(codec::ColumnSet::All(described_->descriptor().columns.size()));
  }
  void Find(const std::string& row) {
    Bind();
    const std::vector<uint8_t> record = described_->Record(row);
    access_.reader().SetKey(std::string(access_.RowKeyOf(record.data())));
  }

  test::TestTable* const described_;
  RowAccess access_;
  std::unique_ptr<txn::Transaction> transaction_;
};

class OnlineBuildTest : public DamageFixture {
 protected:
  void MakeTable(const Lines& rows, bool reverse = false) {
    reverse_ = reverse;
    Open();
    base_ = kTable;
    if (kept_words_) base_.push_back(kKeptWords);
    CreateTable("d.t", base_, reverse);
    Insert(rows);
  }
  std::unique_ptr<Writer> NewWriter() {
    return std::make_unique<Writer>(database_.get(), table_, described_.get());
  }
  Status Begin(const Lines& added) {
    lines_ = base_;
    lines_.insert(lines_.end(), added.begin(), added.end());
    target_ = std::make_unique<test::TestTable>(lines_, test::FakeCollationByName);
    codec::TableDescriptor target = target_->descriptor();
    target.name = "d.t";
    GiveWords(&target);
    std::vector<size_t> positions;
    std::vector<catalog::IndexRequest> requests;
    for (size_t i = 0; i < target.indexes.size(); ++i) {
      if (i < table_->index_count()) {
        target.indexes[i] = table_->descriptor().indexes[i];
        continue;
      }
      positions.push_back(i);
      requests.push_back(RequestOf(target.indexes[i]));
      requests.back().column_family = std::string(reverse_ ? "rev:" : "") + "n" + std::to_string(i);
    }
    IndexBuild::Options options;
    options.log_changes = true;
    build_ = std::make_unique<IndexBuild>(table_.get(), target, options, &steps_, nullptr);
    return build_->Begin(positions, requests);
  }
  uint64_t Apply() {
    uint64_t applied = 0;
    EXPECT_EQ(build_->ApplyChanges(&applied).ToString(), "ok");
    return applied;
  }
  void Take() {
    catalog::TableRecord record = *database_->catalog()->FindTable("d.t");
    for (const catalog::IndexRecord& index : build_->built()) record.indexes.push_back(index);
    ASSERT_EQ(database_->catalog()->ReplaceIndexes({record}).ToString(), "ok");
    ASSERT_EQ(build_->EndLog().ToString(), "ok");
    access_.reset();
    OpenTable("d.t", lines_);
  }
  Lines Check() {
    Steps steps;
    return CheckExtended(&steps);
  }
  // Nothing but what the table has.
  void ExpectNothingLeft() {
    ASSERT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
    EXPECT_THAT(database_->catalog()->dropped_indexes().All(), IsEmpty());
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    std::unique_ptr<rocksdb::Iterator> entry(database_->store()->base()->NewIterator(options));
    entry->SeekToFirst();
    EXPECT_FALSE(entry->Valid()) << entry->key().ToString(true);  // of the log
    EXPECT_FALSE(table_->counters().change_log().is_open());
  }
  std::string Duplicate() {
    std::vector<uint8_t> record(target_->descriptor().record_length);
    EXPECT_EQ(build_->ReadDuplicate(record.data()).ToString(), "ok");
    int32_t value = 0;
    const std::string shown = target_->Show(record.data(), 3);
    EXPECT_EQ(shown.size(), sizeof value);
    std::memcpy(&value, shown.data(), std::min(shown.size(), sizeof value));
    return std::to_string(value);
  }

  // All that an index says, without its number.
  std::vector<std::pair<std::string, std::string>> EntriesOf(size_t index) {
    const auto reader = database_->transactions()->NewTransaction();
    reader->Begin({});
    return test::EntriesOfRows(*table_, index, reader.get());
  }

  bool reverse_ = false;
  bool kept_words_ = false;  // the table has a FULLTEXT index before any is built
  Lines base_;
  Lines lines_;
  std::unique_ptr<test::TestTable> target_;
  std::unique_ptr<IndexBuild> build_;
  Steps steps_;
};

const Lines kRows = {"1,10,'one',1", "2,NULL,'Two',2", "3,10,NULL,3", "4,-7,'four  ',4"};

TEST_F(OnlineBuildTest, ChangesOfEachKind) {
  for (const bool reverse : {false, true}) {
    MakeTable(kRows, reverse);
    ASSERT_EQ(Begin({kByText, kUnique, kWords, kSameWords}).ToString(), "ok");
    auto writer = NewWriter();
    writer->Insert("5,5,'five',5");
    writer->Update("1,10,'one',1", "1,10,'one or eins',11");
    writer->Update("2,NULL,'Two',2", "7,NULL,'Two',2");  // its primary key
    writer->Delete("3,10,NULL,3");
    writer->Commit();
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    EXPECT_EQ(build_->rows(), 4u);  // as they were in the beginning
    EXPECT_EQ(Apply(), 4u);
    EXPECT_EQ(Apply(), 0u);
    writer->Delete("5,5,'five',5");
    writer->Insert("5,5,'again',55");
    writer->Update("1,10,'one or eins',11", "1,10,'one',1");
    writer->Commit();
    ASSERT_EQ(build_->Complete().ToString(), "ok");
    writer.reset();
    Take();
    EXPECT_THAT(Check(), IsEmpty());
    EXPECT_EQ(rows_, 4u);
    ExpectNothingLeft();
    build_.reset();
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

TEST_F(OnlineBuildTest, WhatIsTakenBackIsNoChange) {
  MakeTable(kRows);
  ASSERT_EQ(Begin({kByText, kUnique}).ToString(), "ok");
  auto writer = NewWriter();
  writer->Insert("5,5,'five',5");
  txn::Transaction::Savepoint savepoint;
  ASSERT_TRUE(writer->transaction().SetSavepoint(&savepoint).ok());
  writer->Delete("5,5,'five',5");
  writer->Update("1,10,'one',1", "1,10,'uno',1");
  ASSERT_TRUE(writer->transaction().RollbackToSavepoint(savepoint).ok());
  auto other = NewWriter();
  other->Delete("2,NULL,'Two',2");
  other->Rollback();
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  EXPECT_EQ(Apply(), 0u);
  writer->Commit();
  EXPECT_EQ(Apply(), 1u);
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  writer.reset();
  other.reset();
  Take();
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(rows_, 5u);
  ExpectNothingLeft();
}

// Transactions of several connections overlap, and commit in another order than they write in.
TEST_F(OnlineBuildTest, ManyRandomTransactions) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937 random(seed);
    spill_bytes_ = seed % 2 == 0 ? 4096 : 32u << 20;
    std::map<int, std::string> rows;
    const auto new_row = [&](int key) {
      return std::to_string(key) + "," + std::to_string(random() % 50) + ",'word" +
             std::to_string(random() % 20) + " word" + std::to_string(random() % 5) + "'," +
             std::to_string(random() % 1000000000);
    };
    Lines first;
    for (int key = 0; key < 400; key += 2) first.push_back(rows[key] = new_row(key));
    MakeTable(first, seed > 2);
    ASSERT_EQ(Begin({kByText, kWords, kUnique}).ToString(), "ok");
    constexpr int kWriters = 4;
    std::vector<std::unique_ptr<Writer>> writers;
    std::vector<std::map<int, std::string>> pending(kWriters);  // "" deleted
    for (int i = 0; i < kWriters; ++i) writers.push_back(NewWriter());
    bool filled = false;
    for (int step = 0; step < 3000; ++step) {
      const int who = static_cast<int>(random() % kWriters);
      const int key = static_cast<int>(random() % 100) * kWriters + who;  // nobody else's
      auto& own = pending[who];
      const auto known = own.find(key);
      const auto committed = rows.find(key);
      const std::string now = known != own.end()        ? known->second
                              : committed != rows.end() ? committed->second
                                                        : "";
      if (now.empty()) {
        writers[who]->Insert(own[key] = new_row(key));
      } else if (random() % 3 == 0) {
        writers[who]->Delete(now);
        own[key].clear();
      } else {
        writers[who]->Update(now, own[key] = new_row(key));
      }
      if (random() % 12 == 0) {
        if (random() % 4 == 0) {
          writers[who]->Rollback();
        } else {
          writers[who]->Commit();
          for (const auto& [changed, row] : own) {
            if (row.empty())
              rows.erase(changed);
            else
              rows[changed] = row;
          }
        }
        own.clear();
      }
      if (step == 1000) {
        ASSERT_EQ(build_->Fill().ToString(), "ok");
        filled = true;
      }
      if (filled && random() % 100 == 0) Apply();
    }
    for (auto& writer : writers) writer->Rollback();
    ASSERT_EQ(build_->Complete().ToString(), "ok");
    writers.clear();
    Take();
    EXPECT_THAT(Check(), IsEmpty()) << seed;
    EXPECT_EQ(rows_, rows.size());
    ExpectNothingLeft();
    build_.reset();
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

// Each word of a row has an entry, and stays, comes or goes by itself.
TEST_F(OnlineBuildTest, BuiltWordsAreThoseThatWritersKeep) {
  for (const bool reverse : {false, true}) {
    kept_words_ = true;
    MakeTable(kRows, reverse);
    ASSERT_EQ(Begin({kByText, kWords}).ToString(), "ok");
    auto writer = NewWriter();
    writer->Update("1,10,'one',1", "1,10,'one by one',1");
    writer->Insert("5,5,'',5");
    writer->Commit();
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    writer->Update("1,10,'one by one',1", "1,10,'by one one',1");
    writer->Update("2,NULL,'Two',2", "2,NULL,'two three',2");
    writer->Update("3,10,NULL,3", "8,10,'three two one',3");
    writer->Delete("4,-7,'four  ',4");
    writer->Update("5,5,'',5", "5,6,NULL,5");
    writer->Commit();
    EXPECT_EQ(Apply(), 7u);
    writer->Update("2,NULL,'two three',2", "2,NULL,'the three',2");
    writer->Commit();
    ASSERT_EQ(build_->Complete().ToString(), "ok");
    writer.reset();
    const size_t built = table_->index_count() + 1;
    Take();
    EXPECT_EQ(EntriesOf(built), EntriesOf(2));
    EXPECT_EQ(EntriesOf(built).size(), 4u + 5u);
    EXPECT_THAT(Check(), IsEmpty());
    ExpectNothingLeft();
    build_.reset();
    ASSERT_TRUE(database_->catalog()->DropTable("d.t").ok());
    CloseDatabase();
  }
}

TEST_F(OnlineBuildTest, WordsOfRowsThatExpireAreRefused) {
  MakeTable(kRows);
  lines_ = kTable;
  lines_.push_back(kWords);
  codec::TableDescriptor target = test::TestTable(lines_, test::FakeCollationByName).descriptor();
  catalog::IndexRequest request = RequestOf(target.indexes.back());
  IndexBuild without_rules(table_.get(), target, {}, &steps_, nullptr);
  EXPECT_EQ(without_rules.Begin({2}, {request}).code(), Code::kInternal);
  GiveWords(&target);
  request.flags = catalog::kIndexHasTtl;
  IndexBuild expiring(table_.get(), target, {}, &steps_, nullptr);
  EXPECT_EQ(expiring.Begin({2}, {request}).code(), Code::kNotSupported);
}

// The optimizer is told of values by what files have. A few changes are not worth a file.
TEST_F(OnlineBuildTest, WhatManyWritersHaveChangedIsCounted) {
  Lines rows;
  for (int i = 0; i < 100; ++i) rows.push_back(std::to_string(i) + ",1,'x'," + std::to_string(i));
  MakeTable(rows);
  ASSERT_EQ(Begin({kByText}).ToString(), "ok");
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  const IndexId index = build_->built()[0].id;
  const auto counted = [&] {
    return database_->store()->index_statistics().StatisticsOf(index).rows;
  };
  auto writer = NewWriter();
  const auto change = [&](int first, int count) {
    for (int i = first; i < first + count; ++i) {
      const std::string key = std::to_string(i);
      writer->Update(key + ",1,'x'," + key, key + ",1,'new " + key + "'," + key);
    }
    writer->Commit();
    Apply();
  };
  bool written = true;
  change(0, 10);
  ASSERT_EQ(build_->FlushApplied(&written).ToString(), "ok");
  EXPECT_FALSE(written);
  EXPECT_EQ(counted(), 100);
  change(10, 50);
  ASSERT_EQ(build_->FlushApplied(&written).ToString(), "ok");
  EXPECT_TRUE(written);
  EXPECT_GE(counted(), 160);
  ASSERT_EQ(build_->FlushApplied(&written).ToString(), "ok");
  EXPECT_FALSE(written) << "nothing has been applied since";
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  writer.reset();
  Take();
  EXPECT_THAT(Check(), IsEmpty());
}

// The next pass begins behind what is decided, and not behind what another still has to commit.
TEST_F(OnlineBuildTest, AnEarlyChangeThatIsCommittedLate) {
  MakeTable(kRows);
  ASSERT_EQ(Begin({kByText}).ToString(), "ok");
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  auto early = NewWriter();
  auto late = NewWriter();
  early->Update("1,10,'one',1", "1,10,'eins',1");
  for (int i = 10; i < 20; ++i) {
    const std::string key = std::to_string(i);
    late->Insert(key + ",1,'x'," + key);
    late->Commit();
    EXPECT_EQ(Apply(), 1u);
  }
  early->Commit();
  EXPECT_EQ(Apply(), 1u);
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  early.reset();
  late.reset();
  Take();
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(OnlineBuildTest, DuplicatesFromRowsAndFromChanges) {
  MakeTable(kRows);
  for (const bool both_are_changes : {false, true}) {
    ASSERT_EQ(Begin({kByText, kUnique}).ToString(), "ok");
    auto writer = NewWriter();
    const std::string value = both_are_changes ? "77" : "2";
    if (both_are_changes) writer->Insert("10,1,'x',77");
    writer->Insert("11,1,'y'," + value);
    writer->Commit();
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    Apply();
    ASSERT_EQ(build_->Complete().code(), Code::kDuplicateKey);
    EXPECT_EQ(build_->duplicate_position(), 3u);
    EXPECT_EQ(Duplicate(), value);
    writer->Delete("11,1,'y'," + value);
    if (both_are_changes) writer->Delete("10,1,'x',77");
    writer->Commit();
    writer.reset();
    ASSERT_EQ(build_->Abort().ToString(), "ok");
    ExpectNothingLeft();
    EXPECT_THAT(Check(), IsEmpty());
  }
}

TEST_F(OnlineBuildTest, ADuplicateThatCameAndWent) {
  MakeTable(kRows);
  ASSERT_EQ(Begin({kByText, kUnique}).ToString(), "ok");
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  auto writer = NewWriter();
  writer->Insert("10,1,'x',2");
  writer->Commit();
  Apply();
  writer->Update("10,1,'x',2", "10,1,'x',20");
  writer->Insert("11,1,'x',3");
  writer->Commit();
  Apply();
  writer->Delete("3,10,NULL,3");
  writer->Commit();
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  writer.reset();
  Take();
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(OnlineBuildTest, MoreDuplicatesThanAreKept) {
  constexpr int kPairs = 10'050;
  Lines rows;
  for (int i = 0; i < kPairs; ++i) {
    const std::string key = std::to_string(i);
    rows.push_back(key + ",1,NULL," + key);
  }
  MakeTable(rows);
  for (const bool stays : {false, true}) {
    ASSERT_EQ(Begin({kUnique}).ToString(), "ok");
    ASSERT_EQ(build_->Fill().ToString(), "ok");
    auto writer = NewWriter();
    const auto row = [](int i) {
      return std::to_string(100000 + i) + ",1,NULL," + std::to_string(i);
    };
    for (int i = 0; i < kPairs; ++i) writer->Insert(row(i));
    writer->Commit();
    Apply();
    for (int i = 0; i < kPairs - (stays ? 1 : 0); ++i) writer->Delete(row(i));
    writer->Commit();
    const Status status = build_->Complete();
    EXPECT_EQ(status.code(), stays ? Code::kDuplicateKey : Code::kOk) << status.ToString();
    if (stays) {
      EXPECT_EQ(Duplicate(), std::to_string(kPairs - 1));
    }
    writer.reset();
    ASSERT_EQ(build_->Abort().ToString(), "ok");
    ExpectNothingLeft();
  }
}

TEST_F(OnlineBuildTest, KilledWhileChangesAreApplied) {
  MakeTable(kRows);
  ASSERT_EQ(Begin({kByText}).ToString(), "ok");
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  auto writer = NewWriter();
  for (int i = 10; i < 3000; ++i) {
    const std::string key = std::to_string(i);
    writer->Insert(key + ",1,'x'," + key);
  }
  writer->Commit();
  writer.reset();
  steps_.stop_in_stage = steps_.stages + 1;
  uint64_t applied = 0;
  EXPECT_EQ(build_->ApplyChanges(&applied).code(), Code::kInterrupted);
  ASSERT_EQ(build_->Abort().ToString(), "ok");
  ExpectNothingLeft();
  EXPECT_THAT(Check(), IsEmpty());
}

// A log is not given to the reclaimer while somebody may still commit entries of it.
TEST_F(OnlineBuildTest, AnAbortBesideWriters) {
  MakeTable(kRows);
  ASSERT_EQ(Begin({kByText}).ToString(), "ok");
  auto writer = NewWriter();
  writer->Insert("5,5,'five',5");
  ASSERT_EQ(build_->Abort().ToString(), "ok");
  EXPECT_FALSE(table_->counters().change_log().is_open());
  EXPECT_EQ(database_->catalog()->dropped_indexes().All().size(), 1u);  // not the log
  ASSERT_EQ(database_->closed_logs()->Tick().ToString(), "ok");
  EXPECT_EQ(database_->catalog()->dropped_indexes().All().size(), 1u);
  writer->Commit();
  ASSERT_EQ(database_->closed_logs()->Tick().ToString(), "ok");
  EXPECT_EQ(database_->catalog()->dropped_indexes().All().size(), 2u);
  ExpectNothingLeft();
}

TEST_F(OnlineBuildTest, PreparedAcrossTheEnd) {
  MakeTable(kRows);
  ASSERT_EQ(Begin({kByText}).ToString(), "ok");
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  auto writer = NewWriter();
  writer->Insert("5,5,'five',5");
  database_->transactions()->Detach(writer->Prepare("one"));
  Apply();
  EXPECT_EQ(build_->Complete().code(), Code::kLockBusy);
  ASSERT_TRUE(database_->transactions()->CommitDetached("one", txn::Durability::kWrite).ok());
  EXPECT_THAT(database_->catalog()->dropped_indexes().All(), IsEmpty()) << "the log is needed";
  ASSERT_EQ(build_->Complete().ToString(), "ok");
  writer.reset();
  Take();
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(rows_, 5u);
}

TEST_F(OnlineBuildTest, PreparedAcrossACrash) {
  MakeTable(kRows);
  ASSERT_EQ(Begin({kByText}).ToString(), "ok");
  ASSERT_EQ(build_->Fill().ToString(), "ok");
  auto writer = NewWriter();
  writer->Insert("5,5,'five',5");
  database_->transactions()->Detach(writer->Prepare("one"));
  writer.reset();
  build_.reset();
  CloseDatabase();
  Open();
  EXPECT_EQ(database_->catalog()->dropped_indexes().All().size(), 2u);
  ASSERT_TRUE(database_->reclaimer()->ReclaimAll().ok());
  ASSERT_TRUE(database_->transactions()->CommitDetached("one", txn::Durability::kWrite).ok());
  OpenTable("d.t", kTable);
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(rows_, 5u);
  ExpectNothingLeft();
}

TEST_F(OnlineBuildTest, NothingIsLoadedBesideIt) {
  MakeTable(kRows);
  EXPECT_TRUE(BulkInsert::IsPossible(*table_));
  ASSERT_EQ(Begin({kByText}).ToString(), "ok");
  EXPECT_FALSE(BulkInsert::IsPossible(*table_));
  ASSERT_EQ(build_->Abort().ToString(), "ok");
  EXPECT_TRUE(BulkInsert::IsPossible(*table_));
}

}  // namespace
}  // namespace basalt::engine
