// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_page_cache.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "store/wal/wal_backlog.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(WalPageCacheTest, HandsOutEachByteOnceInLargePortions) {
  WalPageCache cached;
  EXPECT_EQ(cached.TakeRange(0).bytes, 0u);
  EXPECT_EQ(cached.TakeRange(kMiB - 1).bytes, 0u);
  const WalPageCache::Range first = cached.TakeRange(kMiB + 100);
  EXPECT_EQ(first.offset, 0u);
  EXPECT_EQ(first.bytes, kMiB) << "the last page stays";
  EXPECT_EQ(cached.TakeRange(2 * kMiB - 1).bytes, 0u);
  const WalPageCache::Range second = cached.TakeRange(4 * kMiB);
  EXPECT_EQ(second.offset, kMiB);
  EXPECT_EQ(second.bytes, 3 * kMiB);
}

// What files were told to forget, and how much of them was synced then.
struct Forgotten {
  uint64_t end = 0;
  uint64_t synced = 0;
};

class RecordingFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  RecordingFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, const bool* fails,
                std::vector<Forgotten>* forgotten)
      : FSWritableFileOwnerWrapper(std::move(file)), fails_(fails), forgotten_(forgotten) {}

  rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset,
                                     const rocksdb::IOOptions& options,
                                     rocksdb::IODebugContext* context) override {
    // Zeros ahead of the log are no part of it.
    if (data[0] != '\0') written_ = offset + data.size();
    return FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, context);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    if (*fails_) return rocksdb::IOStatus::IOError("a disk that fails");
    synced_ = written_;
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus InvalidateCache(size_t offset, size_t length) override {
    forgotten_->push_back({offset + length, synced_});
    return rocksdb::IOStatus::IOError("is no error of the log");
  }

 private:
  const bool* const fails_;
  std::vector<Forgotten>* const forgotten_;
  uint64_t written_ = 0;
  uint64_t synced_ = 0;
};

class RecordingFiles final : public rocksdb::FileSystemWrapper {
 public:
  RecordingFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "RecordingFiles"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    rocksdb::IOStatus made = target()->NewWritableFile(path, options, &file, context);
    if (made.ok()) *result = std::make_unique<RecordingFile>(std::move(file), &fails, &forgotten);
    return made;
  }
  bool fails = false;
  std::vector<Forgotten> forgotten;
};

class CachedLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = directory_ / "000004.log";
    const auto files = backlog_.Wrap(files_, directory_.path());
    ASSERT_TRUE(files->NewWritableFile(path, rocksdb::FileOptions(), &log_, nullptr).ok());
  }
  rocksdb::IOStatus WriteAndSync(size_t bytes) {
    const rocksdb::IOOptions options;
    EXPECT_TRUE(log_->Append(std::string(bytes, 'r'), options, nullptr).ok());
    return log_->Sync(options, nullptr);
  }

  test::TemporaryDirectory directory_;
  std::shared_ptr<RecordingFiles> files_ = std::make_shared<RecordingFiles>();
  WalBacklog backlog_{[](bool) {}, [](const rocksdb::IOStatus&) {}};
  std::unique_ptr<rocksdb::FSWritableFile> log_;
};

TEST_F(CachedLogTest, OnlyWhatIsSyncedIsForgotten) {
  for (int commit = 0; commit < 300; ++commit) {
    ASSERT_TRUE(WriteAndSync(10000).ok());
  }
  ASSERT_EQ(files_->forgotten.size(), 2u) << "of 2.9 MiB";
  for (const Forgotten& one : files_->forgotten) {
    EXPECT_LE(one.end, one.synced);
    EXPECT_GT(one.end, 0u);
  }
}

TEST_F(CachedLogTest, AFailedSyncForgetsNothing) {
  files_->fails = true;
  EXPECT_FALSE(WriteAndSync(3 * kMiB).ok());
  EXPECT_TRUE(files_->forgotten.empty());
}

}  // namespace
}  // namespace basalt::store
