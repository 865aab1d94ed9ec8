// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/block_cache.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>

#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

constexpr size_t kMebibyte = 1 << 20;

StoreOptions Divided(uint64_t mebibytes, uint32_t percent) {
  StoreOptions options;
  options.block_cache_bytes = mebibytes * kMebibyte;
  options.compressed_cache_percent = percent;
  return options;
}

TEST(BlockCacheTest, WithoutAPercentageNothingIsCompressed) {
  const auto cache = NewBlockCache(Divided(16, 0));
  EXPECT_EQ(CompressedCacheBytes(*cache), 0u);
  DivideBlockCache(cache, 0);
  EXPECT_EQ(CompressedCacheBytes(*cache), 0u);
  EXPECT_EQ(cache->GetCapacity(), 16 * kMebibyte);
}

TEST(BlockCacheTest, BothPartsTogetherHaveTheBudget) {
  const auto cache = NewBlockCache(Divided(16, 50));
  EXPECT_EQ(cache->GetCapacity(), 16 * kMebibyte);
  EXPECT_EQ(CompressedCacheBytes(*cache), 8 * kMebibyte);
  EXPECT_NEAR(static_cast<double>(cache->GetUsage()), 8 * kMebibyte, kMebibyte / 10);
  cache->SetCapacity(32 * kMebibyte);
  EXPECT_EQ(CompressedCacheBytes(*cache), 16 * kMebibyte);
}

// Stands for what cannot be driven out.
class PinnedBlock {
 public:
  PinnedBlock(rocksdb::Cache* cache, size_t bytes) : cache_(cache) {
    static const rocksdb::Cache::CacheItemHelper kHelper(rocksdb::CacheEntryRole::kIndexBlock,
                                                         [](void*, rocksdb::MemoryAllocator*) {});
    static char block;
    const std::string key(16, 'k');  // of that length, RocksDB says
    cache->Insert(key, &block, &kHelper, bytes, &handle_).PermitUncheckedError();
  }
  ~PinnedBlock() { cache_->Release(handle_, /*erase_if_last_ref=*/true); }
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

 private:
  rocksdb::Cache* const cache_;
  rocksdb::Cache::Handle* handle_ = nullptr;
};

TEST(BlockCacheTest, PinnedBlocksLeaveLessToDivide) {
  const auto cache = NewBlockCache(Divided(100, 60));
  {
    const PinnedBlock pinned(cache.get(), 50 * kMebibyte);
    DivideBlockCache(cache, 60);
    EXPECT_NEAR(CompressedCacheBytes(*cache) / kMebibyte, 30, 1);
    DivideBlockCache(cache, 60);
    EXPECT_NEAR(CompressedCacheBytes(*cache) / kMebibyte, 30, 1);
  }
  DivideBlockCache(cache, 60);
  EXPECT_NEAR(CompressedCacheBytes(*cache) / kMebibyte, 60, 1);
}

TEST(BlockCacheTest, WhenPinnedBlocksTakeAllATwentiethStays) {
  const auto cache = NewBlockCache(Divided(100, 60));
  {
    const PinnedBlock pinned(cache.get(), 120 * kMebibyte);
    DivideBlockCache(cache, 60);
    EXPECT_NEAR(CompressedCacheBytes(*cache) / kMebibyte, 5, 1);
  }
  DivideBlockCache(cache, 60);
  EXPECT_NEAR(CompressedCacheBytes(*cache) / kMebibyte, 60, 1);
}

class DividedCacheTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 24000;

  void Open(uint32_t percent) {
    store_.reset();
    StoreOptions options = Divided(16, percent);
    options.directory = directory_ / ("store" + std::to_string(percent));
    options.reserved_free_bytes = 0;
    const Status status = Store::Open(std::move(options), &store_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // A third of it is not to be compressed.
  static std::string Value(int row) {
    std::string value(1000, 'v');
    uint64_t state = static_cast<uint64_t>(row) + 1;
    for (size_t at = 0; at < 330; ++at) {
      state = state * 6364136223846793005 + 1442695040888963407;
      value[at] = static_cast<char>(state >> 56);
    }
    return value;
  }

  void Fill() {
    for (int row = 0; row < kRows; ++row) {
      rocksdb::WriteBatch batch;
      batch.Put(std::to_string(row), Value(row)).PermitUncheckedError();
      ASSERT_TRUE(store_->Write(&batch, /*sync=*/false).ok());
    }
    ASSERT_TRUE(store_->flushes().Flush(store_->default_column_family()).ok());
  }

  // In an order that no readahead helps, each row as it was written.
  void ReadAll() {
    std::string value;
    for (int i = 0; i < kRows; ++i) {
      const int row = static_cast<int>(int64_t{i} * 7919 % kRows);
      ASSERT_TRUE(store_->base()->Get(rocksdb::ReadOptions(), std::to_string(row), &value).ok());
      ASSERT_EQ(value, Value(row));
    }
  }

  uint64_t Count(rocksdb::Tickers ticker) const {
    return store_->statistics()->getTickerCount(ticker);
  }

  uint64_t MissesOfTheThirdReading(uint32_t percent) {
    Open(percent);
    Fill();
    ReadAll();
    ReadAll();
    const uint64_t before = Count(rocksdb::BLOCK_CACHE_MISS);
    ReadAll();
    EXPECT_LE(store_->block_cache()->GetUsage(), 17 * kMebibyte);
    return Count(rocksdb::BLOCK_CACHE_MISS) - before;
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_F(DividedCacheTest, BlocksComeBackFromTheCompressedPart) {
  const uint64_t without = MissesOfTheThirdReading(0);
  EXPECT_EQ(Count(rocksdb::COMPRESSED_SECONDARY_CACHE_HITS), 0u);
  const uint64_t with = MissesOfTheThirdReading(60);
  EXPECT_GT(Count(rocksdb::COMPRESSED_SECONDARY_CACHE_HITS), 1000u);
  EXPECT_LT(with, without * 3 / 4);
}

TEST_F(DividedCacheTest, MemtablesTakeOfBothParts) {
  Open(60);
  const uint64_t before = store_->block_cache()->GetUsage();
  for (int row = 0; row < 4000; ++row) {
    rocksdb::WriteBatch batch;
    batch.Put(std::to_string(row), Value(row)).PermitUncheckedError();
    ASSERT_TRUE(store_->Write(&batch, /*sync=*/false).ok());
  }
  size_t taken = 0;
  ASSERT_TRUE(store_->block_cache()->GetSecondaryCachePinnedUsage(taken).ok());
  EXPECT_GE(taken, kMebibyte);
  EXPECT_LT(store_->block_cache()->GetUsage(), before + 4 * kMebibyte);
}

TEST_F(DividedCacheTest, TheBudgetCanBeChanged) {
  Open(60);
  Fill();
  ReadAll();
  store_->settings().SetBlockCacheBytes(8 * kMebibyte);
  store_->settings().DivideBlockCache();
  EXPECT_LE(CompressedCacheBytes(*store_->block_cache()), 5 * kMebibyte);
  ReadAll();
  EXPECT_LE(store_->block_cache()->GetUsage(), 9 * kMebibyte);
  store_->settings().SetBlockCacheBytes(32 * kMebibyte);
  store_->settings().DivideBlockCache();
  EXPECT_GE(CompressedCacheBytes(*store_->block_cache()), 14 * kMebibyte);
  ReadAll();
}

}  // namespace
}  // namespace basalt::store
