// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/transaction_db.h>

#include "store/options/store_options.h"

namespace basalt::store {

// Options of the whole RocksDB, from ours; the .cc file gives the reasons. Memtables are charged to
// `cache`; null: to nobody. Listeners, statistics and the information log are the store's to add.
rocksdb::DBOptions DatabaseOptions(const StoreOptions& options,
                                   std::shared_ptr<rocksdb::Cache> cache);

// The number of threads for flushes and compactions that max_background_jobs means.
int BackgroundJobs(const StoreOptions& options);

// For a store with a table file that cannot be opened: files are opened when they are needed, so
// that only those who need that one fail. A sound store does better with all files open from the
// beginning, and whether it is sound shows there.
void OpenFilesLater(rocksdb::DBOptions* db);

// Options of the transaction layer of RocksDB: write-committed, without its point locks.
rocksdb::TransactionDBOptions TransactionOptionsOfDatabase();

}  // namespace basalt::store
