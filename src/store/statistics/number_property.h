// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

#include <rocksdb/db.h>

namespace basalt::store {

// A property of a column family (rocksdb::DB::Properties) that is a number; 0 when RocksDB does not
// know it. Takes RocksDB's mutex as a rule: not for hot paths. Any thread.
inline uint64_t NumberProperty(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                               const std::string& name) {
  uint64_t number = 0;
  return db->GetIntProperty(family, name, &number) ? number : 0;
}

}  // namespace basalt::store
