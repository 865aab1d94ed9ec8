// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/statistics.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "store/families/column_families.h"
#include "store/maintenance/flushes.h"
#include "store/maintenance/manual_compactions.h"
#include "store/options/store_options.h"
#include "store/wal/wal_sync_group.h"

namespace basalt::store {

// Compactions that are asked for, files that are taken over, and the pace of background work.
//
// Any thread. Borrows what it is made with, until the store closes.
class Compactions {
 public:
  struct Parts {
    rocksdb::DB* db;
    rocksdb::Statistics* statistics;
    const ColumnFamilies* families;
    const StoreOptions* options;
    Flushes* flushes;
    const WalSyncGroup* syncs;
    // Told of each compaction of level 0, of which RocksDB tells no listener.
    std::function<void(const rocksdb::CompactionJobInfo&)> count_files;
  };
  explicit Compactions(Parts parts);

  // Compacts a family, or as told, and waits. kInterrupted: its report has ended it; what RocksDB
  // still waits for then may go on for a while (ManualCompactions).
  Status Compact(rocksdb::ColumnFamilyHandle* handle);
  Status Compact(const ManualCompaction& compaction);
  // For the end of the store: waits for the threads that an ended Compact() has left; how many go
  // on.
  void WaitForLeft() { manual_.WaitForLeft(); }
  size_t left() { return manual_.left(); }
  // Compacts what level 0 holds into the next level; waits for compactions that work on it.
  Status CompactLevelZero();
  // Compact() calls: how many there were, how many run.
  uint64_t ended_manual() const { return ended_manual_.load(); }
  uint64_t running_manual() const { return running_manual_.load(); }

  // Takes finished SST files over, all of them or none. What they delete is compacted away soon.
  Status Ingest(const std::vector<rocksdb::IngestExternalFileArg>& arguments);

  // Stops flushes and compactions, waiting for those that run, or lets them go on. Counted.
  Status PauseBackgroundWork(bool pause);
  // To be called once a second: has background work go as fast as it must, where its limit is
  // automatic.
  void PaceBackgroundWork();

 private:
  Status CompactLevelZero(rocksdb::ColumnFamilyHandle* handle);

  const Parts parts_;
  ManualCompactions manual_;
  std::atomic<uint64_t> ended_manual_{0};
  std::atomic<uint64_t> running_manual_{0};
};

}  // namespace basalt::store
