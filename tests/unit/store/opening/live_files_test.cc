// SPDX-License-Identifier: GPL-2.0-only
#include "store/opening/live_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using test::TemporaryDirectory;
using ::testing::HasSubstr;

// The sizes of files cannot be learnt.
class BlindEnv : public rocksdb::EnvWrapper {
 public:
  BlindEnv() : EnvWrapper(rocksdb::Env::Default()) {}
  const char* Name() const override { return "BlindEnv"; }
  rocksdb::Status GetFileSize(const std::string&, uint64_t*) override {
    return rocksdb::Status::IOError("injected");
  }
};

class LiveFilesTest : public ::testing::Test {
 protected:
  LiveFilesTest() {
    rocksdb::Options options;
    options.create_if_missing = true;
    EXPECT_TRUE(rocksdb::DB::Open(options, directory_ / "db", &db_).ok());
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    EXPECT_TRUE(db_->CreateColumnFamily(rocksdb::ColumnFamilyOptions(), "other", &handle).ok());
    other_.reset(handle);
    AddFile(db_->DefaultColumnFamily(), "a");
    AddFile(db_->DefaultColumnFamily(), "b");
    AddFile(other_.get(), "c");
  }
  ~LiveFilesTest() override {
    other_.reset();
    db_.reset();
  }

  void AddFile(rocksdb::ColumnFamilyHandle* family, const std::string& key) {
    EXPECT_TRUE(db_->Put(rocksdb::WriteOptions(), family, key, "value").ok());
    EXPECT_TRUE(db_->Flush(rocksdb::FlushOptions(), family).ok());
  }
  // The newest table file, as the store names it.
  std::string NewestFile() {
    std::string newest;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "db")) {
      if (entry.path().extension() == ".sst") newest = std::max(newest, entry.path().string());
    }
    return newest;
  }
  Status Check() { return CheckLiveFiles(db_.get(), rocksdb::Env::Default()); }

  TemporaryDirectory directory_;
  std::unique_ptr<rocksdb::DB> db_;
  std::unique_ptr<rocksdb::ColumnFamilyHandle> other_;
};

TEST_F(LiveFilesTest, FilesInTheirPlace) { EXPECT_TRUE(Check().ok()); }

TEST_F(LiveFilesTest, OfAnEmptyStore) {
  rocksdb::Options options;
  options.create_if_missing = true;
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(rocksdb::DB::Open(options, directory_ / "empty", &db).ok());
  EXPECT_TRUE(CheckLiveFiles(db.get(), rocksdb::Env::Default()).ok());
}

TEST_F(LiveFilesTest, AMissingFileOfAnyColumnFamilyIsNamed) {
  const std::string path = NewestFile();
  std::filesystem::remove(path);
  const Status status = Check();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  EXPECT_THAT(std::string(status.message()), HasSubstr("is missing"));
}

TEST_F(LiveFilesTest, AFileThatWasCutOffIsNamedWithBothSizes) {
  const std::string path = NewestFile();
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 1);
  const Status status = Check();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(std::to_string(size - 1) + " bytes, not " + std::to_string(size)));
}

TEST_F(LiveFilesTest, AFileThatHasGrownIsNamed) {
  std::ofstream(NewestFile(), std::ios::app) << "x";
  EXPECT_EQ(Check().code(), Code::kCorruption);
}

TEST_F(LiveFilesTest, ChangedBytesAreNoMatterHere) {
  std::fstream(NewestFile(), std::ios::in | std::ios::out) << "x";
  EXPECT_TRUE(Check().ok());
}

TEST_F(LiveFilesTest, FilesThatTheStoreHasGivenUpAreNoMatter) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(options, nullptr, nullptr).ok());
  EXPECT_TRUE(Check().ok());
}

TEST_F(LiveFilesTest, ADirectoryThatDoesNotTellIsNoDamage) {
  BlindEnv env;
  EXPECT_EQ(CheckLiveFiles(db_.get(), &env).code(), Code::kIoError);
}

}  // namespace
}  // namespace basalt::store
