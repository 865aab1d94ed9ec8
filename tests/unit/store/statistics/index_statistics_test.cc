// SPDX-License-Identifier: GPL-2.0-only
#include "store/statistics/index_statistics.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>

#include "store/statistics/statistics_keeper.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

std::string FromHexadecimal(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(IndexStatistics, HasTheBytesOfTheFormat) {
  IndexStatistics statistics{1000, 10, 500, 3, 2, 1, 0, {4, 10}};
  const std::string expected = FromHexadecimal(
      "0002"
      "00000000"
      "00000100"
      "00000000000003e8"
      "000000000000000a"
      "00000000000001f4"
      "0000000000000002"
      "0000000000000003"
      "0000000000000002"
      "0000000000000001"
      "0000000000000000"
      "0000000000000004"
      "000000000000000a");
  EXPECT_EQ(EncodeIndexStatistics({{{0, 256}, statistics}}), expected);
  std::vector<IndexStatisticsRecord> records;
  ASSERT_TRUE(DecodeIndexStatistics(expected, &records));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].index, (IndexId{0, 256}));
  EXPECT_EQ(records[0].statistics, statistics);
  EXPECT_EQ(statistics.LiveRows(), 5);
}

TEST(IndexStatistics, ReadsVersionOne) {
  const std::string old = FromHexadecimal(
      "0001"
      "00000002"
      "00000101"
      "0000000000000064"
      "0000000000000005"
      "0000000000000032"
      "0000000000000001"
      "0000000000000005");
  std::vector<IndexStatisticsRecord> records;
  ASSERT_TRUE(DecodeIndexStatistics(old, &records));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].statistics, (IndexStatistics{100, 5, 50, 0, 0, 0, 0, {5}}));
}

TEST(IndexStatistics, GarbageIsRefused) {
  const std::string good = EncodeIndexStatistics({{{0, 256}, {1, 2, 3, 4, 5, 6, 7, {8, 9}}}});
  std::vector<IndexStatisticsRecord> records;
  for (size_t length = 0; length < good.size(); ++length) {
    // Two bytes are a version without a record: legal, and of no use.
    EXPECT_EQ(DecodeIndexStatistics(good.substr(0, length), &records), length == 2) << length;
    EXPECT_TRUE(records.empty());
  }
  std::string bad = good;
  bad[1] = 3;
  EXPECT_FALSE(DecodeIndexStatistics(bad, &records));
  bad = good;
  bad[34] = '\x7f';  // the number of prefixes
  EXPECT_FALSE(DecodeIndexStatistics(bad, &records));
  bad = good;
  bad[10] = '\xff';  // a negative counter
  EXPECT_FALSE(DecodeIndexStatistics(bad, &records));
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    bad = good;
    for (int change = 0; change < 3; ++change)
      bad[random() % bad.size()] = static_cast<char>(random());
    bad.resize(random() % (bad.size() + 1));
    DecodeIndexStatistics(bad, &records);
  }
}

// Keys of these tests: index number, then parts of one byte, then one part of the rest.
class Prefixes : public KeyPrefixProvider {
 public:
  size_t Parts(IndexId index) override { return index.number == 256 ? 3 : 0; }
  size_t PrefixBytes(IndexId, Bytes key, size_t parts) override {
    return parts == 3 ? key.size() : std::min(key.size(), 4 + parts);
  }
};

class StatisticsTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    store_.reset();
    StoreOptions options;
    options.directory = directory_ / "store";
    options.block_cache_bytes = 8 << 20;
    options.write_buffer_bytes = 64 << 20;  // the tests decide what becomes a file
    options.reserved_free_bytes = 0;
    options.key_prefixes = std::make_shared<Prefixes>();
    ASSERT_TRUE(Store::Open(std::move(options), &store_).ok());
  }

  static std::string Key(uint32_t index, int a, int b, int c) {
    std::string key;
    AppendBigEndian32(&key, index);
    key.push_back(static_cast<char>(a));
    key.push_back(static_cast<char>(b));
    AppendBigEndian32(&key, static_cast<uint32_t>(c));
    return key;
  }

  void Put(const std::string& key) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(key, "value").ok());
    ASSERT_TRUE(store_->Write(&batch, false).ok());
  }

  // What memory says must be what the files say.
  void ExpectConsistent() {
    rocksdb::TablePropertiesCollection files;
    ASSERT_TRUE(
        store_->base()->GetPropertiesOfAllTables(store_->default_column_family(), &files).ok());
    std::map<IndexId, IndexStatistics> sums;
    std::vector<IndexStatisticsRecord> of_file;
    for (const auto& [path, properties] : files) {
      DecodeIndexStatistics(StatisticsKeeper::PropertyOf(*properties), &of_file);
      for (const auto& [index, statistics] : of_file) sums[index].Add(statistics);
    }
    for (const auto& [index, statistics] : sums) {
      EXPECT_EQ(store_->index_statistics().StatisticsOf(index), statistics) << index.number;
    }
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_F(StatisticsTest, CountsEntriesAndPrefixes) {
  for (int i = 0; i < 1000; ++i) {
    Put(Key(256, i % 2, i % 10, i));
    Put(Key(257, 0, 0, i));
  }
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(batch.Delete(Key(256, 9, 9, 9)).ok());
  ASSERT_TRUE(batch.SingleDelete(Key(257, 9, 9, 9)).ok());
  ASSERT_TRUE(store_->Write(&batch, false).ok());
  EXPECT_EQ(store_->index_statistics().StatisticsOf({0, 256}).rows, 0)
      << "memtables are not counted";
  ASSERT_TRUE(store_->flushes().Flush().ok());
  const IndexStatistics first = store_->index_statistics().StatisticsOf({0, 256});
  EXPECT_EQ(first.rows, 1000);
  EXPECT_EQ(first.deletes, 1);
  EXPECT_EQ(first.data_bytes, 1000 * 15 + 10);
  EXPECT_EQ(first.distinct_prefixes, (std::vector<int64_t>{3, 11, 1001}));
  const IndexStatistics second = store_->index_statistics().StatisticsOf({0, 257});
  EXPECT_EQ(second.rows, 1000);
  EXPECT_EQ(second.single_deletes, 1);
  EXPECT_TRUE(second.distinct_prefixes.empty());
  ExpectConsistent();
}

// RocksDB has a new file installed before it tells of it, and a compaction may follow at once.
TEST_F(StatisticsTest, AFlushReturnsWhenItsFileIsCounted) {
  for (uint32_t index = 1000; index < 1400; ++index) {
    Put(Key(index, 0, 0, 0));
    ASSERT_TRUE(store_->flushes().Flush().ok());
    ASSERT_GE(store_->index_statistics().StatisticsOf({0, index}).rows, 1) << index;
  }
}

TEST_F(StatisticsTest, SamplingIsCloseForManyRows) {
  constexpr int kRows = 100000;
  for (int i = 0; i < kRows; ++i) Put(Key(256, i / 1000, i / 10 % 100, i));
  ASSERT_TRUE(store_->flushes().Flush().ok());
  const auto distinct = store_->index_statistics().StatisticsOf({0, 256}).distinct_prefixes;
  ASSERT_EQ(distinct.size(), 3u);
  EXPECT_NEAR(static_cast<double>(distinct[0]), 100, 60);
  EXPECT_NEAR(static_cast<double>(distinct[1]), 10000, 500);
  EXPECT_NEAR(static_cast<double>(distinct[2]), kRows, 500);
}

TEST_F(StatisticsTest, FollowsFilesAsTheyComeAndGo) {
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 100; ++i) Put(Key(256, 0, round, i));
    for (int i = 0; i < 50; ++i) Put(Key(258, 0, 0, i));
    ASSERT_TRUE(store_->flushes().Flush().ok());
  }
  ASSERT_TRUE(store_->compactions().Compact(store_->default_column_family()).ok());
  EXPECT_EQ(store_->index_statistics().StatisticsOf({0, 256}).rows, 500);
  EXPECT_EQ(store_->index_statistics().StatisticsOf({0, 258}).rows, 50)
      << "four of five versions are gone";
  ExpectConsistent();
  Open();
  EXPECT_EQ(store_->index_statistics().StatisticsOf({0, 256}).rows, 500);
  ExpectConsistent();
}

TEST_F(StatisticsTest, CountsIngestedFiles) {
  auto* handle = store_->default_column_family();
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), store_->db()->GetOptions(handle), handle);
  const std::string path = directory_ / "ingest.sst";
  ASSERT_TRUE(writer.Open(path).ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer.Put(Key(256, 1, 1, i), "v").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(store_->base()->IngestExternalFile(handle, {path}, {}).ok());
  EXPECT_EQ(store_->index_statistics().StatisticsOf({0, 256}).rows, 10);
  EXPECT_EQ(store_->index_statistics().StatisticsOf({0, 256}).distinct_prefixes,
            (std::vector<int64_t>{1, 1, 10}));
  ExpectConsistent();
}

TEST(StatisticsKeeper, ToleratesEventsOutOfOrder) {
  StatisticsKeeper keeper;
  const std::string property = EncodeIndexStatistics({{{0, 256}, {100, 7, 50, 0, 0, 0, 0, {}}}});
  keeper.AddFile(5, property);
  keeper.AddFile(5, property);
  EXPECT_EQ(keeper.StatisticsOf({0, 256}).rows, 7);
  keeper.RemoveFile(6);
  keeper.AddFile(6, property);
  EXPECT_EQ(keeper.StatisticsOf({0, 256}).rows, 7) << "6 was gone before it came";
  keeper.AddFile(7, "garbage");
  keeper.RemoveFile(5);
  EXPECT_EQ(keeper.StatisticsOf({0, 256}), IndexStatistics());
  EXPECT_EQ(StatisticsKeeper::FileNumber("/a/b/000123.sst"), 123u);
  EXPECT_EQ(StatisticsKeeper::FileNumber("x"), 0u);
}

}  // namespace
}  // namespace basalt::store
