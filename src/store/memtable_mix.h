// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "store/store.h"

namespace basalt::store {

// What kinds of writes memtables hold. Any thread may ask.
struct MemtableMix {
  uint64_t entries = 0;    // versions and deletions
  uint64_t deletions = 0;  // of them

  double DeletedShare() const {
    return entries == 0 ? 0 : static_cast<double>(deletions) / static_cast<double>(entries);
  }
};

// Of a whole column family. Waits for RocksDB's mutex: not for hot paths.
MemtableMix MemtableMixOf(const Store& store, rocksdb::ColumnFamilyHandle* family);

// Of the one memtable that is being filled. As MemtableMixOf.
MemtableMix ActiveMemtableMix(const Store& store, rocksdb::ColumnFamilyHandle* family);

// Of some thousand entries, taken at places spread over a range (in the order of the column
// family): below a tenth of a millisecond, however large the range is. Reads no file. Nothing when
// the range is empty in memory.
MemtableMix SampleMemtables(const Store& store, rocksdb::ColumnFamilyHandle* family,
                            const rocksdb::Range& range);

// How many keys a family's memtables hold that are not deleted; one more than `limit` when there
// are more. A walk over all versions, some 0.2 us each, until that is known.
uint64_t CountLiveKeys(const Store& store, rocksdb::ColumnFamilyHandle* family, uint64_t limit);

}  // namespace basalt::store
