// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include <rocksdb/status.h>

namespace basalt::store {

// Lets many threads that all want the log synced share few syncs. The first one becomes the leader
// and syncs; those who arrive meanwhile wait, and one of them then syncs once for all of them.
// RocksDB's FlushWAL(true) alone would run one fsync after the other, one for each caller.
//
// Thread-safety: Sync from any thread.
class WalSyncGroup {
 public:
  // `flush_and_sync` makes everything written to the log before its call durable.
  explicit WalSyncGroup(std::function<rocksdb::Status()> flush_and_sync);

  // Returns after a complete call of flush_and_sync that began after this function was entered;
  // its status. An error reaches every waiter of that round.
  rocksdb::Status Sync();

  // Number of calls of flush_and_sync, for tests and status counters.
  uint64_t rounds() const;

 private:
  std::function<rocksdb::Status()> flush_and_sync_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;
  uint64_t started_ = 0;       // rounds begun
  uint64_t finished_ = 0;      // rounds ended
  uint64_t failed_round_ = 0;  // the last one that failed, with its error
  rocksdb::Status failure_;
};

}  // namespace basalt::store
