// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/memory_budget.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>

#include "base/heap.h"
#include "store/options/column_family_defaults.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

StoreOptions WithBudget(uint64_t mebibytes) {
  StoreOptions options;
  options.block_cache_bytes = mebibytes << 20;
  return options;
}

TEST(MemoryBudgetTest, MemtablesLeaveTheCacheMoreThanHalf) {
  for (const uint64_t mebibytes : {16, 64, 256, 512, 65536}) {
    const StoreOptions options = WithBudget(mebibytes);
    EXPECT_LT(3 * MemtableBytes(options), options.block_cache_bytes / 2) << mebibytes;
    EXPECT_LE(AllMemtablesBytes(options), options.block_cache_bytes / 2) << mebibytes;
  }
  EXPECT_EQ(MemtableBytes(WithBudget(16)), 2ull << 20);
  EXPECT_EQ(MemtableBytes(WithBudget(65536)), 64ull << 20);
}

TEST(MemoryBudgetTest, ASmallBudgetHasUsableMemtables) {
  EXPECT_EQ(MemtableBytes(WithBudget(1)), 1ull << 20);
  EXPECT_GE(AllMemtablesBytes(WithBudget(1)), 2ull << 20);
}

TEST(MemoryBudgetTest, ATransactionIsNoLargerThanAMemtable) {
  for (const uint64_t mebibytes : {1, 16, 64, 256, 512, 65536}) {
    const StoreOptions options = WithBudget(mebibytes);
    EXPECT_LE(TransactionBytes(options), MemtableBytes(options)) << mebibytes;
  }
  EXPECT_EQ(TransactionBytes(WithBudget(16)), 2ull << 20);
  EXPECT_EQ(TransactionBytes(WithBudget(512)), 32ull << 20);
}

TEST(MemoryBudgetTest, TheLevelBelowTheFirstHasSeveralFiles) {
  for (const uint64_t mebibytes : {8, 16, 64, 256, 512, 65536}) {
    const StoreOptions options = WithBudget(mebibytes);
    const auto family = DefaultColumnFamilyOptions("default", options, nullptr);
    const uint64_t files = family.max_bytes_for_level_base / family.target_file_size_base;
    EXPECT_GE(files, mebibytes < 16 ? 1u : 2u) << mebibytes;
    EXPECT_LE(files, 4u) << mebibytes;
  }
  EXPECT_EQ(TableFileBytes(WithBudget(64)), 8ull << 20);
  EXPECT_EQ(TableFileGrowth(WithBudget(64)), 2);
  EXPECT_EQ(TableFileGrowth(WithBudget(512)), 1);
  EXPECT_EQ(TableFileBytes(WithBudget(65536)), 64ull << 20);
}

TEST(MemoryBudgetTest, AChosenSizeOfFilesHoldsForAllLevels) {
  const auto growth = [](const char* text) {
    auto family = DefaultColumnFamilyOptions("default", WithBudget(64), nullptr);
    EXPECT_TRUE(ApplyColumnFamilyOptionString(text, "test", &family).ok()) << text;
    return family.target_file_size_multiplier;
  };
  EXPECT_EQ(growth("ttl=0"), 2);
  EXPECT_EQ(growth("target_file_size_base=1m"), 1);
  EXPECT_EQ(growth("target_file_size_base=1m;target_file_size_multiplier=3"), 3);
}

TEST(MemoryBudgetTest, MemtablesOfSeveralBlocksLieOutsideTheHeap) {
  EXPECT_EQ(MemtableBlockBytes(MemtableBytes(WithBudget(256))), kOutsideTheHeapBytes);
  EXPECT_EQ(MemtableBlockBytes(MemtableBytes(WithBudget(64))), kOutsideTheHeapBytes);
  EXPECT_EQ(MemtableBlockBytes(MemtableBytes(WithBudget(16))), 0u);
}

TEST(MemoryBudgetTest, WhatIsSaidCounts) {
  StoreOptions options = WithBudget(256);
  options.write_buffer_bytes = 7;
  options.total_write_buffer_bytes = 9;
  EXPECT_EQ(MemtableBytes(options), 7U);
  EXPECT_EQ(AllMemtablesBytes(options), 9U);
}

class ChargedMemtablesTest : public ::testing::Test {
 protected:
  void Open(uint64_t mebibytes) {
    StoreOptions options = WithBudget(mebibytes);
    options.directory = directory_ / "store";
    options.reserved_free_bytes = 0;
    const Status status = Store::Open(std::move(options), &store_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void Put(int first, int last) {
    for (int key = first; key < last; ++key) {
      rocksdb::WriteBatch batch;
      batch.Put(std::to_string(key), std::string(1000, 'v')).PermitUncheckedError();
      const Status status = store_->Write(&batch, /*sync=*/false);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_F(ChargedMemtablesTest, MemtablesAreChargedToTheCache) {
  Open(64);
  const size_t before = store_->block_cache()->GetUsage();
  Put(0, 6000);
  EXPECT_GE(store_->block_cache()->GetUsage(), before + (4 << 20));
}

}  // namespace
}  // namespace basalt::store
