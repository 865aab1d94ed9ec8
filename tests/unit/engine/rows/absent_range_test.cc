// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/absent_range.h"

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <random>
#include <set>

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

constexpr int kRows = 2000;

class AbsentRangeTest : public EngineFixture {
 protected:
  void SetUp() override {
    Open();
    CreateTable(false);
  }
  Status Add(int id) { return Insert({id, true, 0, "row " + std::to_string(id)}); }
  // Every row that is not there yet goes in, the others are duplicates.
  void Mirror(int id) {
    const Code code = Add(id).code();
    ASSERT_EQ(code, present_.insert(id).second ? Code::kOk : Code::kDuplicateKey) << id;
  }
  // Commits a row in a transaction of its own.
  void AddByAnother(int id) {
    RowAccess access(table_);
    auto other = database_->transactions()->NewTransaction();
    other->Begin({});
    access.Bind(other.get(), {});
    size_t duplicate = 0;
    const Row row{id, true, 0, "other " + std::to_string(id)};
    ASSERT_EQ(access.writer().Insert(Record(row).data(), &duplicate).ToString(), "ok");
    access.Unbind();
    ASSERT_TRUE(other->Commit(txn::Durability::kWrite).ok());
  }
  // Reads of single keys from the store while `count` rows are added, the names' unique checks,
  // which scan, not among them.
  uint64_t LookUpsOf(int first, int count) {
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
    rocksdb::get_perf_context()->Reset();
    for (int id = first; id < first + count; ++id) EXPECT_TRUE(Add(id).ok());
    const uint64_t look_ups = rocksdb::get_perf_context()->get_from_memtable_count;
    rocksdb::SetPerfLevel(rocksdb::kDisable);
    return look_ups;
  }
  std::set<int> present_;
};

TEST_F(AbsentRangeTest, RowsInOrderNeedNoLookUpEach) {
  Begin();
  EXPECT_LT(LookUpsOf(1, kRows), 20u);
  Commit();
  Begin();
  EXPECT_LT(LookUpsOf(kRows + 1, kRows), 20u);
  EXPECT_EQ(Scan(table_->primary_position()).size(), 2u * kRows);
  Commit();
}

TEST_F(AbsentRangeTest, K1CommittedRowsAheadAreDuplicates) {
  Begin();
  for (int id = 100; id < 1000; id += 100) Mirror(id);
  Commit();
  Begin();
  for (int id = 1; id < 1200; ++id) Mirror(id);
  Commit();
}

TEST_F(AbsentRangeTest, K1OwnRowsAheadAndBehindAreDuplicates) {
  Begin();
  for (int id : {500, 700, 900}) Mirror(id);
  for (int id = 1; id < 1000; ++id) {
    Mirror(id);
    if (id % 50 == 0) Mirror(id);
    if (id % 70 == 0) Mirror(id - 40);
  }
  Commit();
}

TEST_F(AbsentRangeTest, K1RandomOrderWithRunsInIt) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Begin();
    for (int run = 0; run < 10; ++run) {
      int id = static_cast<int>(random() % 3000);
      for (int i = 0; i < 40; ++i) Mirror(id += static_cast<int>(random() % 3));
    }
    Commit();
  }
}

TEST_F(AbsentRangeTest, K2WhatOthersCommitInsideIsSeen) {
  Begin();
  for (int id = 1; id <= 100; ++id) Mirror(id);
  AddByAnother(150);
  present_.insert(150);
  for (int id = 101; id <= 200; ++id) Mirror(id);
  Commit();
}

TEST_F(AbsentRangeTest, K2AnotherHandlerOfTheTransactionWritesInside) {
  Begin();
  for (int id = 1; id <= 100; ++id) Mirror(id);
  RowAccess second(table_);
  second.Bind(transaction_.get(), {});
  size_t duplicate = 0;
  ASSERT_TRUE(second.writer().Insert(Record({150, true, 0, "second"}).data(), &duplicate).ok());
  second.Unbind();
  present_.insert(150);
  for (int id = 101; id <= 200; ++id) Mirror(id);
  Commit();
}

TEST_F(AbsentRangeTest, K2RowsThatWereTakenBackCanBeAddedAgain) {
  Begin();
  txn::Savepoint savepoint;
  for (int id = 1; id <= 100; ++id) Mirror(id);
  ASSERT_TRUE(transaction_->SetSavepoint(&savepoint).ok());
  for (int id = 101; id <= 200; ++id) Mirror(id);
  ASSERT_TRUE(transaction_->RollbackToSavepoint(savepoint).ok());
  for (int id = 101; id <= 200; ++id) present_.erase(id);
  for (int id = 300; id <= 400; ++id) Mirror(id);
  for (int id = 50; id <= 450; ++id) Mirror(id);
  Commit();
}

TEST_F(AbsentRangeTest, K1SpilledRowsAheadAreDuplicates) {
  access_.reset();
  table_.reset();
  transaction_.reset();
  database_.reset();
  spill_bytes_ = 4096;
  Open();
  OpenTable(false);
  Begin();
  for (int id : {500, 700, 900}) Mirror(id);
  for (int id = 1; id < 1000; ++id) Mirror(id);
  Commit();
}

TEST_F(AbsentRangeTest, K3SearchesAreFewWhereTheyDoNotPay) {
  txn::ViewStamp stamp;
  txn::WriteSet own(nullptr, {});
  AbsentRange gap;
  gap.Forget();
  int searches = 0;
  for (int row = 1; row <= 10'000; ++row) {
    const std::string key = std::to_string(10'000 + 2 * row);
    stamp.sequence = static_cast<uint64_t>(row);  // somebody commits before each row
    if (gap.Ask(key, stamp, own) == AbsentRange::Answer::kSearch) {
      ++searches;
      gap.NoteAbsent(stamp, "~");
    }
    gap.NoteAdded(key, own);
  }
  EXPECT_GT(searches, 10);
  EXPECT_LT(searches, 60);
}

}  // namespace
}  // namespace basalt::engine
