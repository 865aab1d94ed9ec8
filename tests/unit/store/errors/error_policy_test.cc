// SPDX-License-Identifier: GPL-2.0-only

// What happens to a store when its file system fails.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/errors/error_policy.h"
#include "store/format/column_family_names.h"
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
    options.log = [this](LogLevel, std::string_view text) {
      if (when_logged_) when_logged_(text);
    };
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
  std::function<void(std::string_view)> when_logged_;  // set while no line can come
  std::unique_ptr<Store> store_;
};

TEST_F(ErrorPolicyTest, FullDiskInFlushStopsWritingAndHeals) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".sst", FaultyFileSystem::Fault::kNoSpace);
  EXPECT_FALSE(store_->flushes().Flush().ok());
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  const Status refused = Put("during");
  EXPECT_EQ(refused.code(), Code::kNoSpace) << refused.ToString();
  EXPECT_THAT(std::string(refused.message()), HasSubstr("resumes by itself"));
  EXPECT_TRUE(Has("before")) << "reading goes on";
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
  EXPECT_TRUE(store_->flushes().Flush().ok());
  EXPECT_TRUE(Has("before"));
}

// Somebody who asks for a flush again and again must not keep the recovery from beginning.
TEST_F(ErrorPolicyTest, FlushesAskedForAllTheTimeDoNotHoldUpRecovery) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".sst", FaultyFileSystem::Fault::kNoSpace);
  EXPECT_FALSE(store_->flushes().Flush().ok());
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->flushes().Flush().ok(); }));
  EXPECT_TRUE(Put("after").ok());
}

// A flush that waits in RocksDB's queue while another one finds the manifest broken must not keep
// the recovery waiting: with DB::Resume() it does.
TEST_F(ErrorPolicyTest, FlushesOfSeveralFamiliesRecover) {
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(Put("before").ok());
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(store_->FindColumnFamily(kSystemColumnFamilyName), "key", "value").ok());
    ASSERT_TRUE(store_->Write(&batch, /*sync=*/true).ok());
    files_->Fail(round % 2 == 0 ? "MANIFEST" : ".sst", FaultyFileSystem::Fault::kNoSpace);
    // All at once, as RocksDB does when the log or the memtables have become too large.
    rocksdb::FlushOptions options;
    options.wait = false;
    ASSERT_TRUE(store_->base()
                    ->Flush(options, {store_->default_column_family(),
                                      store_->FindColumnFamily(kSystemColumnFamilyName)})
                    .ok());
    EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
    files_->Heal();
    EXPECT_TRUE(WaitFor([&] { return Put("after").ok(); }));
    EXPECT_TRUE(store_->flushes().Flush().ok());
  }
}

TEST_F(ErrorPolicyTest, BrokenDiskInFlushHealsToo) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".sst", FaultyFileSystem::Fault::kIoError);
  EXPECT_FALSE(store_->flushes().Flush().ok());
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  EXPECT_EQ(Put("during").code(), Code::kReadOnly);
  EXPECT_FALSE(store_->ResumeWriting().ok()) << "the disk is still broken";
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); })) << "the watcher resumes";
  EXPECT_TRUE(Put("after").ok());
}

// RocksDB tells of an error before it counts it. Who resumes in that moment finds nothing to do.
TEST_F(ErrorPolicyTest, AnErrorThatIsJustBeingToldOfIsNotOver) {
  ASSERT_TRUE(Put("before").ok());
  std::atomic<Code> resumed{Code::kOk};
  std::atomic<bool> told{false};
  when_logged_ = [&](std::string_view text) {
    if (text.find("writing is off") == text.npos || told) return;
    resumed = store_->ResumeWriting().code();
    told = true;
  };
  files_->Fail(".sst", FaultyFileSystem::Fault::kIoError);
  EXPECT_FALSE(store_->flushes().Flush().ok());
  ASSERT_TRUE(WaitFor([&] { return told.load(); }));
  EXPECT_EQ(resumed, Code::kReadOnly);
  EXPECT_FALSE(store_->writing_allowed());
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
}

TEST_F(ErrorPolicyTest, ManifestErrorHeals) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail("MANIFEST", FaultyFileSystem::Fault::kIoError);
  EXPECT_FALSE(store_->flushes().Flush().ok());
  EXPECT_TRUE(WaitFor([&] { return !store_->writing_allowed(); }));
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
  EXPECT_TRUE(store_->flushes().Flush().ok());
  ASSERT_TRUE(store_->Close().ok());
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_TRUE(Has("after"));
}

TEST_F(ErrorPolicyTest, FailingCompactionLeavesWritingOn) {
  for (const auto fault : {FaultyFileSystem::Fault::kNoSpace, FaultyFileSystem::Fault::kIoError}) {
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(Put(key).ok());
      ASSERT_TRUE(store_->flushes().Flush().ok());
    }
    files_->Fail(".sst", fault);
    EXPECT_FALSE(store_->compactions().Compact(store_->default_column_family()).ok());
    EXPECT_TRUE(Put("during").ok());
    files_->Heal();
    EXPECT_TRUE(store_->compactions().Compact(store_->default_column_family()).ok());
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

// What to do and what happened have to fit into the server's 192 bytes, however long the path is.
TEST(ErrorPolicyMessageTest, NamesFilesWithoutTheFoldersOfTheStore) {
  const std::string folder = "/" + std::string(200, 'd');
  std::string logged;
  ErrorPolicy policy([&](LogLevel, std::string_view text) { logged = text; }, {"/log", folder});
  policy.OnLogFailure(
      rocksdb::Status::IOError("While fdatasync: " + folder + "/000004.log", "Input/output error"));
  EXPECT_THAT(logged, HasSubstr(folder + "/000004.log"));
  const std::string message(policy.CheckWritingAllowed().message());
  EXPECT_LE(message.size(), 192U) << message;
  for (const char* words :
       {"check the disk", "restarted", "While fdatasync: 000004.log", "Input/output error"}) {
    EXPECT_THAT(message, HasSubstr(words));
  }
}

// Invariants B1 and B2 of wal_backlog.h.
TEST_F(ErrorPolicyTest, FullDiskInTheLogHealsWithoutReopening) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".log", FaultyFileSystem::Fault::kNoSpace);
  const Status failed = Put("during");
  EXPECT_EQ(failed.code(), Code::kNoSpace) << failed.ToString();
  EXPECT_FALSE(store_->writing_allowed());
  const Status refused = Put("refused");
  EXPECT_EQ(refused.code(), Code::kNoSpace);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("the disk is full"));
  EXPECT_EQ(store_->SyncWal(true).code(), Code::kNoSpace) << "nothing is durable that is not";
  EXPECT_EQ(store_->SyncWal(false).code(), Code::kNoSpace);
  EXPECT_TRUE(Has("before")) << "reading goes on";
  files_->Heal();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
  ASSERT_TRUE(store_->Close().ok());
  files_->CutPower();
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_TRUE(Has("during")) << "it was in memory, so it must not be missing between two others";
  EXPECT_FALSE(Has("refused"));
  EXPECT_TRUE(Has("after"));
}

TEST_F(ErrorPolicyTest, FullDiskInTheLogAndThePowerGoes) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fail(".log", FaultyFileSystem::Fault::kNoSpace);
  EXPECT_FALSE(Put("during").ok());
  (void)store_->Close().ok();
  store_.reset();
  files_->Heal();
  files_->CutPower();
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_TRUE(Put("after").ok());
}

TEST_F(ErrorPolicyTest, FullDiskInLogAndFlush) {
  ASSERT_TRUE(Put("before").ok());
  files_->Fill();
  EXPECT_FALSE(Put("during").ok());
  std::thread flush([&] { (void)store_->flushes().Flush().ok(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_TRUE(Has("before"));
  files_->Heal();
  flush.join();
  EXPECT_TRUE(WaitFor([&] { return store_->writing_allowed(); }));
  EXPECT_TRUE(Put("after").ok());
  EXPECT_TRUE(store_->flushes().Flush().ok());
  ASSERT_TRUE(store_->Close().ok());
  files_->CutPower();
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_TRUE(Has("during"));
  EXPECT_TRUE(Has("after"));
}

// Invariant B3: a sync that has failed once never succeeds later, for the kernel may have dropped
// what it could not write.
TEST_F(ErrorPolicyTest, FailedSyncIsFinal) {
  ASSERT_TRUE(Put("before").ok());
  files_->FailFrom(1, FaultyFileSystem::kSync, FaultyFileSystem::Fault::kIoError, false);
  EXPECT_FALSE(Put("during").ok());
  EXPECT_FALSE(store_->SyncWal(true).ok());
  EXPECT_FALSE(Put("after").ok());
  EXPECT_FALSE(store_->ResumeWriting().ok());
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
