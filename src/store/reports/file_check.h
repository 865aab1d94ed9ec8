// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <rocksdb/db.h>

#include "base/index_id.h"
#include "base/status.h"

namespace basalt::store {

class Store;

// Reads every block of the table files that hold keys of an index, from the disk and not from a
// cache, and compares it with its checksum. A file may hold keys of other indexes as well.
//
// *damaged gets a line for each file that is not what was written: its name and what is wrong.
// Files that a compaction removes meanwhile are passed over. `go_on` is asked before each file;
// when it says false the result is kInterrupted. Other errors do not occur: what cannot be read is
// damaged. Any thread; writes go on.
Status CheckFiles(Store* store, IndexId index, rocksdb::ColumnFamilyHandle* family,
                  const std::function<bool()>& go_on, std::vector<std::string>* damaged);

}  // namespace basalt::store
