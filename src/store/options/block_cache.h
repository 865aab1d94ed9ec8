// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>

#include <rocksdb/cache.h>

#include "store/options/store_options.h"

namespace basalt::store {

// The block cache, and how it is divided.
//
// With StoreOptions::compressed_cache_percent a part of it keeps blocks compressed (LZ4). A block
// that reads drive out of the other part goes there, and comes back when it is wanted again: no
// operation of the disk, and several times as many blocks in as many bytes. Where reads go through
// the operating system's page cache, that holds the compressed blocks of the files instead.
//
// Any thread.

// Charged to it are blocks and memtables, memory_budget.h; its allocator is block_memory.h's, which
// blocks that come back from the compressed part do not use.
std::shared_ptr<rocksdb::Cache> NewBlockCache(const StoreOptions& options);

// Bytes that the compressed part may have at most, of the cache's capacity; 0: there is none.
// Memtables take their share of these, too.
uint64_t CompressedCacheBytes(const rocksdb::Cache& cache);

// Divides the cache anew, to be called now and then: index and filter blocks of open files cannot
// be driven out, so the compressed part gets `percent` of what they leave, and a twentieth of the
// cache at least. Does nothing for a difference below a twentieth, or without a compressed part.
void DivideBlockCache(const std::shared_ptr<rocksdb::Cache>& cache, uint32_t percent);

}  // namespace basalt::store
