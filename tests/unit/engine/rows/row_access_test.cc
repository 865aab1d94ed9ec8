// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_access.h"

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <algorithm>

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

using Rows = std::vector<Row>;

class RowAccessTest : public EngineFixture, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Open();
    CreateTable(GetParam());
  }
  bool hidden() const { return GetParam(); }
  // The beginning of the keys of entries whose first part is that of `probe`.
  std::string PrefixIn(size_t index, const Row& probe) const {
    std::vector<uint8_t> key(table_->max_key_bytes());
    const codec::KeyCodec& codec = *table_->index(index).codec;
    return std::string(
        MakeBytes(key.data(), codec.EncodePrefix(Record(probe).data(), 1, key.data())));
  }
  std::string PrefixOfK(int32_t k) const { return PrefixIn(by_k(), {0, false, k, ""}); }
  // The row is found and its key remembered, as an UPDATE or DELETE does it.
  void FindByName(const std::string& name) {
    ASSERT_TRUE(access_->scan().BeginScan(by_name(), false, true).ok());
    std::vector<uint8_t> record(kRecordBytes);
    ASSERT_TRUE(access_->scan().Seek(PrefixIn(by_name(), {0, false, 0, name})).ok());
    ASSERT_TRUE(access_->scan().ReadRow(record.data()).ok());
    found_ = RowOf(record);
    ASSERT_EQ(found_.name, name);
    access_->scan().End();
  }
  void InsertThree() {
    Begin();
    ASSERT_TRUE(Insert({1, false, 30, "one"}).ok());
    ASSERT_TRUE(Insert({2, true, 0, "two"}).ok());
    ASSERT_TRUE(Insert({3, false, 10, "three"}).ok());
    Commit();
  }
  const Row one_{1, false, 30, "one"};
  const Row two_{2, true, 0, "two"};
  const Row three_{3, false, 10, "three"};
  Row found_;
  bool changed_ = false;
};

TEST_P(RowAccessTest, RowsComeBackThroughEveryIndexInBothDirections) {
  InsertThree();
  Begin();
  EXPECT_EQ(Scan(table_->primary_position()), (Rows{one_, two_, three_}));
  EXPECT_EQ(Scan(by_k()), (Rows{two_, three_, one_}));
  EXPECT_EQ(Scan(by_name()), (Rows{one_, three_, two_}));
  EXPECT_EQ(Scan(by_name(), Direction::kBackward), (Rows{two_, three_, one_}));
  Commit();
  Reopen();
  OpenTable(hidden());
  Begin();
  EXPECT_EQ(Scan(by_name()), (Rows{one_, three_, two_}));
  Commit();
}

TEST_P(RowAccessTest, OwnWritesAreSeenBeforeTheCommit) {
  Begin();
  ASSERT_TRUE(Insert(one_).ok());
  EXPECT_EQ(Scan(by_k()), Rows{one_});
  access_->Unbind();
  ASSERT_TRUE(transaction_->Rollback().ok());
  Begin();
  EXPECT_EQ(Scan(by_k()), Rows{});
  Commit();
}

TEST_P(RowAccessTest, ADuplicateNamesItsIndexAndLeavesNothing) {
  InsertThree();
  Begin();
  size_t duplicate = 99;
  EXPECT_EQ(Insert({4, false, 1, "two"}, &duplicate).code(), Code::kDuplicateKey);
  EXPECT_EQ(duplicate, by_name());
  if (!hidden()) {
    EXPECT_EQ(Insert({3, false, 1, "four"}, &duplicate).code(), Code::kDuplicateKey);
    EXPECT_EQ(duplicate, table_->primary_position());
  }
  EXPECT_EQ(Scan(by_k()).size(), 3u);
  Commit();
}

// T2 and T6 of transaction.h: nobody else gets the lock of a row from before it is written until
// its writes are there.
TEST_P(RowAccessTest, T2T6WhatIsWrittenIsLocked) {
  InsertThree();
  const auto other = database_->transactions()->NewTransaction();
  other->Begin({});
  const auto locked = [&](Bytes key) {
    const IndexId index = table_->primary().id;
    return other->locks()
               .Acquire(index, key, txn::LockMode::kShared, txn::LockWait::kNoWait)
               .code() == Code::kLockBusy;
  };
  ReadIntent intent;
  intent.lock = true;
  Begin(intent);
  std::vector<std::string> keys;
  const auto find = [&](const char* name) {
    FindByName(name);
    keys.emplace_back(access_->reader().key());
    EXPECT_TRUE(locked(keys.back())) << "before the write";
  };
  find("two");
  size_t duplicate = 0;
  const Row moved{hidden() ? 2 : 20, false, 5, "two"};
  ASSERT_TRUE(access_->writer()
                  .Update(Record(found_).data(), Record(moved).data(), &duplicate, &changed_)
                  .ok());
  find("three");
  ASSERT_TRUE(access_->writer().Delete(Record(found_).data()).ok());
  if (!hidden()) {  // the keys of new rows, which nobody has read
    ASSERT_TRUE(Insert({4, false, 40, "four"}).ok());
    keys.emplace_back(access_->RowKeyOf(Record({4, false, 40, "four"}).data()));
    keys.emplace_back(access_->RowKeyOf(Record(moved).data()));
  }
  for (const std::string& key : keys) EXPECT_TRUE(locked(key)) << "until the end";
  Commit();
  for (const std::string& key : keys) EXPECT_FALSE(locked(key));
  ASSERT_TRUE(other->Rollback().ok());
}

TEST_P(RowAccessTest, UpdatesMoveIndexEntries) {
  InsertThree();
  Begin();
  FindByName("three");
  const Row changed{3, true, 0, "drei"};
  size_t duplicate = 0;
  ASSERT_TRUE(access_->writer()
                  .Update(Record(found_).data(), Record(changed).data(), &duplicate, &changed_)
                  .ok());
  EXPECT_EQ(Scan(by_k()), (Rows{two_, changed, one_}));
  FindByName("one");
  EXPECT_EQ(
      access_->writer()
          .Update(Record(one_).data(), Record({1, false, 30, "two"}).data(), &duplicate, &changed_)
          .code(),
      Code::kDuplicateKey);
  EXPECT_EQ(duplicate, by_name());
  Commit();
  Begin();
  EXPECT_EQ(Scan(by_name()), (Rows{changed, one_, two_}));
  Commit();
}

TEST_P(RowAccessTest, AnUpdateThatChangesNothingWritesNothing) {
  InsertThree();
  Begin();
  FindByName("one");
  size_t duplicate = 0;
  ASSERT_TRUE(access_->writer()
                  .Update(Record(one_).data(), Record(one_).data(), &duplicate, &changed_)
                  .ok());
  EXPECT_FALSE(changed_);
  EXPECT_FALSE(transaction_->has_writes());
  Commit();
}

TEST_P(RowAccessTest, AnUpdateLeavesIndexesOfOtherColumnsAlone) {
  InsertThree();
  Begin();
  size_t duplicate = 0;
  const txn::WriteSet& written = transaction_->writes().logged();
  for (const Row& row : {one_, two_}) {  // with a value in k, and without
    FindByName(row.name);
    Row renamed = row;
    renamed.name += "!";
    const uint64_t before = written.operations();
    ASSERT_TRUE(access_->writer()
                    .Update(Record(row).data(), Record(renamed).data(), &duplicate, &changed_)
                    .ok());
    EXPECT_EQ(written.operations() - before, 3u);  // the row, and its entry in by_name
  }
  FindByName("three");
  Row without = three_;
  without.k_is_null = true;
  without.k = 0;
  const uint64_t before = written.operations();
  ASSERT_TRUE(access_->writer()
                  .Update(Record(three_).data(), Record(without).data(), &duplicate, &changed_)
                  .ok());
  EXPECT_EQ(written.operations() - before, 3u);  // the row, and its entry in by_k
  Commit();
  Begin();
  const Rows by_k_rows = Scan(by_k());
  ASSERT_EQ(by_k_rows.size(), 3u);
  EXPECT_EQ(by_k_rows[2].name, "one!");
  EXPECT_TRUE(by_k_rows[0].k_is_null && by_k_rows[1].k_is_null);
  Commit();
}

TEST_P(RowAccessTest, APrimaryKeyMayChange) {
  InsertThree();
  Begin();
  FindByName("two");
  const Row moved{9, true, 0, "two"};
  size_t duplicate = 0;
  ASSERT_TRUE(access_->writer()
                  .Update(Record(found_).data(), Record(moved).data(), &duplicate, &changed_)
                  .ok());
  Commit();
  Begin();
  EXPECT_EQ(Scan(by_k()), (Rows{moved, three_, one_}));
  EXPECT_EQ(Scan(table_->primary_position()).size(), 3u);
  Commit();
}

TEST_P(RowAccessTest, DeletesTakeEveryEntry) {
  InsertThree();
  Begin();
  FindByName("one");
  ASSERT_TRUE(access_->writer().Delete(Record(found_).data()).ok());
  Commit();
  Begin();
  EXPECT_EQ(Scan(by_k()), (Rows{two_, three_}));
  EXPECT_EQ(Scan(by_name()), (Rows{three_, two_}));
  EXPECT_EQ(Scan(table_->primary_position()), (Rows{two_, three_}));
  ASSERT_TRUE(Insert(one_).ok());
  Commit();
}

TEST_P(RowAccessTest, ALockingReadWaitsAndSeesTheLatest) {
  InsertThree();
  auto other = database_->transactions()->NewTransaction();
  other->Begin({});
  other->snapshot().ForReads();
  Begin({.lock = true});
  FindByName("one");
  size_t duplicate = 0;
  ASSERT_TRUE(
      access_->writer()
          .Update(Record(one_).data(), Record({1, false, 31, "one"}).data(), &duplicate, &changed_)
          .ok());
  RowAccess theirs(table_);
  theirs.Bind(other.get(), {.lock = true, .wait = txn::LockWait::kNoWait});
  theirs.SetWantedColumns(codec::ColumnSet::All(3));
  std::vector<uint8_t> record(kRecordBytes);
  const std::string key(access_->reader().key());
  EXPECT_EQ(theirs.reader().Read(key, record.data()).code(), Code::kLockBusy);
  Commit();
  ASSERT_TRUE(theirs.reader().Read(key, record.data()).ok());
  EXPECT_EQ(RowOf(record).k, 31) << "the snapshot is older, a locking read is not bound to it";
  theirs.set_intent({});
  ASSERT_TRUE(theirs.reader().Read(key, record.data()).ok());
  EXPECT_EQ(RowOf(record).k, 30) << "a plain read is";
  theirs.Unbind();
  ASSERT_TRUE(other->Rollback().ok());
}

TEST_P(RowAccessTest, ARowThatIsReadAloneNeedsNoSnapshot) {
  InsertThree();
  Begin({.lock = true});
  FindByName("one");
  const std::string key(access_->reader().key());
  Commit();
  Begin();
  std::vector<uint8_t> record(kRecordBytes);
  ASSERT_TRUE(access_->reader().Read(key, record.data(), /*alone=*/true).ok());
  EXPECT_EQ(RowOf(record), one_);
  EXPECT_FALSE(transaction_->snapshot().taken());
  ASSERT_TRUE(access_->reader().Read(key, record.data()).ok());
  EXPECT_TRUE(transaction_->snapshot().taken());
  Commit();
}

TEST_P(RowAccessTest, ARowThatIsReadAloneIsThatOfASnapshotThatIsThere) {
  InsertThree();
  auto other = database_->transactions()->NewTransaction();
  other->Begin({});
  other->snapshot().ForReads();
  Begin({.lock = true});
  FindByName("one");
  const std::string key(access_->reader().key());
  size_t duplicate = 0;
  ASSERT_TRUE(
      access_->writer()
          .Update(Record(one_).data(), Record({1, false, 31, "one"}).data(), &duplicate, &changed_)
          .ok());
  Commit();
  RowAccess theirs(table_);
  theirs.Bind(other.get(), {});
  theirs.SetWantedColumns(codec::ColumnSet::All(3));
  std::vector<uint8_t> record(kRecordBytes);
  ASSERT_TRUE(theirs.reader().Read(key, record.data(), /*alone=*/true).ok());
  EXPECT_EQ(RowOf(record).k, 30);
  theirs.Unbind();
  ASSERT_TRUE(other->Rollback().ok());
}

TEST_P(RowAccessTest, ALockingScanPassesOverRowsThatMovedAway) {
  InsertThree();
  Begin({.lock = true});
  ASSERT_TRUE(access_->scan().BeginScan(by_k(), false, true).ok());
  ASSERT_TRUE(access_->scan().SeekToEnd(Direction::kForward).ok());  // on two_
  // Somebody else moves row three to the end while the scan stands before it.
  auto other = database_->transactions()->NewTransaction();
  other->Begin({});
  RowAccess theirs(table_);
  theirs.Bind(other.get(), {});
  theirs.reader().SetKey(hidden() ? Bytes("\0\0\x01\x02\0\0\0\0\0\0\0\x03", 12) : Bytes());
  size_t duplicate = 0;
  ASSERT_TRUE(theirs.writer()
                  .Update(Record(three_).data(), Record({3, false, 99, "three"}).data(), &duplicate,
                          &changed_)
                  .ok());
  theirs.Unbind();
  ASSERT_TRUE(other->Commit(txn::Durability::kWrite).ok());
  std::vector<uint8_t> record(kRecordBytes);
  EXPECT_TRUE(access_->scan().ReadRow(record.data()).ok());
  ASSERT_TRUE(access_->scan().Step(Direction::kForward).ok());
  EXPECT_EQ(access_->scan().ReadRow(record.data()).code(), Code::kNotFound);
  ASSERT_TRUE(access_->scan().Step(Direction::kForward).ok());
  EXPECT_TRUE(access_->scan().ReadRow(record.data()).ok());
  EXPECT_EQ(RowOf(record), one_);
  Commit();
}

TEST_P(RowAccessTest, ManyRowsAtOnce) {
  InsertThree();
  Begin();
  std::vector<std::string> keys;
  for (const char* name : {"three", "one"}) {
    FindByName(name);
    keys.emplace_back(access_->reader().key());
  }
  keys.insert(keys.begin() + 1, keys[0] + "nothing here");
  access_->FetchRows(keys, keys.size());
  std::vector<uint8_t> record(kRecordBytes);
  EXPECT_TRUE(access_->TakeFetched(0, record.data()).ok());
  EXPECT_EQ(RowOf(record), three_);
  EXPECT_EQ(access_->TakeFetched(1, record.data()).code(), Code::kNotFound);
  EXPECT_TRUE(access_->TakeFetched(2, record.data()).ok());
  EXPECT_EQ(RowOf(record), one_);
  Commit();
}

TEST_P(RowAccessTest, EstimatesOfSmallRangesAreExact) {
  Begin();
  for (int32_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(Insert({i, false, i / 10, "row " + std::to_string(i)}).ok());
  }
  Commit();
  Begin();
  EXPECT_EQ(access_->EstimateRange(by_k(), PrefixOfK(3), PrefixOfK(5)), 20u);
  EXPECT_EQ(table_->statistics().Rows(), 200u);
  EXPECT_EQ(table_->statistics().RowsPerKey(by_k(), 1), 10.0);
  EXPECT_EQ(table_->statistics().RowsPerKey(by_name(), 1), 1.0);
  Commit();
}

TEST_P(RowAccessTest, AnEstimatedRangeIsReplayedUntilTheTransactionWrites) {
  InsertThree();
  Begin();
  const std::string from = PrefixOfK(5), to = PrefixOfK(90);
  const auto read_range = [&] {
    Rows rows;
    EXPECT_TRUE(access_->scan().BeginScan(by_k(), false, true).ok());
    std::vector<uint8_t> record(kRecordBytes);
    Status moved = access_->scan().SeekRange(from, to);
    for (; moved.ok() && access_->scan().entry_key() < to;
         moved = access_->scan().Step(Direction::kForward)) {
      EXPECT_TRUE(access_->scan().ReadRow(record.data()).ok());
      rows.push_back(RowOf(record));
    }
    access_->scan().End();
    return rows;
  };
  EXPECT_EQ(access_->EstimateRange(by_k(), from, to), 2u);
  EXPECT_EQ(read_range(), (Rows{three_, one_}));
  const Row four{4, false, 50, "four"};
  ASSERT_TRUE(Insert(four).ok());
  EXPECT_EQ(read_range(), (Rows{three_, one_, four}));
  EXPECT_EQ(access_->EstimateRange(by_k(), from, to), 3u);
  EXPECT_EQ(read_range(), (Rows{three_, one_, four}));
  Commit();
}

// Only a scan may pay for a long way through what was deleted a moment ago.
TEST_P(RowAccessTest, AnEstimateDoesNotWalkThroughManyDeletions) {
  constexpr int32_t kEntries = 50000;  // with their deletions more than is worth the way
  Begin();
  for (int32_t i = 0; i < kEntries; ++i) {
    ASSERT_TRUE(Insert({i, false, i, "row " + std::to_string(i)}).ok());
  }
  Commit();
  EXPECT_GT(table_->statistics().Rows(), 0u);
  Begin();
  for (int32_t i = 0; i < kEntries - 1; ++i) {
    FindByName("row " + std::to_string(i));
    ASSERT_TRUE(access_->writer().Delete(Record(found_).data()).ok());
  }
  Commit();
  Begin();
  const std::string from = PrefixOfK(0), to = PrefixOfK(kEntries);
  // The renewal of the statistics is not a part of each estimate.
  EXPECT_LE(table_->statistics().Rows(), uint64_t{kEntries});
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  EXPECT_LE(access_->EstimateRange(by_k(), from, to), uint64_t{kEntries});
  const rocksdb::PerfContext& passed = *rocksdb::get_perf_context();
  EXPECT_LT(passed.internal_key_skipped_count + passed.internal_delete_skipped_count, 8000u);
  rocksdb::SetPerfLevel(rocksdb::kDisable);
  EXPECT_EQ(Scan(by_k()), (Rows{{kEntries - 1, false, kEntries - 1, "row 49999"}}));
  Commit();
}

// Most of the index is dead, but nothing in the range: files do not tell where. What the estimate
// has counted does.
TEST_P(RowAccessTest, AnEstimateLearnsFromWhatItHasCounted) {
  constexpr int32_t kEntries = 24000;
  constexpr int32_t kDeleted = 18000;
  const auto flush = [this] { ASSERT_TRUE(database_->store()->flushes().Flush().ok()); };
  Begin();
  for (int32_t i = 0; i < kEntries; ++i) {
    ASSERT_TRUE(Insert({i, false, i, "row " + std::to_string(i)}).ok());
  }
  Commit();
  flush();
  Begin();
  for (int32_t i = 0; i < kDeleted; ++i) {
    FindByName("row " + std::to_string(i));
    ASSERT_TRUE(access_->writer().Delete(Record(found_).data()).ok());
  }
  Commit();
  flush();
  Begin();
  const auto live = static_cast<uint64_t>(kEntries - kDeleted);
  const uint64_t estimate =
      access_->EstimateRange(by_k(), PrefixOfK(kDeleted), PrefixOfK(kEntries));
  EXPECT_GE(estimate, live / 2);
  EXPECT_LE(estimate, live * 2);
  Commit();
}

// What of a large range is kept is read first; the scan goes on from there, and may turn round.
TEST_P(RowAccessTest, TheBeginningOfALargeRangeIsReplayed) {
  constexpr int32_t kEntries = 300;
  Begin();
  for (int32_t i = 0; i < kEntries; ++i) {
    ASSERT_TRUE(Insert({i, false, i, "row " + std::to_string(i)}).ok());
  }
  Commit();
  Begin();
  const std::string from = PrefixOfK(10), to = PrefixOfK(290);
  EXPECT_GE(access_->EstimateRange(by_k(), from, to), 128u);
  std::vector<uint8_t> record(kRecordBytes);
  const auto expect_row = [&](int32_t k) {
    ASSERT_TRUE(access_->scan().ReadRow(record.data()).ok());
    EXPECT_EQ(RowOf(record).k, k);
  };
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  ASSERT_TRUE(access_->scan().BeginScan(by_k(), false, true).ok());
  ASSERT_TRUE(access_->scan().SeekRange(from, to).ok());
  for (int32_t k = 10; k < 20; ++k) {
    expect_row(k);
    ASSERT_TRUE(access_->scan().Step(Direction::kForward).ok());
  }
  EXPECT_EQ(rocksdb::get_perf_context()->seek_on_memtable_count, 0u);
  rocksdb::SetPerfLevel(rocksdb::kDisable);
  for (int32_t k = 20; k < kEntries; ++k) {
    expect_row(k);
    EXPECT_EQ(access_->scan().Step(Direction::kForward).ok(), k + 1 < kEntries);
  }
  for (int32_t turn : {10, 15, 25, 26, 40}) {
    ASSERT_TRUE(access_->scan().SeekRange(from, to).ok());
    for (int32_t k = 10; k < turn; ++k) {
      ASSERT_TRUE(access_->scan().Step(Direction::kForward).ok());
    }
    ASSERT_TRUE(access_->scan().Step(Direction::kBackward).ok());
    expect_row(turn - 1);
  }
  access_->scan().End();
  Commit();
}

INSTANTIATE_TEST_SUITE_P(PrimaryKey, RowAccessTest, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "Hidden" : "Declared"; });

}  // namespace
}  // namespace basalt::engine
