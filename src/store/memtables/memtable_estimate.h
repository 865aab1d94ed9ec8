// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include <rocksdb/db.h>

#include "store/memtables/memtable_composition.h"

namespace basalt::store {

// RocksDB estimates the entries of a range from how many of them stand in higher levels of the
// memtable's skip list. Levels are drawn by lot: one estimate is off by 12 % on average, and one of
// some thousands by more than twice. These two cut the range into parts with about as many entries
// each and add up estimates of the parts. A dozen entries or fewer are counted. `range` is in the
// order of the column family. No file is read, and the cost does not depend on the range.
//
// Any thread.

// Estimates the entries of a range, deletions included. 4 parts, off by 6 %; some 10 us.
uint64_t EstimateMemtableEntries(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                 const rocksdb::Range& range);

// Estimates the deletions among them, too, from a sample of each part. 16 parts, off by 3 %; about
// 0.1 ms.
MemtableComposition EstimateMemtables(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                      const rocksdb::Range& range);

}  // namespace basalt::store
