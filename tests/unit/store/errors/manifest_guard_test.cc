// SPDX-License-Identifier: GPL-2.0-only

// Table files that a manifest in doubt may name.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "store/errors/manifest_guard.h"
#include "unit/store/faulty_file_system.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using Fault = test::FaultyFileSystem::Fault;

class ManifestGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"5.sst", "1.dbtmp"}) std::ofstream(directory_ / name) << "x";
    ASSERT_TRUE(files_
                    ->NewWritableFile(directory_ / "MANIFEST-000001", rocksdb::FileOptions(),
                                      &manifest_, nullptr)
                    .ok());
  }
  bool Write() { return manifest_->Append("record", rocksdb::IOOptions(), nullptr).ok(); }
  bool Sync() { return manifest_->Sync(rocksdb::IOOptions(), nullptr).ok(); }
  void RemoveTable() {
    EXPECT_TRUE(files_->DeleteFile(directory_ / "5.sst", rocksdb::IOOptions(), nullptr).ok());
  }
  bool HasTable() { return std::filesystem::exists(directory_ / "5.sst"); }
  void RenameCurrent() {
    EXPECT_TRUE(files_
                    ->RenameFile(directory_ / "1.dbtmp", directory_ / "CURRENT",
                                 rocksdb::IOOptions(), nullptr)
                    .ok());
  }

  test::TemporaryDirectory directory_;
  std::shared_ptr<test::FaultyFileSystem> faulty_ = std::make_shared<test::FaultyFileSystem>();
  ManifestGuard guard_;
  std::shared_ptr<rocksdb::FileSystem> files_ = guard_.Wrap(faulty_);
  std::unique_ptr<rocksdb::FSWritableFile> manifest_;
};

TEST_F(ManifestGuardTest, M1NoTableFileGoesWhileTheManifestIsInDoubt) {
  EXPECT_TRUE(Write());
  faulty_->FailFrom(1, test::FaultyFileSystem::kSync, Fault::kIoError, false);
  EXPECT_FALSE(Sync());
  RemoveTable();
  EXPECT_TRUE(HasTable());
  EXPECT_TRUE(Sync()) << "the same manifest, so it proves nothing";
  EXPECT_TRUE(HasTable());
  RenameCurrent();
  EXPECT_TRUE(HasTable()) << "the new name may not be durable yet";
  EXPECT_TRUE(Write());
  EXPECT_FALSE(HasTable());
  EXPECT_FALSE(guard_.in_doubt());
}

TEST_F(ManifestGuardTest, WithoutAnErrorFilesGoAtOnce) {
  EXPECT_TRUE(Write() && Sync());
  RemoveTable();
  EXPECT_FALSE(HasTable());
}

TEST_F(ManifestGuardTest, AnErrorAfterTheRenameBeginsAnew) {
  faulty_->FailFrom(1, test::FaultyFileSystem::kAppend, Fault::kNoSpace, false);
  EXPECT_FALSE(Write());
  RenameCurrent();
  faulty_->FailFrom(1, test::FaultyFileSystem::kAppend, Fault::kNoSpace, false);
  EXPECT_FALSE(Write());
  RemoveTable();
  EXPECT_TRUE(Write());
  EXPECT_TRUE(HasTable());
}

}  // namespace
}  // namespace basalt::store
