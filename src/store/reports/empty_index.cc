// SPDX-License-Identifier: GPL-2.0-only
#include "store/reports/empty_index.h"

#include <cstdint>
#include <memory>

namespace basalt::store {

bool IsEmpty(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const IndexBounds& bounds) {
  constexpr uint64_t kDeletedEntries = 1000;
  rocksdb::ReadOptions options;
  bounds.Confine(&options);
  options.max_skippable_internal_keys = kDeletedEntries;
  const std::unique_ptr<rocksdb::Iterator> entry(db->NewIterator(options, family));
  entry->SeekToFirst();
  return !entry->Valid() && entry->status().ok();
}

}  // namespace basalt::store
