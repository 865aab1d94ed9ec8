// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/metadata.h>
#include <rocksdb/table_properties.h>

#include "base/status.h"
#include "store/store.h"

namespace basalt::store {

// Pictures of a running store, for those who look at it from outside. All of them may be asked by
// any thread at any time, change nothing and wait for nothing but RocksDB's mutex for a moment.

using NamedNumber = std::pair<const char*, uint64_t>;
using NamedText = std::pair<std::string, std::string>;

// Numbers of one column family and of the whole store, by the names MyRocks gives them; those that
// it has not come last.
std::vector<NamedNumber> ColumnFamilyNumbers(const Store& store,
                                             rocksdb::ColumnFamilyHandle* family);
std::vector<NamedNumber> DatabaseNumbers(const Store& store);

// The options of a column family as they are now: first those of MyRocks' list, by its names, then
// every other one by RocksDB's name in capitals. Nested ones as TABLE_FACTORY::NAME.
std::vector<NamedText> ColumnFamilyOptionTexts(const Store& store,
                                               rocksdb::ColumnFamilyHandle* family);

// What compactions have done, by level ("L0" ..., "Sum").
struct CompactionNumber {
  std::string level;
  std::string name;
  double value;
};
std::vector<CompactionNumber> CompactionNumbers(const Store& store,
                                                rocksdb::ColumnFamilyHandle* family);

// All table files that the present state of the store consists of.
std::vector<rocksdb::LiveFileMetaData> TableFiles(const Store& store);

// A table file with what it says of itself. Reading that opens files that are not open. The error
// is that of the first file that cannot be read; files of other column families are in *files
// anyway.
struct TableFile {
  std::string name;  // "000123.sst"
  uint32_t column_family;
  std::shared_ptr<const rocksdb::TableProperties> properties;
};
Status ReadTableFiles(const Store& store, std::vector<TableFile>* files);

// Bytes of an index, or of a range in the order of its column family, in table files, by the sizes
// of blocks between the ends.
uint64_t DiskBytesOf(const Store& store, rocksdb::ColumnFamilyHandle* family,
                     const rocksdb::Range& range);
uint64_t DiskBytesOf(const Store& store, rocksdb::ColumnFamilyHandle* family, IndexId index);
// What memtables hold of them; RocksDB estimates both numbers.
struct MemtableShare {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};
MemtableShare MemtableShareOf(const Store& store, rocksdb::ColumnFamilyHandle* family,
                              const rocksdb::Range& range);
MemtableShare MemtableShareOf(const Store& store, rocksdb::ColumnFamilyHandle* family,
                              IndexId index);

// RocksDB's background threads: what each is doing, as lines "name: value".
struct BackgroundThread {
  uint64_t id;
  std::string text;
};
std::vector<BackgroundThread> BackgroundThreads(const Store& store);

}  // namespace basalt::store
