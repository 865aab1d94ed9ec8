// SPDX-License-Identifier: GPL-2.0-only

// What happens to a store when its file system fails.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store.h"
#include "unit/store/faulty_file_system.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using test::FaultyFileSystem;
using ::testing::HasSubstr;

class ErrorPolicyTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(); }

  void Open() {
    StoreOptions options;
    options.directory = directory_ / "store";
    options.block_cache_bytes = 8 << 20;
    options.env = env_.get();
    options.reserved_free_bytes = 64 << 20;
    const Status status = Store::Open(std::move(options), &store_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  Status Put(const std::string& key) {
    rocksdb::WriteBatch batch;
    batch.Put(key, "value").PermitUncheckedError();
    return store_->Write(&batch, /*sync=*/true);
  }

  bool Has(const std::string& key) {
    std::string value;
    return store_->db()->Get(rocksdb::ReadOptions(), key, &value).ok();
  }

  static bool WaitFor(const std::function<bool()>& condition) {
    for (int i = 0; i < 300; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  test::TemporaryDirectory directory_;
  std::shared_ptr<FaultyFileSystem> files_ = std::make_shared<FaultyFileSystem>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);
  std::unique_ptr<Store> store_;
};

TEST_F(ErrorPolicyTest, FullDiskInFlushStopsWritingAndHeals) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".sst", FaultyFileSystem::Fault::kNoSpace);
  EXPECT_FALSE(store_->Flush().ok());
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  const Status refused = Put("during");
  EXPECT_EQ(refused.code(), Code::kNoSpace) << refused.ToString();
  EXPECT_THAT(std::string(refused.message()), HasSubstr("resumes by itself"));
  EXPECT_TRUE(Has("before")) << "reading goes on";
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
  EXPECT_TRUE(store_->Flush().ok());
  EXPECT_TRUE(Has("before"));
}

TEST_F(ErrorPolicyTest, BrokenDiskInFlushHealsToo) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".sst", FaultyFileSystem::Fault::kIoError);
  EXPECT_FALSE(store_->Flush().ok());
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  EXPECT_EQ(Put("during").code(), Code::kReadOnly);
  EXPECT_FALSE(store_->ResumeWriting().ok()) << "the disk is still broken";
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); })) << "the watcher resumes";
  EXPECT_TRUE(Put("after").ok());
}

TEST_F(ErrorPolicyTest, ManifestErrorHeals) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail("MANIFEST", FaultyFileSystem::Fault::kIoError);
  EXPECT_FALSE(store_->Flush().ok());
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
  EXPECT_TRUE(store_->Flush().ok());
  ASSERT_TRUE(store_->Close().ok());
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_TRUE(Has("after"));
}

TEST_F(ErrorPolicyTest, FailingCompactionLeavesWritingOn) {
  for (const auto fault : {FaultyFileSystem::Fault::kNoSpace, FaultyFileSystem::Fault::kIoError}) {
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(Put(key).ok());
      ASSERT_TRUE(store_->Flush().ok());
    }
    files_->Fail(".sst", fault);
    EXPECT_FALSE(store_->Compact(store_->default_column_family()).ok());
    EXPECT_TRUE(Put("during").ok());
    files_->Heal();
    EXPECT_TRUE(store_->Compact(store_->default_column_family()).ok());
    EXPECT_TRUE(Has("a"));
  }
}

TEST_F(ErrorPolicyTest, BrokenLogStopsWritingUntilReopened) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".log", FaultyFileSystem::Fault::kIoError);
  EXPECT_FALSE(Put("during").ok());
  files_->Heal();
  EXPECT_FALSE(store_->writing_allowed());
  const Status refused = Put("after");
  EXPECT_EQ(refused.code(), Code::kReadOnly);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("restarted"));
  EXPECT_FALSE(store_->ResumeWriting().ok());
  EXPECT_TRUE(Has("before"));
  (void)store_->Close().ok();
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_FALSE(Has("after"));
  EXPECT_TRUE(Put("after").ok());
}

TEST_F(ErrorPolicyTest, LowSpaceStopsWritingButNotDropping) {
  files_->SetFreeSpace(1 << 20);
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  EXPECT_EQ(Put("during").code(), Code::kNoSpace);
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(batch.Delete("x").ok());
  EXPECT_TRUE(store_->WriteToFreeSpace(&batch, /*sync=*/true).ok());
  // Back above the reserve, but not far enough: no flapping.
  files_->SetFreeSpace(70 << 20);
  EXPECT_FALSE(store_->ResumeWriting().ok());
  files_->SetFreeSpace(uint64_t{1} << 40);
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
}

}  // namespace
}  // namespace basalt::store
