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

// Of some thousand entries, taken at places spread over a range (in the order of the column
// family): below a tenth of a millisecond, however large the range is. Reads no file. Nothing when
// the range is empty in memory.
MemtableMix SampleMemtables(const Store& store, rocksdb::ColumnFamilyHandle* family,
                            const rocksdb::Range& range);

// Whether at least half of what a family's memtables hold are old versions and deletions. Walks
// over all of it, some 0.2 us an entry.
bool MemtablesHoldMostlyOldEntries(const Store& store, rocksdb::ColumnFamilyHandle* family);

}  // namespace basalt::store
