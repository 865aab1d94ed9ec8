// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/block_memory.h"

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

#ifdef BASALT_SANITIZED

TEST(BlockMemoryTest, SanitizersWatchMalloc) { EXPECT_EQ(NewBlockMemory(), nullptr); }

#else

TEST(BlockMemoryTest, BlocksAreAsLargeAsTheySay) {
  const auto memory = NewBlockMemory();
  for (const size_t bytes : {1, 100, 4096, 16384, 16389, 1 << 20}) {
    void* block = memory->Allocate(bytes);
    ASSERT_NE(block, nullptr);
    const size_t usable = memory->UsableSize(block, bytes);
    EXPECT_GE(usable, bytes);
    EXPECT_LE(usable, bytes + bytes / 4 + 16) << bytes;
    memset(block, 1, usable);
    memory->Deallocate(block);
  }
}

TEST(BlockMemoryTest, ABlockOfSixteenKibWastesNothing) {
  const auto memory = NewBlockMemory();
  void* block = memory->Allocate(16384);
  EXPECT_EQ(memory->UsableSize(block, 16384), 16384u);
  memory->Deallocate(block);
}

TEST(BlockMemoryTest, AnotherThreadMayFree) {
  const auto memory = NewBlockMemory();
  std::vector<void*> blocks;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) blocks.push_back(memory->Allocate(1000 + 16 * i));
  }).join();
  for (void* block : blocks) memory->Deallocate(block);
}

#endif

}  // namespace
}  // namespace basalt::store
