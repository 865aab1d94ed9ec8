// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/long_compaction_log.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::chrono::steady_clock::time_point g_now;

class LongCompactionLogTest : public ::testing::Test {
 protected:
  LongCompactionLogTest() { g_now = std::chrono::steady_clock::time_point(); }

  void End(std::chrono::milliseconds taken, rocksdb::Status status = rocksdb::Status::OK()) {
    rocksdb::CompactionJobInfo job;
    job.cf_name = "rows";
    job.base_input_level = 5;
    job.output_level = 6;
    job.status = std::move(status);
    job.stats.elapsed_micros = static_cast<uint64_t>(std::chrono::microseconds(taken).count());
    job.stats.total_input_bytes = 700ULL << 20;
    job.stats.total_output_bytes = 650ULL << 20;
    log_.End(job);
  }

  std::vector<std::string> said_;
  LongCompactionLog log_{std::chrono::minutes(1),
                         [this](const std::string& line) { said_.push_back(line); },
                         [] { return g_now; }};
};

TEST_F(LongCompactionLogTest, SaysWhatALongOneWas) {
  End(std::chrono::milliseconds(75'900));
  EXPECT_THAT(said_, ElementsAre("a compaction of column family 'rows' from level 5 to level 6 has "
                                 "taken 75 seconds: 700 MB read, 650 MB written"));
}

TEST_F(LongCompactionLogTest, NothingOfShortOnes) {
  for (int i = 0; i < 100; ++i) End(std::chrono::milliseconds(59'999));
  EXPECT_THAT(said_, IsEmpty());
  End(std::chrono::milliseconds(60'000));
  EXPECT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_.back(), HasSubstr("60 seconds"));
}

TEST_F(LongCompactionLogTest, NothingOfOneThatHasFailed) {
  End(std::chrono::minutes(5), rocksdb::Status::ShutdownInProgress());
  End(std::chrono::minutes(5), rocksdb::Status::IOError());
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(LongCompactionLogTest, OneLineInTenMinutes) {
  for (int i = 0; i < 10; ++i) {
    End(std::chrono::minutes(2));
    g_now += std::chrono::seconds(59);
  }
  EXPECT_EQ(said_.size(), 1U);
  g_now += std::chrono::seconds(10);
  End(std::chrono::minutes(3));
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_THAT(said_.back(), HasSubstr("taken 180 seconds"));
  EXPECT_THAT(said_.back(), HasSubstr("; long compactions before it without a line: 9"));
  g_now += LongCompactionLog::kSilence;
  End(std::chrono::minutes(2));
  ASSERT_EQ(said_.size(), 3U);
  EXPECT_THAT(said_.back(), ::testing::EndsWith("650 MB written"));
}

TEST(LongCompactionLogOfAStore, HearsOfItsCompactions) {
  test::TemporaryDirectory directory;
  std::vector<std::string> said;
  StoreOptions options;
  options.directory = directory / "store";
  options.block_cache_bytes = 8 << 20;
  options.reserved_free_bytes = 0;
  options.long_compaction = std::chrono::microseconds(1);
  Mutex mutex;
  options.log = [&](LogLevel level, std::string_view line) {
    MutexLock guard(mutex);
    if (level == LogLevel::kInformation) said.emplace_back(line);
  };
  std::unique_ptr<Store> store;
  ASSERT_TRUE(Store::Open(std::move(options), &store).ok());
  for (int file = 0; file < 2; ++file) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(store->default_column_family(), "key", "value").ok());
    ASSERT_TRUE(store->Write(&batch, /*sync=*/false).ok());
    ASSERT_TRUE(store->flushes().Flush().ok());
  }
  rocksdb::CompactRangeOptions whole;
  whole.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_TRUE(
      store->base()->CompactRange(whole, store->default_column_family(), nullptr, nullptr).ok());
  ASSERT_TRUE(store->Close().ok());
  MutexLock guard(mutex);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], StartsWith("a compaction of column family '"));
}

}  // namespace
}  // namespace basalt::store
