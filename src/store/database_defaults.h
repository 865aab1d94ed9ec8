// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/options.h>
#include <rocksdb/utilities/transaction_db.h>

#include "store/store_options.h"

namespace basalt::store {

// Options of the whole RocksDB, from ours; the .cc file gives the reasons. Listeners, statistics
// and the information log are the store's to add.
rocksdb::DBOptions DatabaseOptions(const StoreOptions& options);

// Options of the transaction layer of RocksDB: write-committed, without its point locks.
rocksdb::TransactionDBOptions TransactionOptionsOfDatabase();

}  // namespace basalt::store
