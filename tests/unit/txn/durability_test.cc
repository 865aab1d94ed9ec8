// SPDX-License-Identifier: GPL-2.0-only
//
// What docs/durability.md says of the engine alone: what is there after the death of the process,
// and after a power cut.
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

namespace fs = std::filesystem;

enum class Death {
  kProcess,  // what was written to files stays
  kMachine,  // of that, what was synced
};

// Remembers how much of each file has been synced.
class SyncedSizes : public rocksdb::FileSystemWrapper {
 public:
  SyncedSizes() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SyncedSizes"; }

  void Note(const std::string& path, uint64_t size) {
    std::lock_guard guard(mutex_);
    sizes_[path] = size;
  }
  uint64_t SizeOf(const std::string& path) {
    std::lock_guard guard(mutex_);
    const auto found = sizes_.find(path);
    return found == sizes_.end() ? 0 : found->second;
  }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override {
    Note(to, SizeOf(from));
    return target()->RenameFile(from, to, options, context);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, uint64_t> sizes_;
};

class WatchedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path, SyncedSizes* sizes)
      : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), sizes_(sizes) {}

  using FSWritableFileOwnerWrapper::Append;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
    written_ += data.size();
    return target()->Append(data, options, context);
  }
  using FSWritableFileOwnerWrapper::PositionedAppend;
  rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset,
                                     const rocksdb::IOOptions& options,
                                     rocksdb::IODebugContext* context) override {
    written_ = std::max<uint64_t>(written_, offset + data.size());
    return target()->PositionedAppend(data, offset, options, context);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* context) override {
    const uint64_t before = written_;
    rocksdb::IOStatus status = target()->Sync(options, context);
    if (status.ok()) sizes_->Note(path_, before);
    return status;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* context) override {
    return Sync(options, context);
  }

 private:
  const std::string path_;
  SyncedSizes* const sizes_;
  std::atomic<uint64_t> written_{0};
};

rocksdb::IOStatus SyncedSizes::NewWritableFile(const std::string& path,
                                               const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSWritableFile>* result,
                                               rocksdb::IODebugContext* context) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status = target()->NewWritableFile(path, options, &file, context);
  if (!status.ok()) return status;
  Note(path, 0);
  *result = std::make_unique<WatchedFile>(std::move(file), path, this);
  return status;
}

class DurabilityTest : public TxnFixture, public testing::WithParamInterface<Death> {
 protected:
  static constexpr uint32_t kCommits = 50;

  void SetUp() override {
    env_ = watched_.get();
    Open();
  }
  // The store as this death leaves it, opened again.
  void Die(Death death) {
    const fs::path store = store_->options().directory;
    const fs::path left = directory_ / "left";
    fs::create_directory(left);
    for (const auto& entry : fs::directory_iterator(store)) {
      if (!entry.is_regular_file()) continue;
      const fs::path copy = left / entry.path().filename();
      fs::copy_file(entry.path(), copy);
      const uint64_t synced = sizes_->SizeOf(entry.path().string());
      if (death == Death::kMachine && synced < fs::file_size(copy)) fs::resize_file(copy, synced);
    }
    Close();
    fs::remove_all(store);
    fs::rename(left, store);
    Open();
  }
  void CommitOneByOne(Durability durability) {
    for (uint32_t i = 0; i < kCommits; ++i) {
      auto transaction = Begin();
      ASSERT_TRUE(transaction->writes().Put(family(), Key(i), "row").ok());
      ASSERT_TRUE(transaction->Commit(durability).ok());
    }
  }
  // As a coordinator with a log of its own has it: that log decides from the prepare on.
  void PrepareAndCommit(Durability durability) {
    for (uint32_t i = 0; i < kCommits; ++i) {
      auto transaction = Begin();
      ASSERT_TRUE(transaction->writes().Put(family(), Key(i), "row").ok());
      ASSERT_TRUE(transaction->Prepare("p" + std::to_string(i), durability).ok());
      ASSERT_TRUE(transaction->Commit(Durability::kNone).ok());
    }
  }
  size_t Rows() { return Contents(family(), nullptr).size(); }
  // The first so many commits are there, and no other.
  void ExpectNoGap() {
    uint32_t next = 0;
    for (const auto& [key, value] : Contents(family(), nullptr)) EXPECT_EQ(key, Key(next++));
  }
  void CommitAllPrepared() {
    for (const std::string& name : manager_->DetachedNames()) {
      ASSERT_TRUE(manager_->CommitDetached(name, Durability::kSync).ok());
    }
  }

  std::shared_ptr<SyncedSizes> sizes_ = std::make_shared<SyncedSizes>();
  std::unique_ptr<rocksdb::Env> watched_ = rocksdb::NewCompositeEnv(sizes_);
};

TEST_P(DurabilityTest, T7SyncedCommitsSurviveBoth) {
  CommitOneByOne(Durability::kSync);
  Die(GetParam());
  EXPECT_EQ(Rows(), kCommits);
}

TEST_P(DurabilityTest, T7WrittenCommitsSurviveTheProcess) {
  CommitOneByOne(Durability::kWrite);
  Die(GetParam());
  if (GetParam() == Death::kProcess) {
    EXPECT_EQ(Rows(), kCommits);
  }
  ExpectNoGap();
}

TEST_P(DurabilityTest, T7OfOthersTheLastOnesGo) {
  CommitOneByOne(Durability::kNone);
  Die(GetParam());
  ExpectNoGap();
}

// What a later commit makes durable it makes so for those before it.
TEST_P(DurabilityTest, T7ASyncedCommitCoversThoseBefore) {
  CommitOneByOne(Durability::kNone);
  auto last = Begin();
  ASSERT_TRUE(last->writes().Put(family(), Key(kCommits), "row").ok());
  ASSERT_TRUE(last->Commit(Durability::kSync).ok());
  last.reset();
  Die(GetParam());
  EXPECT_EQ(Rows(), kCommits + 1);
}

TEST_P(DurabilityTest, T5PreparedWithASyncAreCommittedOrFoundPrepared) {
  PrepareAndCommit(Durability::kSync);
  Die(GetParam());
  CommitAllPrepared();
  EXPECT_EQ(Rows(), kCommits);
}

TEST_P(DurabilityTest, T5PreparedWithAWriteSurviveTheProcess) {
  PrepareAndCommit(Durability::kWrite);
  Die(GetParam());
  CommitAllPrepared();
  if (GetParam() == Death::kProcess) {
    EXPECT_EQ(Rows(), kCommits);
  }
  ExpectNoGap();
}

// Then the coordinator's log has commits that the engine has not.
TEST_P(DurabilityTest, T5OfOthersTheLastPreparedOnesGo) {
  PrepareAndCommit(Durability::kNone);
  Die(GetParam());
  CommitAllPrepared();
  ExpectNoGap();
}

INSTANTIATE_TEST_SUITE_P(Deaths, DurabilityTest, testing::Values(Death::kProcess, Death::kMachine));

}  // namespace
}  // namespace basalt::txn
