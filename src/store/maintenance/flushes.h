// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/statistics.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/errors/error_policy.h"
#include "store/families/column_families.h"
#include "store/maintenance/memtable_room.h"
#include "store/memtables/flush_triggers.h"
#include "store/options/store_options.h"
#include "store/statistics/statistics_keeper.h"
#include "store/wal/wal_backlog.h"

namespace basalt::store {

// Writes memtables to SST files: on demand, and by itself where scans suffer from what is in them.
//
// Any thread, but for FlushForScans. Borrows what it is made with, until the store closes.
class Flushes {
 public:
  struct Parts {
    rocksdb::DB* db;
    rocksdb::Statistics* statistics;
    const ColumnFamilies* families;
    const ErrorPolicy* policy;
    const WalBacklog* backlog;
    const StatisticsKeeper* keeper;
    const StoreOptions* options;
  };
  explicit Flushes(const Parts& parts);
  Flushes(const Flushes&) = delete;
  Flushes& operator=(const Flushes&) = delete;

  // Writes all memtables (or one column family's) to SST files and waits until they are written and
  // counted in the statistics of indexes. kNoSpace or kReadOnly when the store stops taking writes
  // meanwhile: the flush is then done when it takes them again.
  Status Flush();
  Status Flush(rocksdb::ColumnFamilyHandle* handle) { return Flush(handle, nullptr); }
  // kInterrupted soon after `cancelled` has become true: what was asked for goes on then.
  Status Flush(rocksdb::ColumnFamilyHandle* handle, const std::atomic<bool>* cancelled);
  // To be called once a second, by one thread: has memtables written out that scans suffer from,
  // because rows were deleted in masses or have many versions. Does not wait.
  void FlushForScans();

  // Where the writers of batches wait for flushes.
  MemtableRoom& room() { return room_; }
  // Has one memtable written out and does not wait for that. TryAgain while RocksDB stops writes.
  rocksdb::Status Request(rocksdb::ColumnFamilyHandle* handle);

  // What needs the log whole fails while a full disk keeps it from being so, instead of waiting.
  Status CheckLogWritable() const;
  // Waits a moment, unless no flush can come to its end; low space alone does not hold one up.
  Status WaitForFlush() const;

 private:
  Status RequestInTurn(rocksdb::ColumnFamilyHandle* handle, const std::string& doing,
                       const std::atomic<bool>* cancelled);
  bool HasBackgroundWork(rocksdb::ColumnFamilyHandle* handle) const;
  bool HasUnwrittenMemtables(rocksdb::ColumnFamilyHandle* handle) const;
  bool HasUncountedFiles(rocksdb::ColumnFamilyHandle* handle) const;
  Status FlushAndWait(const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                      const std::string& doing, const std::atomic<bool>* cancelled);
  Status WaitUnless(const std::atomic<bool>* cancelled) const;

  const Parts parts_;
  MemtableRoom room_;
  std::map<uint32_t, FlushTriggers> triggers_;  // by column family; FlushForScans' own
};

}  // namespace basalt::store
