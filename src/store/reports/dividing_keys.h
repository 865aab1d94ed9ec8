// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/index_id.h"

namespace basalt::store {

// Keys that divide the entries of an index into `parts` (at least one) that take about as much room
// on disk: each is the first one of its part, in the order of bytes. There are fewer than parts - 1
// where blocks of files do not tell, and none for an index within one block or in memory. Not each
// key has an entry. They ascend, also when files change meanwhile.
//
// Asks RocksDB some hundred times how many bytes come before a key, which it tells by the index
// blocks of files. Any thread.
std::vector<std::string> DividingKeys(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                      IndexId index, size_t parts);

}  // namespace basalt::store
