// SPDX-License-Identifier: GPL-2.0-only
#include "store/memtables/memtable_composition.h"

#include <algorithm>
#include <memory>

#include "store/statistics/number_property.h"

namespace basalt::store {

MemtableComposition CompositionOfMemtables(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  using Properties = rocksdb::DB::Properties;
  MemtableComposition found = CompositionOfActiveMemtable(db, family);
  found.deletions += NumberProperty(db, family, Properties::kNumDeletesImmMemTables);
  found.entries += NumberProperty(db, family, Properties::kNumEntriesImmMemTables);
  return found;
}

MemtableComposition CompositionOfActiveMemtable(rocksdb::DB* db,
                                                rocksdb::ColumnFamilyHandle* family) {
  using Properties = rocksdb::DB::Properties;
  MemtableComposition found;
  // The deletions first: what comes in between must not look like a purge.
  found.deletions = NumberProperty(db, family, Properties::kNumDeletesActiveMemTable);
  found.entries = NumberProperty(db, family, Properties::kNumEntriesActiveMemTable);
  // Unless another memtable has taken its place in between.
  found.deletions = std::min(found.deletions, found.entries);
  return found;
}

uint64_t CountLiveKeys(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, uint64_t limit) {
  rocksdb::ReadOptions options;
  options.read_tier = rocksdb::kMemtableTier;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> key(db->NewIterator(options, family));
  uint64_t keys = 0;
  for (key->SeekToFirst(); key->Valid() && keys <= limit; key->Next()) ++keys;
  return keys;
}

}  // namespace basalt::store
