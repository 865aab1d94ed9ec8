// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "store/options/store_options.h"

namespace basalt::store {

// Options of the whole store that change while it runs. Those of column families: FamilyManager.
//
// Any thread. Borrows what it is made with, until the store closes.
class LiveSettings {
 public:
  struct Parts {
    rocksdb::DB* db;
    std::shared_ptr<rocksdb::Cache> cache;
    rocksdb::Statistics* statistics;
    const rocksdb::DBOptions* database_options;
    const StoreOptions* options;
  };
  explicit LiveSettings(const Parts& parts) : parts_(parts) {}

  // RocksDB option strings: "name=value;name=value".
  Status SetDatabaseOptions(const std::string& options);
  // As StoreOptions::max_background_jobs.
  Status SetBackgroundJobs(int jobs);
  // As StoreOptions::block_cache_bytes: the cache, and what all memtables together may take of it.
  // A single memtable may be as large as before.
  void SetBlockCacheBytes(uint64_t bytes);
  // To be called now and then: the part of the cache that keeps blocks compressed follows what
  // index and filter blocks leave of it (block_cache.h).
  void DivideBlockCache();
  // How much RocksDB writes to its own log.
  void SetInformationLogLevel(rocksdb::InfoLogLevel level);
  // RocksDB's counters begin at zero again.
  Status ResetStatistics();

 private:
  const Parts parts_;
};

}  // namespace basalt::store
