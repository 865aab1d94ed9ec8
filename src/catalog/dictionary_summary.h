// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <rocksdb/db.h>

namespace basalt::catalog {

// Where a dictionary is read from: a store, or one opened for reading only. Borrowed.
struct DictionarySource {
  rocksdb::DB* db = nullptr;
  rocksdb::ColumnFamilyHandle* system = nullptr;
  std::map<uint32_t, std::string> column_families;  // all that exist, names by id
};

// What reading a dictionary has found, and what loading it has repaired: for the server's log.
struct DictionarySummary {
  size_t tables = 0;  // each partition is one
  size_t indexes = 0;
  size_t indexes_with_ttl = 0;
  std::map<uint16_t, size_t> indexes_by_format_version;
  size_t dropped_indexes = 0;  // to be reclaimed, builds included
  size_t builds_cut_off = 0;   // become drops
  size_t column_family_records_added = 0;
};

}  // namespace basalt::catalog
