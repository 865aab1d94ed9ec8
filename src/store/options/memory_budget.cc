// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/memory_budget.h"

#include <algorithm>

#include "base/heap.h"

namespace basalt::store {
namespace {

constexpr uint64_t kSmallestMemtable = 1ull << 20;
constexpr uint64_t kLargestMemtable = 64ull << 20;
constexpr uint64_t kLargestTransaction = 32ull << 20;
// Below it the number of files grows for little.
constexpr uint64_t kSmallestTableFile = 4ull << 20;
constexpr uint64_t kLargestTableFile = 64ull << 20;
// RocksDB takes a memtable for full when a quarter of a block is left in its last one.
constexpr uint64_t kFewestBlocks = 3;

}  // namespace

uint64_t MemtableBytes(const StoreOptions& options) {
  if (options.write_buffer_bytes != 0) return options.write_buffer_bytes;
  return std::clamp(options.block_cache_bytes / 8, kSmallestMemtable, kLargestMemtable);
}

uint64_t AllMemtablesBytes(const StoreOptions& options) {
  if (options.total_write_buffer_bytes != 0) return options.total_write_buffer_bytes;
  return std::max(options.block_cache_bytes / 2, 2 * MemtableBytes(options));
}

uint64_t TransactionBytes(const StoreOptions& options) {
  return std::min(MemtableBytes(options), kLargestTransaction);
}

uint64_t TableFileBytes(const StoreOptions& options) {
  return std::clamp(MemtableBytes(options), kSmallestTableFile, kLargestTableFile);
}

int TableFileGrowth(const StoreOptions& options) {
  return TableFileBytes(options) < kLargestTableFile ? 2 : 1;
}

uint64_t MemtableBlockBytes(uint64_t memtable_bytes) {
  return memtable_bytes < kFewestBlocks * kOutsideTheHeapBytes ? 0 : kOutsideTheHeapBytes;
}

}  // namespace basalt::store
