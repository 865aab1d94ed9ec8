// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_preallocation.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

// A log that is written like WalBacklog does it: by position.
class WalPreallocationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const rocksdb::FileOptions options;
    ASSERT_TRUE(
        rocksdb::FileSystem::Default()->NewWritableFile(path_, options, &file_, nullptr).ok());
  }

  void Write(size_t bytes, char fill) {
    const std::string data(bytes, fill);
    ASSERT_TRUE(file_->PositionedAppend(data, size_, rocksdb::IOOptions(), nullptr).ok());
    size_ += bytes;
  }
  void Sync() {
    ahead_.BeforeSync(file_.get(), size_);
    ASSERT_TRUE(file_->Sync(rocksdb::IOOptions(), nullptr).ok());
  }
  uint64_t OnDisk() const { return std::filesystem::file_size(path_); }
  std::string Content() const {
    std::string content;
    EXPECT_TRUE(rocksdb::ReadFileToString(rocksdb::Env::Default(), path_, &content).ok());
    return content;
  }

  test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "000004.log";
  std::unique_ptr<rocksdb::FSWritableFile> file_;
  WalPreallocation ahead_;
  uint64_t size_ = 0;
};

TEST_F(WalPreallocationTest, SmallSyncsSeldomChangeTheSizeOfTheFile) {
  uint64_t last = 0;
  int changes = 0;
  for (int commit = 0; commit < 1000; ++commit) {
    Write(400, 'c');
    Sync();
    ASSERT_GT(OnDisk(), size_);
    changes += OnDisk() != last ? 1 : 0;
    last = OnDisk();
  }
  EXPECT_LE(changes, 3);
}

TEST_F(WalPreallocationTest, ZerosFollowAndNothingIsWrittenOver) {
  std::string expected;
  for (const char fill : {'a', 'b', 'c'}) {
    Write(30000, fill);
    Sync();
    expected.append(30000, fill);
  }
  const std::string content = Content();
  EXPECT_EQ(content.substr(0, expected.size()), expected);
  EXPECT_EQ(content.find_first_not_of('\0', expected.size()), std::string::npos);
}

TEST_F(WalPreallocationTest, LargeSyncsDoWithout) {
  for (int i = 0; i < 4; ++i) {
    Write(100000, 'x');
    Sync();
    EXPECT_EQ(OnDisk(), size_);
  }
}

TEST_F(WalPreallocationTest, AClosedLogEndsWhereItEnds) {
  Write(400, 'c');
  Sync();
  Write(10, 'd');
  ahead_.BeforeClose(file_.get(), size_);
  ASSERT_TRUE(file_->Close(rocksdb::IOOptions(), nullptr).ok());
  EXPECT_EQ(Content(), std::string(400, 'c') + std::string(10, 'd'));
}

// A disk that takes no more.
class FullFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  rocksdb::IOStatus PositionedAppend(const rocksdb::Slice&, uint64_t, const rocksdb::IOOptions&,
                                     rocksdb::IODebugContext*) override {
    ++attempts;
    return rocksdb::IOStatus::NoSpace();
  }
  int attempts = 0;
};

TEST_F(WalPreallocationTest, WhatFindsNoSpaceIsTriedOnce) {
  FullFile full(std::move(file_));
  ahead_.BeforeSync(&full, 100);
  ahead_.BeforeSync(&full, 200);
  EXPECT_EQ(full.attempts, 1);
}

}  // namespace
}  // namespace basalt::store
