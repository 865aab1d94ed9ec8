// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/space_watcher.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/store/faulty_file_system.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

class SpaceWatcherTest : public ::testing::Test {
 protected:
  std::unique_ptr<SpaceWatcher> Watch(std::vector<std::string> directories, uint64_t reserved) {
    SpaceWatcher::Target target;
    target.env = env_.get();
    target.directories = std::move(directories);
    target.reserved_bytes = reserved;
    return std::make_unique<SpaceWatcher>(std::move(target), &policy_, [] {});
  }
  // Looks, five times a second, until it has seen so many bytes.
  bool Sees(uint64_t free_bytes) const {
    for (int i = 0; i < 300; ++i) {
      if (policy_.disk().free == free_bytes) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  uint64_t Capacity() const { return std::filesystem::space(directory_.path()).capacity; }

  test::TemporaryDirectory directory_;
  std::shared_ptr<test::FaultyFileSystem> files_ = std::make_shared<test::FaultyFileSystem>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);
  ErrorPolicy policy_{nullptr, {}};
};

TEST_F(SpaceWatcherTest, TellsTheDiskOfTheStore) {
  const auto watcher = Watch({directory_.path(), "/proc"}, 1 << 20);
  EXPECT_EQ(policy_.disk().total, 0U) << "nobody has looked yet";
  files_->SetFreeSpace(7777777);
  watcher->CheckNow();
  EXPECT_EQ(policy_.disk().free, 7777777U);
  EXPECT_EQ(policy_.disk().total, Capacity());
}

TEST_F(SpaceWatcherTest, TellsItWithoutAReserveToo) {
  const auto watcher = Watch({directory_.path()}, 0);
  files_->SetFreeSpace(1);
  watcher->CheckNow();
  EXPECT_EQ(policy_.disk().free, 1U);
  EXPECT_EQ(policy_.disk().total, Capacity());
  EXPECT_TRUE(policy_.writing_allowed()) << "no space is too little";
}

TEST_F(SpaceWatcherTest, ADiskThatCannotTellHasNoBytes) {
  const auto watcher = Watch({directory_.path() + "/missing"}, 0);
  watcher->CheckNow();
  EXPECT_EQ(policy_.disk().free, 0U);
  EXPECT_EQ(policy_.disk().total, 0U);
}

TEST_F(SpaceWatcherTest, LooksAgainByItself) {
  const auto watcher = Watch({directory_.path()}, 0);
  files_->SetFreeSpace(5);
  watcher->Start();
  EXPECT_TRUE(Sees(5));
  files_->SetFreeSpace(6);
  EXPECT_TRUE(Sees(6));
  watcher->Stop();
}

}  // namespace
}  // namespace basalt::store
