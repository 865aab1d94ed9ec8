// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/temporary_tables.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::catalog {
namespace {

using Record = std::shared_ptr<const TableRecord>;

std::vector<IndexRecord> Indexes(const std::vector<IndexKind>& kinds) {
  std::vector<IndexRecord> indexes(kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) indexes[i].kind = kinds[i];
  return indexes;
}

const std::vector<IndexRecord> kTwoIndexes = Indexes({IndexKind::kPrimary, IndexKind::kSecondary});

class TemporaryTablesTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    tables_.reset();
    store_.reset();
    store::StoreOptions options;
    options.directory = directory_.path() + "/store";
    ASSERT_EQ(store::Store::Open(options, &store_).ToString(), "ok");
    tables_ = std::make_unique<TemporaryTables>(store_.get());
    ASSERT_EQ(tables_->Reset().ToString(), "ok");
  }

  rocksdb::ColumnFamilyHandle* family() {
    return store_->FindColumnFamily(std::string_view(TemporaryTables::kColumnFamilyName));
  }
  void PutRows(const TableRecord& table, int rows) {
    rocksdb::WriteBatch batch;
    for (const IndexRecord& index : table.indexes) {
      for (int i = 0; i < rows; ++i) {
        std::string key;
        AppendBigEndian32(&key, index.id.number);
        AppendBigEndian32(&key, static_cast<uint32_t>(i));
        ASSERT_TRUE(batch.Put(family(), key, "row").ok());
      }
    }
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    ASSERT_TRUE(store_->base()->Write(options, &batch).ok());
  }
  int CountRows() {
    const std::unique_ptr<rocksdb::Iterator> row(
        store_->base()->NewIterator(rocksdb::ReadOptions(), family()));
    int rows = 0;
    for (row->SeekToFirst(); row->Valid(); row->Next()) ++rows;
    return rows;
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<TemporaryTables> tables_;
};

TEST_F(TemporaryTablesTest, TheColumnFamilyComesWithTheFirstTable) {
  EXPECT_EQ(family(), nullptr);
  EXPECT_EQ(tables_->Find("/tmp/a"), nullptr);
  ASSERT_EQ(tables_->Create("/tmp/a", kTwoIndexes).ToString(), "ok");
  ASSERT_NE(family(), nullptr);
  EXPECT_TRUE(tables_->Holds(family()));
  EXPECT_FALSE(tables_->Holds(store_->default_column_family()));
}

TEST_F(TemporaryTablesTest, NamesAndNumbers) {
  ASSERT_TRUE(tables_->Create("/tmp/a", kTwoIndexes).ok());
  ASSERT_TRUE(tables_->Create("/tmp/b", Indexes({IndexKind::kHiddenPrimary})).ok());
  EXPECT_EQ(tables_->Create("/tmp/a", kTwoIndexes).code(), Code::kInvalidArgument);
  const Record a = tables_->Find("/tmp/a");
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->indexes.size(), 2u);
  EXPECT_EQ(a->indexes[1].id.number, a->indexes[0].id.number + 1);
  EXPECT_EQ(a->Primary(), &a->indexes[0]);
  EXPECT_NE(tables_->Find("/tmp/b")->indexes[0].id, a->indexes[0].id);
  Record dropped;
  ASSERT_TRUE(tables_->Drop("/tmp/a", &dropped).ok());
  EXPECT_EQ(dropped, a);
  EXPECT_EQ(tables_->Drop("/tmp/a", &dropped).code(), Code::kNotFound);
  EXPECT_EQ(tables_->Truncate("/tmp/a", &dropped).code(), Code::kNotFound);
}

TEST_F(TemporaryTablesTest, TruncateGivesNewNumbers) {
  ASSERT_TRUE(tables_->Create("/tmp/a", kTwoIndexes).ok());
  const Record before = tables_->Find("/tmp/a");
  PutRows(*before, 10);
  Record dropped;
  ASSERT_TRUE(tables_->Truncate("/tmp/a", &dropped).ok());
  EXPECT_EQ(dropped, before);
  const Record after = tables_->Find("/tmp/a");
  ASSERT_EQ(after->indexes.size(), 2u);
  EXPECT_GT(after->indexes[0].id.number, before->indexes[1].id.number);
  EXPECT_EQ(after->indexes[1].kind, IndexKind::kSecondary);
}

// Few rows go one by one, many by range; rows of the neighbours stay.
TEST_F(TemporaryTablesTest, ReclaimDeletesTheRowsOfOneTable) {
  for (const int rows : {0, 3, 5000}) {
    ASSERT_TRUE(tables_->Create("/tmp/a", kTwoIndexes).ok());
    ASSERT_TRUE(tables_->Create("/tmp/b", kTwoIndexes).ok());
    ASSERT_TRUE(tables_->Create("/tmp/c", kTwoIndexes).ok());
    PutRows(*tables_->Find("/tmp/a"), 7);
    PutRows(*tables_->Find("/tmp/b"), rows);
    PutRows(*tables_->Find("/tmp/c"), 7);
    if (rows == 5000) {
      ASSERT_TRUE(store_->flushes().Flush(family()).ok());
    }
    Record dropped;
    ASSERT_TRUE(tables_->Drop("/tmp/b", &dropped).ok());
    ASSERT_EQ(tables_->Reclaim(*dropped).ToString(), "ok");
    EXPECT_EQ(CountRows(), 2 * (7 + 7));
    for (const char* name : {"/tmp/a", "/tmp/c"}) {
      ASSERT_TRUE(tables_->Drop(name, &dropped).ok());
      ASSERT_TRUE(tables_->Reclaim(*dropped).ok());
    }
    EXPECT_EQ(CountRows(), 0);
  }
}

TEST_F(TemporaryTablesTest, ARestartLeavesNothing) {
  ASSERT_TRUE(tables_->Create("/tmp/a", kTwoIndexes).ok());
  PutRows(*tables_->Find("/tmp/a"), 100);
  ASSERT_TRUE(store_->flushes().Flush(family()).ok());
  Open();
  ASSERT_NE(family(), nullptr);
  EXPECT_EQ(CountRows(), 0);
  EXPECT_EQ(tables_->Find("/tmp/a"), nullptr);
  // A new table gets the same numbers, and rows that the emptying must not touch.
  ASSERT_TRUE(tables_->Create("/tmp/a", kTwoIndexes).ok());
  PutRows(*tables_->Find("/tmp/a"), 5);
  EXPECT_EQ(CountRows(), 10);
  Open();
  EXPECT_EQ(CountRows(), 0);
}

}  // namespace
}  // namespace basalt::catalog
