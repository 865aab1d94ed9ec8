// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include <rocksdb/memory_allocator.h>

namespace basalt::store {

// Where the block cache keeps its blocks: jemalloc, as a library of our own beside the C library's
// malloc(), which everything else goes on using.
//
// Blocks of all sizes between some hundred bytes and some twenty KiB come and go in the order of
// what is read, from every thread. The C library's heaps grow to up to twice what is cached then;
// jemalloc keeps nearer to it (measured: docs/lab/memory.md, "Memory of cached blocks"), and the
// cache is charged for what a block really takes.
//
// Each call makes an allocator; all share one set of arenas. A block may be freed by any thread.
// Under sanitizers: null, and the cache uses malloc(), which they watch.
std::shared_ptr<rocksdb::MemoryAllocator> NewBlockMemory();

}  // namespace basalt::store
