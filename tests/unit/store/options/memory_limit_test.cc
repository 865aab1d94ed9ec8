// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace basalt::store {
namespace {

constexpr uint64_t kMachine = uint64_t{8} << 30;

class MemoryLimitTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file(root_ + path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  uint64_t Limit() const { return MemoryLimitBelow(root_, kMachine); }

  const std::string root_ = ::testing::TempDir() + "memory_limit_" + std::to_string(::getpid()) +
                            "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MemoryLimitTest, WithoutGroupsItIsTheMachines) { EXPECT_EQ(Limit(), kMachine); }

TEST_F(MemoryLimitTest, Version2TakesTheLeastOfTheGroupAndThoseAbove) {
  Write("/proc/self/cgroup", "0::/system.slice/mariadb.service\n");
  Write("/sys/fs/cgroup/system.slice/mariadb.service/memory.max", "max\n");
  EXPECT_EQ(Limit(), kMachine);
  Write("/sys/fs/cgroup/system.slice/memory.max", "1073741824\n");
  EXPECT_EQ(Limit(), 1073741824U);
  Write("/sys/fs/cgroup/system.slice/mariadb.service/memory.max", "536870912\n");
  EXPECT_EQ(Limit(), 536870912U);
}

TEST_F(MemoryLimitTest, Version1HasAFolderForMemory) {
  Write("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Limit(), kMachine);
  Write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "471859200\n");
  EXPECT_EQ(Limit(), 471859200U);
}

TEST_F(MemoryLimitTest, InAContainerTheOutermostFolderIsTheGroups) {
  Write("/proc/self/cgroup", "0::/docker/0123\n");
  Write("/sys/fs/cgroup/memory.max", "268435456\n");
  EXPECT_EQ(Limit(), 268435456U);
}

TEST_F(MemoryLimitTest, GarbageSetsNoLimit) {
  Write("/proc/self/cgroup", "\n:\nmemory\n0:\n4:memory\n4:mem,ory:/\n4:,memory,:/x\n0::\n");
  Write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "none\n");
  EXPECT_EQ(Limit(), kMachine);
}

TEST(MemoryLimit, TheCacheTakesAnEighth) {
  constexpr uint64_t kMebibyte = 1 << 20;
  EXPECT_EQ(DefaultCacheBytes(0), 16 * kMebibyte);
  EXPECT_EQ(DefaultCacheBytes(450 * kMebibyte), 56 * kMebibyte);
  EXPECT_EQ(DefaultCacheBytes(1000 * kMebibyte + 5), 125 * kMebibyte);
  EXPECT_EQ(DefaultCacheBytes(4096 * kMebibyte), 512 * kMebibyte);
  EXPECT_EQ(DefaultCacheBytes(UINT64_MAX), 512 * kMebibyte);
}

TEST(MemoryLimit, IsAtLeastSomethingHere) { EXPECT_GE(MemoryLimit(), uint64_t{16} << 20); }

}  // namespace
}  // namespace basalt::store
