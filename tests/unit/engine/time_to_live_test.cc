// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of a table with a time to live of an hour (EngineFixture); time is moved by the offsets that
// tests have.
#include <gtest/gtest.h>

#include <map>

#include "engine/checks/table_check.h"
#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

class NoProgress final : public TaskProgress {
 public:
  bool Report(uint64_t, uint64_t) override { return true; }
  void NextStage() override {}
};

class TimeToLiveTest : public EngineFixture {
 protected:
  static constexpr int kHour = 3600;

  void SetUp() override {
    Open();
    CreateTable(/*hidden=*/false, catalog::kIndexHasTtl);
  }
  void InsertAged(const Row& row, int seconds) {
    time_to_live_->stamp_offset = -seconds;
    EXPECT_EQ(Insert(row).ToString(), "ok");
    time_to_live_->stamp_offset = 0;
  }
  Code Read(int32_t id, Row* row = nullptr) {
    std::vector<uint8_t> record = Record({id, true, 0, ""});
    const std::string key(access_->RowKeyOf(record.data()));
    const Status read = access_->reader().Read(key, record.data());
    if (read.ok() && row != nullptr) *row = RowOf(record);
    return read.code();
  }
  // How many entries an index has for those who hide nothing: expired ones, too.
  size_t Entries(size_t index) {
    const auto reader = database_->transactions()->NewTransaction();
    reader->Begin({});
    size_t entries = 0;
    {
      IndexWalk walk(*table_, index, reader.get());
      while (walk.Next().ok()) ++entries;
    }
    EXPECT_TRUE(reader->Rollback().ok());
    return entries;
  }
  uint64_t StampOf(size_t index, size_t position) {
    const auto reader = database_->transactions()->NewTransaction();
    reader->Begin({});
    uint64_t stamp = 0;
    {
      IndexWalk walk(*table_, index, reader.get());
      for (size_t i = 0; i <= position; ++i) EXPECT_TRUE(walk.Next().ok());
      EXPECT_TRUE(codec::ReadTtl(walk.value(), &stamp));
    }
    EXPECT_TRUE(reader->Rollback().ok());
    return stamp;
  }
  void Compact() {
    ASSERT_TRUE(database_->store()->flushes().Flush().ok());
    ASSERT_EQ(database_->store()
                  ->compactions()
                  .Compact(database_->store()->default_column_family())
                  .ToString(),
              "ok");
  }
  std::vector<std::string> Check() {
    const auto reader = database_->transactions()->NewTransaction();
    reader->Begin({});
    NoProgress progress;
    TableCheck check(table_.get(), reader.get(), CheckDepth::kExtended, &progress, nullptr);
    EXPECT_TRUE(check.Run().ok());
    EXPECT_TRUE(reader->Rollback().ok());
    return check.findings().Lines();
  }
};

TEST_F(TimeToLiveTest, ExpiredRowsAreHiddenFromEveryRead) {
  Begin();
  InsertAged({1, false, 10, "one"}, kHour + 1);
  InsertAged({2, false, 20, "two"}, kHour - 60);
  Commit();
  Begin();
  EXPECT_EQ(Read(1), Code::kNotFound);
  EXPECT_EQ(Read(2), Code::kOk);
  std::vector<std::string> keys;
  for (const int32_t id : {1, 2}) {
    keys.emplace_back(access_->RowKeyOf(Record({id, true, 0, ""}).data()));
  }
  access_->FetchRows(keys, 2);
  std::vector<uint8_t> record(kRecordBytes);
  EXPECT_EQ(access_->TakeFetched(0, record.data()).code(), Code::kNotFound);
  EXPECT_EQ(access_->TakeFetched(1, record.data()).code(), Code::kOk);
  for (size_t index = 0; index < 3; ++index) {
    ASSERT_TRUE(access_->scan().BeginScan(index, false, true).ok());
    ASSERT_TRUE(access_->scan().SeekToEnd(Direction::kForward).ok());
    EXPECT_EQ(access_->scan().HasExpired(), index != table_->primary_position());
    EXPECT_EQ(access_->scan().ReadRow(record.data()).code(), Code::kNotFound);
    ASSERT_TRUE(access_->scan().Step(Direction::kForward).ok());
    EXPECT_EQ(access_->scan().ReadRow(record.data()).code(), Code::kOk);
    access_->scan().End();
  }
  EXPECT_GT(database_->store()->time_to_live()->hidden(), 0u);
  time_to_live_->hide_expired = false;
  EXPECT_EQ(Read(1), Code::kOk);
  Commit();
}

TEST_F(TimeToLiveTest, AnUpdateKeepsTheTimeStampInAllIndexes) {
  Begin();
  InsertAged({1, false, 10, "one"}, 600);
  Commit();
  const uint64_t stamp = StampOf(0, 0);
  Begin({.lock = true});
  ASSERT_EQ(Read(1), Code::kOk);
  size_t duplicate = 0;
  bool changed = false;
  ASSERT_TRUE(access_->writer()
                  .Update(Record({1, false, 10, "one"}).data(),
                          Record({5, false, 11, "one"}).data(), &duplicate, &changed)
                  .ok());
  EXPECT_TRUE(changed);
  Commit();
  for (size_t index = 0; index < 3; ++index) {
    EXPECT_EQ(Entries(index), 1u);
    EXPECT_EQ(StampOf(index, 0), stamp);
  }
}

TEST_F(TimeToLiveTest, AnInsertTakesThePlaceOfAnExpiredRow) {
  Begin();
  InsertAged({1, false, 10, "one"}, kHour);
  Commit();
  Begin();
  size_t duplicate = 0;
  EXPECT_TRUE(Insert({1, false, 11, "eins"}, &duplicate).ok());
  EXPECT_EQ(Insert({1, false, 12, "un"}, &duplicate).code(), Code::kDuplicateKey);
  // The value of the unique index is free as well.
  EXPECT_TRUE(Insert({2, false, 11, "one"}, &duplicate).ok());
  Commit();
  EXPECT_EQ(Entries(0), 2u);
  EXPECT_EQ(Entries(by_k()), 2u);
  EXPECT_EQ(Entries(by_name()), 2u);
  EXPECT_EQ(Check(), std::vector<std::string>());
}

TEST_F(TimeToLiveTest, CompactionsDropWhatNoSnapshotMaySee) {
  Begin();
  InsertAged({1, false, 10, "one"}, kHour + 10);
  InsertAged({2, false, 20, "two"}, 0);
  Commit();
  time_to_live_->drop_expired = false;
  Compact();
  EXPECT_EQ(Entries(0), 2u);
  time_to_live_->drop_expired = true;
  Compact();
  for (size_t index = 0; index < 3; ++index) EXPECT_EQ(Entries(index), 1u);
  EXPECT_EQ(database_->store()->time_to_live()->dropped(), 3u);
  // Deletions over what has been dropped meet no contradiction in later compactions.
  Begin();
  ASSERT_TRUE(Insert({1, false, 10, "one"}).ok());
  ASSERT_TRUE(access_->writer().Delete(Record({1, false, 10, "one"}).data()).ok());
  ASSERT_TRUE(access_->writer().Delete(Record({2, false, 20, "two"}).data()).ok());
  Commit();
  Compact();
  EXPECT_EQ(Check(), std::vector<std::string>());
}

// A compaction turns an expired entry into a deletion, which may stay in the files for long.
// Whether a removal of the same key that comes later fits to it shows when they meet.
TEST_F(TimeToLiveTest, RemovalsFitToWhatCompactionsLeave) {
  const rocksdb::Snapshot* old = database_->store()->base()->GetSnapshot();
  Begin();
  InsertAged({1, false, 10, "one"}, 2 * kHour);
  Commit();
  const rocksdb::Snapshot* young = database_->store()->base()->GetSnapshot();
  time_to_live_->compaction_offset = 1;
  Compact();
  time_to_live_->hide_expired = false;
  EXPECT_EQ(Entries(by_k()), 0u);
  Begin();
  ASSERT_TRUE(access_->writer().Delete(Record({1, false, 10, "one"}).data()).ok());
  Commit();
  Compact();
  database_->store()->base()->ReleaseSnapshot(old);
  database_->store()->base()->ReleaseSnapshot(young);
  Compact();
  Begin();
  ASSERT_TRUE(Insert({1, false, 10, "one"}).ok());
  Commit();
  Compact();
  EXPECT_EQ(Entries(by_k()), 1u);
  EXPECT_EQ(Check(), std::vector<std::string>());
}

TEST_F(TimeToLiveTest, AnOpenSnapshotHoldsCompactionsBack) {
  store::TimeToLive* shared = database_->store()->time_to_live();
  const rocksdb::Snapshot* snapshot = database_->store()->base()->GetSnapshot();
  const auto time = shared->CompactionTime();
  ASSERT_TRUE(time.has_value());
  EXPECT_LE(*time, static_cast<uint64_t>(snapshot->GetUnixTime()));
  database_->store()->base()->ReleaseSnapshot(snapshot);
  EXPECT_EQ(shared->latest_compaction_time(), *time);
}

TEST_F(TimeToLiveTest, CheckingPassesOverExpiredEntriesWhoseRowIsGone) {
  Begin();
  InsertAged({1, false, 10, "one"}, kHour + 10);
  InsertAged({2, false, 20, "two"}, 0);
  Commit();
  time_to_live_->spare_rows = true;
  Compact();
  EXPECT_EQ(Entries(0), 2u);
  EXPECT_EQ(Entries(by_k()), 1u);
  EXPECT_EQ(Check(), std::vector<std::string>());
  // The other way round: the row goes, its entries stay.
  Begin();
  InsertAged({3, false, 30, "three"}, kHour + 10);
  ASSERT_TRUE(transaction_->writes()
                  .Delete(table_->primary().family,
                          std::string(access_->RowKeyOf(Record({3, true, 0, ""}).data())))
                  .ok());
  Commit();
  EXPECT_EQ(Check(), std::vector<std::string>());
}

TEST_F(TimeToLiveTest, DamagedValuesAreKept) {
  Begin();
  ASSERT_TRUE(Insert({1, false, 10, "one"}).ok());
  const std::string key(access_->RowKeyOf(Record({2, true, 0, ""}).data()));
  ASSERT_TRUE(transaction_->writes().Put(table_->primary().family, key, Bytes("short", 5)).ok());
  Commit();
  time_to_live_->compaction_offset = kHour;
  Compact();
  EXPECT_EQ(Entries(0), 1u);
  Begin();
  EXPECT_EQ(Read(2), Code::kCorruption);
  Commit();
}

TEST(HasExpired, CountsWithoutOverflow) {
  EXPECT_FALSE(store::HasExpired(0, 0, 100));
  EXPECT_TRUE(store::HasExpired(0, 100, 100));
  EXPECT_FALSE(store::HasExpired(1, 100, 100));
  EXPECT_FALSE(store::HasExpired(UINT64_MAX, 1, 100));
  EXPECT_FALSE(store::HasExpired(5, UINT64_MAX, UINT64_MAX - 1));
  EXPECT_FALSE(store::ValueHasExpired(Bytes("\0\0\0\0\0\0\0", 7), 1, 100));
  EXPECT_TRUE(store::ValueHasExpired(Bytes("\0\0\0\0\0\0\0\1", 8), 1, 100));
}

}  // namespace
}  // namespace basalt::engine
