// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/auto_increments.h"

#include <memory>

#include "catalog/dictionary_records.h"
#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using AutoIncrementsTest = CatalogFixture;

TEST_F(AutoIncrementsTest, OnlyGrowsByMergingAndIsSetExactly) {
  const IndexId primary = Create("d.t")->Primary()->id;
  uint64_t next = 1;
  ASSERT_TRUE(catalog_->auto_increments().Read(primary, &next).ok());
  EXPECT_EQ(next, 0u);
  for (const uint64_t value : {3, 8, 5}) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(catalog_->auto_increments().AppendMerge(&batch, primary, value).ok());
    ASSERT_TRUE(store_->Write(&batch, false).ok());
  }
  ASSERT_TRUE(catalog_->auto_increments().Read(primary, &next).ok());
  EXPECT_EQ(next, 8u);
  ASSERT_TRUE(catalog_->auto_increments().Set(primary, 2).ok());
  ASSERT_TRUE(catalog_->auto_increments().Read(primary, &next).ok());
  EXPECT_EQ(next, 2u);
  PutSystem(IndexKey(RecordType::kAutoIncrement, primary), "garbage");
  EXPECT_EQ(catalog_->auto_increments().Read(primary, &next).code(), Code::kCorruption);
}

TEST_F(AutoIncrementsTest, MergesInsideATransaction) {
  const IndexId primary = Create("d.t")->Primary()->id;
  rocksdb::TransactionOptions options;
  options.skip_concurrency_control = true;
  const std::unique_ptr<rocksdb::Transaction> transaction(
      store_->db()->BeginTransaction(rocksdb::WriteOptions(), options));
  ASSERT_TRUE(
      catalog_->auto_increments().AppendMerge(transaction->GetWriteBatch(), primary, 12).ok());
  uint64_t next = 1;
  ASSERT_TRUE(catalog_->auto_increments().Read(primary, &next).ok());
  EXPECT_EQ(next, 0u);
  ASSERT_TRUE(transaction->Commit().ok());
  ASSERT_TRUE(catalog_->auto_increments().Read(primary, &next).ok());
  EXPECT_EQ(next, 12u);
}

}  // namespace
}  // namespace basalt::catalog
