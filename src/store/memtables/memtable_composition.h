// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include <rocksdb/db.h>

namespace basalt::store {

// How many versions and tombstones memtables hold. Any thread may ask.
struct MemtableComposition {
  uint64_t entries = 0;    // versions and tombstones
  uint64_t deletions = 0;  // the tombstones among them

  double DeletedShare() const {
    return entries == 0 ? 0 : static_cast<double>(deletions) / static_cast<double>(entries);
  }
};

// Counts all memtables of a column family. Waits for RocksDB's mutex: not for hot paths.
MemtableComposition CompositionOfMemtables(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family);

// Counts the active memtable only. Waits for RocksDB's mutex, too.
MemtableComposition CompositionOfActiveMemtable(rocksdb::DB* db,
                                                rocksdb::ColumnFamilyHandle* family);

// How many keys a family's memtables hold that are not deleted; one more than `limit` when there
// are more. A walk over all versions, some 0.2 us each, until that is known.
uint64_t CountLiveKeys(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, uint64_t limit);

}  // namespace basalt::store
