// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include "store/format/index_bounds.h"

namespace basalt::store {

// Has an index, which has these bounds in its column family, no entry at all, as it is committed
// now? Costs a look-up: among very many deleted entries, and when the store cannot be read, the
// answer is no. Any thread.
bool IsEmpty(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const IndexBounds& bounds);

}  // namespace basalt::store
