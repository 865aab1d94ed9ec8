// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "store/options/store_options.h"

namespace basalt::store {

// One number bounds the memory of the store: block_cache_bytes. Data blocks, index and filter
// blocks and memtables are charged to the cache; a memtable that grows drives blocks out. What
// memtables may take follows from the number unless the options say it:
//
//   budget    one memtable    all memtables together    one transaction    one table file
//   ------    ------------    ----------------------    ---------------    --------------
//   16 MiB         2 MiB        8 MiB                        2 MiB              4 MiB
//   256 MiB       32 MiB      128 MiB                       32 MiB             32 MiB
//   >= 512 MiB    64 MiB      half                          32 MiB             64 MiB
//
// All in bytes. Thread-safety: pure functions.

// An eighth of the budget: three memtables (one being filled, two being written out) leave the
// cache more than half. 64 MiB are enough for anybody: a larger one makes fewer, larger files at
// level 0, and inserts into it get slower.
uint64_t MemtableBytes(const StoreOptions& options);

// Beyond this the oldest memtable is written out, however full: with many column families each has
// one of its own. Writers wait for that (maintenance/memtable_room.h).
uint64_t AllMemtablesBytes(const StoreOptions& options);

// Uncommitted writes that a transaction keeps in memory: as much as a memtable, for it becomes a
// part of one as a whole. What is larger goes through files.
uint64_t TransactionBytes(const StoreOptions& options);

// A quarter of the level below level 0, as large as a memtable. A compaction takes one file and
// those below that overlap with it. If that level were one file, each would rewrite all data: the
// old files would stay until its end, and the page cache would know none of the new ones.
uint64_t TableFileBytes(const StoreOptions& options);

// How many times as large files are from level to level, from the second level below level 0 on.
// More than once where they begin small, or much data with a small cache would be too many open
// files.
int TableFileGrowth(const StoreOptions& options);

// Blocks that a memtable of this size is made of: outside the C library's heap (base/heap.h) where
// a memtable has several of them, else 0, RocksDB's own choice, which is an eighth of the memtable.
uint64_t MemtableBlockBytes(uint64_t memtable_bytes);

}  // namespace basalt::store
