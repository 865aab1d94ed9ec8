// SPDX-License-Identifier: GPL-2.0-only
#include "store/memtables/memtable_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "store/reports/store_reports.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

std::string Key(uint32_t index, uint32_t number) {
  std::string key;
  AppendBigEndian32(&key, index);
  AppendBigEndian32(&key, number);
  return key;
}

// Factors by which estimates are off.
class Errors {
 public:
  void Add(uint64_t estimate, uint64_t entries) {
    const double factor = static_cast<double>(estimate) / static_cast<double>(entries);
    sum_ += std::abs(factor - 1);
    least_ = std::min(least_, factor);
    most_ = std::max(most_, factor);
    ++count_;
  }
  double mean() const { return sum_ / count_; }
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  double sum_ = 0;
  double least_ = 1;
  double most_ = 1;
  int count_ = 0;
};

class MemtableEstimateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.directory = directory_ / "store";
    options.block_cache_bytes = 512u << 20;  // memtables of 64 MB: nothing is flushed by itself
    options.reserved_free_bytes = 0;
    ASSERT_EQ(Store::Open(std::move(options), &store_).ToString(), "ok");
    ASSERT_TRUE(store_->families().GetOrCreate("rows", &rows_).ok());
    ASSERT_TRUE(store_->families().GetOrCreate("rev:rows", &reverse_rows_).ok());
  }

  // Every `step`th key.
  struct Keys {
    uint32_t first;
    uint32_t past_last;
    uint32_t step = 1;
  };
  void Put(uint32_t index, const Keys& keys) { Write(rows_, index, keys, false); }
  void Delete(uint32_t index, const Keys& keys) { Write(rows_, index, keys, true); }
  void Write(rocksdb::ColumnFamilyHandle* family, uint32_t index, const Keys& keys,
             bool deletions) {
    rocksdb::WriteBatch batch;
    for (uint32_t number = keys.first; number < keys.past_last; number += keys.step) {
      const std::string key = Key(index, number);
      ASSERT_TRUE((deletions ? batch.Delete(family, key) : batch.Put(family, key, "value")).ok());
    }
    ASSERT_EQ(store_->Write(&batch, /*sync=*/false).ToString(), "ok");
  }

  uint64_t Entries(uint32_t index, uint32_t first, uint32_t past_last) {
    const std::string begin = Key(index, first), end = Key(index, past_last);
    return EstimateMemtableEntries(store_->base(), rows_, rocksdb::Range(begin, end));
  }
  MemtableComposition Composition(uint32_t index, uint32_t first, uint32_t past_last) {
    const std::string begin = Key(index, first), end = Key(index, past_last);
    return EstimateMemtables(store_->base(), rows_, rocksdb::Range(begin, end));
  }
  // Up to the end of the index.
  MemtableComposition Whole(uint32_t index) {
    std::string begin, end;
    AppendBigEndian32(&begin, index);
    AppendBigEndian32(&end, index + 1);
    return EstimateMemtables(store_->base(), rows_, rocksdb::Range(begin, end));
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  rocksdb::ColumnFamilyHandle* rows_ = nullptr;
  rocksdb::ColumnFamilyHandle* reverse_rows_ = nullptr;
};

// RocksDB draws the heights of entries anew for each index: so each is one more case of chance. The
// bounds are more than six standard deviations away.
TEST_F(MemtableEstimateTest, EstimatesOfPartsAreLessLeftToChance) {
  constexpr uint32_t kIndexes = 60;
  constexpr uint32_t kEntries = 10000;
  Errors alone, counted, sampled;
  for (uint32_t index = 1; index <= kIndexes; ++index) {
    Put(index, {0, 7 * kEntries, 7});
    const std::string begin = Key(index, 0), end = Key(index, 7 * kEntries);
    const rocksdb::Range range(begin, end);
    alone.Add(MemtableShareOf(*store_, rows_, range).entries, kEntries);
    counted.Add(Entries(index, 0, 7 * kEntries), kEntries);
    sampled.Add(Composition(index, 0, 7 * kEntries).entries, kEntries);
  }
  std::printf("          mean error   least   most\n");
  for (const auto& [name, errors] :
       {std::pair("whole  ", alone), std::pair("4 parts", counted), std::pair("16 parts", sampled)})
    std::printf("%-10s %9.3f %7.2f %6.2f\n", name, errors.mean(), errors.least(), errors.most());
  EXPECT_LT(counted.mean(), alone.mean());
  EXPECT_LT(sampled.mean(), alone.mean() * 2 / 3);
  EXPECT_GT(counted.least(), 0.5);
  EXPECT_LT(counted.most(), 2);
  EXPECT_GT(sampled.least(), 0.7);
  EXPECT_LT(sampled.most(), 1.35);
}

TEST_F(MemtableEstimateTest, AFewEntriesAreCounted) {
  EXPECT_EQ(Entries(1, 0, 1000), 0);
  EXPECT_EQ(Composition(1, 0, 1000).entries, 0);
  Put(1, {0, 1000, 100});
  Delete(1, {500, 1000, 100});
  EXPECT_EQ(Entries(1, 0, 450), 5);
  EXPECT_EQ(Composition(1, 0, 450).entries, 5);
  EXPECT_EQ(Composition(1, 0, 450).deletions, 0);
  EXPECT_EQ(Entries(1, 450, 750), 6);
}

TEST_F(MemtableEstimateTest, DeletionsAreFoundWhereTheyStand) {
  Put(1, {0, 20000});
  Delete(1, {20000, 60000});
  const MemtableComposition all = CompositionOfMemtables(store_->base(), rows_);
  EXPECT_EQ(all.entries, 60000);
  EXPECT_EQ(all.deletions, 40000);
  EXPECT_EQ(Composition(1, 0, 20000).DeletedShare(), 0);
  EXPECT_EQ(Composition(1, 20000, 60000).DeletedShare(), 1);
  EXPECT_NEAR(Composition(1, 0, 60000).DeletedShare(), 2.0 / 3, 0.15);
  EXPECT_NEAR(Whole(1).DeletedShare(), 2.0 / 3, 0.15);
  ASSERT_EQ(store_->flushes().Flush(rows_).ToString(), "ok");
  EXPECT_EQ(Composition(1, 0, 60000).entries, 0);
}

// Nine of ten entries are deletions in the last eighth of the keys.
TEST_F(MemtableEstimateTest, DenseDeletionsHaveTheirWeight) {
  Put(1, {0, 70000, 70});
  Delete(1, {70000, 79000});
  EXPECT_NEAR(Composition(1, 0, 80000).DeletedShare(), 0.9, 0.08);
  EXPECT_NEAR(Whole(1).DeletedShare(), 0.9, 0.08);
}

TEST_F(MemtableEstimateTest, WhatADeletionHidesIsNoDeletion) {
  Put(1, {0, 5000});
  Delete(1, {0, 5000});
  const MemtableComposition found = Composition(1, 0, 5000);
  EXPECT_NEAR(static_cast<double>(found.entries), 10000, 3500);
  EXPECT_NEAR(found.DeletedShare(), 0.5, 0.05);
}

// Nothing but deletions, far from the ends of the range: no key tells where they are.
TEST_F(MemtableEstimateTest, AnOpenRangeIsDividedWhereItHasEntries) {
  Delete(1, {0x80000000, 0x80000000 + 20000});
  const MemtableComposition found = Whole(1);
  EXPECT_EQ(found.DeletedShare(), 1);
  EXPECT_NEAR(static_cast<double>(found.entries), 20000, 7000);
}

TEST_F(MemtableEstimateTest, AReverseFamilyIsLookedAtLikewise) {
  Write(reverse_rows_, 1, {0, 10000}, false);
  Write(reverse_rows_, 1, {10000, 20000}, true);
  const std::string first = Key(1, 0), middle = Key(1, 9999), past_last = Key(1, 20000);
  const MemtableComposition all =
      EstimateMemtables(store_->base(), reverse_rows_, rocksdb::Range(past_last, first));
  EXPECT_NEAR(static_cast<double>(all.entries), 20000, 7000);
  EXPECT_NEAR(all.DeletedShare(), 0.5, 0.15);
  const rocksdb::Range deleted(past_last, middle);
  EXPECT_EQ(EstimateMemtables(store_->base(), reverse_rows_, deleted).DeletedShare(), 1);
}

}  // namespace
}  // namespace basalt::store
