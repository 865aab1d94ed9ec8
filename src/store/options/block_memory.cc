// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/block_memory.h"

#include <new>

#ifndef BASALT_SANITIZED
#include <jemalloc/jemalloc.h>
#endif

namespace basalt::store {

#ifdef BASALT_SANITIZED

std::shared_ptr<rocksdb::MemoryAllocator> NewBlockMemory() { return nullptr; }

#else

namespace {

class BlockMemory : public rocksdb::MemoryAllocator {
 public:
  const char* Name() const override { return "basalt.BlockMemory"; }

  // RocksDB expects memory, as from new[]: out of it is an exception here, too.
  void* Allocate(size_t bytes) override {
    void* block = basalt_je_malloc(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }

  void Deallocate(void* block) override { basalt_je_free(block); }

  size_t UsableSize(void* block, size_t) const override {
    return basalt_je_malloc_usable_size(block);
  }
};

}  // namespace

std::shared_ptr<rocksdb::MemoryAllocator> NewBlockMemory() {
  return std::make_shared<BlockMemory>();
}

#endif

}  // namespace basalt::store
