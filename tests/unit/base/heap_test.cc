// SPDX-License-Identifier: GPL-2.0-only
#include "base/heap.h"

#include <malloc.h>

#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

namespace basalt {
namespace {

// Blocks of the heap that come from the system one by one.
size_t MappedBlocks() { return mallinfo2().hblks; }

size_t MappedBy(size_t bytes) {
  const size_t before = MappedBlocks();
  const std::unique_ptr<void, decltype(&std::free)> block(std::malloc(bytes), &std::free);
  EXPECT_NE(block, nullptr);
  return MappedBlocks() - before;
}

TEST(HeapTest, WhatStatementsTakeAndGiveBackIsNotMapped) {
#ifdef BASALT_SANITIZED
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#endif
  KeepLargeBlocksOutOfTheHeap();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(MappedBy((1 << 20) + 64), 0u) << "a block of a temporary table";
    EXPECT_EQ(MappedBy((2 << 20) + 64), 0u) << "a sort buffer";
    EXPECT_EQ(MappedBy(kOutsideTheHeapBytes), 1u) << "a block of a memtable";
  }
}

}  // namespace
}  // namespace basalt
