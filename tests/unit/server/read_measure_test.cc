// SPDX-License-Identifier: GPL-2.0-only
#include "server/measures/read_measure.h"

#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/store/temporary_directory.h"

namespace basalt::server {
namespace {

using engine::Direction;

constexpr int kRows = 1000;
constexpr size_t kBlockBytes = 1024;

std::string KeyOf(int row) { return std::to_string(10000 + row); }

// One column family in one table file of some hundred blocks; nothing of it is in the cache.
class ReadMeasureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // What threads count by default is not what the plugin's threads do.
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    rocksdb::BlockBasedTableOptions table;
    table.block_size = kBlockBytes;
    table.cache_index_and_filter_blocks = true;
    table.prepopulate_block_cache =
        rocksdb::BlockBasedTableOptions::PrepopulateBlockCache::kDisable;
    table.block_cache = cache_ = rocksdb::NewLRUCache(64 << 20);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = rocksdb::kNoCompression;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    ASSERT_TRUE(rocksdb::DB::Open(options, directory_ / "db", &db_).ok());
    for (int row = 0; row < kRows; ++row) Put(row);
    Flush();
  }

  void Put(int row) { ASSERT_TRUE(db_->Put({}, KeyOf(row), std::string(100, 'v')).ok()); }
  void Delete(int row) { ASSERT_TRUE(db_->Delete({}, KeyOf(row)).ok()); }
  void Flush() {
    ASSERT_TRUE(db_->Flush({}).ok());
    cache_->EraseUnRefEntries();
  }
  int Scan(const rocksdb::ReadOptions& options = {}) {
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options));
    int rows = 0;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) ++rows;
    EXPECT_TRUE(iterator->status().ok());
    return rows;
  }
  // Down to the row, that one included.
  int ScanBackward(int last, const rocksdb::ReadOptions& options = {}) {
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options));
    int rows = 1;
    for (iterator->SeekToLast(); iterator->key() != KeyOf(last); iterator->Prev()) ++rows;
    return rows;
  }
  std::string Get(int row) {
    std::string value;
    EXPECT_TRUE(db_->Get({}, KeyOf(row), &value).ok());
    return value;
  }
  // What a scan over cold and over cached blocks accesses.
  uint64_t BlocksOfScan() {
    (void)Scan();
    ReadMeasure measure;
    (void)Scan();
    return measure.End(Direction::kForward).blocks_accessed;
  }

  test::TemporaryDirectory directory_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(ReadMeasureTest, NothingReadIsNothingCounted) {
  ReadMeasure measure;
  const ReadCounts counts = measure.End(Direction::kForward);
  EXPECT_EQ(counts.blocks_accessed, 0u);
  EXPECT_EQ(counts.blocks_read, 0u);
  EXPECT_EQ(counts.blocks_ahead, 0u);
  EXPECT_EQ(counts.read_nanoseconds, 0u);
  EXPECT_EQ(counts.versions_passed, 0u);
}

TEST_F(ReadMeasureTest, BlocksComeFromTheFileOnceAndThenFromTheCache) {
  ReadMeasure cold;
  EXPECT_EQ(Scan(), kRows);
  const ReadCounts first = cold.End(Direction::kForward);
  EXPECT_GT(first.blocks_read, kRows * 100 / kBlockBytes);
  EXPECT_EQ(first.blocks_accessed, first.blocks_read);
  EXPECT_GT(first.read_nanoseconds, 0u);

  ReadMeasure warm;
  EXPECT_EQ(Scan(), kRows);
  const ReadCounts second = warm.End(Direction::kForward);
  EXPECT_EQ(second.blocks_read, 0u);
  EXPECT_EQ(second.read_nanoseconds, 0u);
  EXPECT_EQ(second.blocks_accessed, first.blocks_accessed);
  EXPECT_EQ(second.versions_passed, 0u);
}

TEST_F(ReadMeasureTest, ALookUpAccessesFilterIndexAndData) {
  ReadMeasure cold;
  (void)Get(500);
  EXPECT_EQ(cold.End(Direction::kForward).blocks_read, 3u);
  ReadMeasure warm;
  (void)Get(500);
  const ReadCounts counts = warm.End(Direction::kForward);
  EXPECT_EQ(counts.blocks_accessed, 3u);
  EXPECT_EQ(counts.blocks_read, 0u);
}

// RocksDB's own count of reads has none of the blocks that were read together with others.
TEST_F(ReadMeasureTest, BlocksReadAheadAreReadBlocks) {
  const uint64_t blocks = BlocksOfScan();
  cache_->EraseUnRefEntries();
  rocksdb::ReadOptions options;
  options.readahead_size = 64 << 10;
  ReadMeasure measure;
  EXPECT_EQ(Scan(options), kRows);
  const ReadCounts counts = measure.End(Direction::kForward);
  EXPECT_EQ(counts.blocks_accessed, blocks);
  EXPECT_EQ(counts.blocks_read, blocks);
  EXPECT_GT(counts.blocks_ahead, blocks / 2);
  EXPECT_LT(counts.blocks_ahead, blocks);
  EXPECT_GT(counts.read_nanoseconds, 0u);
}

TEST_F(ReadMeasureTest, BlocksReadByOneCallForManyKeysCountOnceEach) {
  constexpr int kKeys = 20;
  std::vector<std::string> names;
  for (int i = 0; i < kKeys; ++i) names.push_back(KeyOf(i * 40));  // each in a block of its own
  const std::vector<rocksdb::Slice> keys(names.begin(), names.end());
  std::vector<rocksdb::PinnableSlice> values(kKeys);
  std::vector<rocksdb::Status> statuses(kKeys);
  ReadMeasure measure;
  db_->MultiGet({}, db_->DefaultColumnFamily(), kKeys, keys.data(), values.data(), statuses.data());
  const ReadCounts counts = measure.End(Direction::kForward);
  for (const rocksdb::Status& status : statuses) EXPECT_TRUE(status.ok());
  EXPECT_EQ(counts.blocks_read, kKeys + 2u);  // and the index and the filter
  EXPECT_EQ(counts.blocks_ahead, 0u);
  EXPECT_GT(counts.read_nanoseconds, 0u);
}

TEST_F(ReadMeasureTest, AScanForwardTellsDeletionsAndOldVersions) {
  const rocksdb::Snapshot* before = db_->GetSnapshot();
  for (int row = 100; row < 107; ++row) Delete(row);  // seven deletions, seven rows behind them
  for (int row = 200; row < 205; ++row) Put(row);     // five old versions
  Flush();
  ReadMeasure now;
  EXPECT_EQ(Scan(), kRows - 7);
  EXPECT_EQ(now.End(Direction::kForward).versions_passed, 7u + 7 + 5);

  rocksdb::ReadOptions options;
  options.snapshot = before;
  ReadMeasure then;
  EXPECT_EQ(Scan(options), kRows);
  // What came later: as many deletions and new versions.
  EXPECT_EQ(then.End(Direction::kForward).versions_passed, 7u + 5);
  db_->ReleaseSnapshot(before);
}

TEST_F(ReadMeasureTest, AScanBackwardTellsTheSame) {
  const rocksdb::Snapshot* before = db_->GetSnapshot();
  for (int row = 100; row < 107; ++row) Delete(row);
  for (int row = 200; row < 205; ++row) Put(row);
  Flush();
  ReadMeasure now;
  EXPECT_EQ(ScanBackward(50), kRows - 50 - 7);
  EXPECT_EQ(now.End(Direction::kBackward).versions_passed, 7u + 7 + 5);

  rocksdb::ReadOptions options;
  options.snapshot = before;
  ReadMeasure then;
  EXPECT_EQ(ScanBackward(50, options), kRows - 50);
  EXPECT_EQ(then.End(Direction::kBackward).versions_passed, 7u + 5);
  db_->ReleaseSnapshot(before);

  ReadMeasure one_row;
  EXPECT_EQ(ScanBackward(kRows - 1), 1);
  EXPECT_EQ(one_row.End(Direction::kBackward).versions_passed, 0u);
}

TEST_F(ReadMeasureTest, AMeasureInsideTakesItsPartAway) {
  (void)Get(500);
  ReadMeasure outer;
  (void)Get(500);
  ReadMeasure inner;
  (void)Get(500);
  (void)Get(500);
  EXPECT_EQ(inner.End(Direction::kForward).blocks_accessed, 6u);
  (void)Get(500);
  EXPECT_EQ(outer.End(Direction::kForward).blocks_accessed, 6u);
}

TEST_F(ReadMeasureTest, TheThreadCountsAsBeforeAfterwards) {
  const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  {
    const ReadMeasure outer;
    { const ReadMeasure inner; }
    EXPECT_EQ(rocksdb::GetPerfLevel(), rocksdb::PerfLevel::kEnableTimeExceptForMutex);
    EXPECT_TRUE(context.per_level_perf_context_enabled);
  }
  EXPECT_EQ(rocksdb::GetPerfLevel(), rocksdb::PerfLevel::kEnableCount);
  EXPECT_FALSE(context.per_level_perf_context_enabled);

  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableTime);
  {
    const ReadMeasure measure;
    EXPECT_EQ(rocksdb::GetPerfLevel(), rocksdb::PerfLevel::kEnableTime);
  }
  EXPECT_EQ(rocksdb::GetPerfLevel(), rocksdb::PerfLevel::kEnableTime);
}

}  // namespace
}  // namespace basalt::server
