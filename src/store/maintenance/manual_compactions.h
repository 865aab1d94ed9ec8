// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <rocksdb/db.h>

#include "base/mutex.h"
#include "base/status.h"
#include "store/compaction/manual_compaction.h"

namespace basalt::store {

// Carries out the compactions that statements ask for, each in a thread of its own, which the
// statement's thread watches.
//
// While a compaction waits for another one of its files, RocksDB does not look whether it has been
// cancelled. Its thread is left then: the statement ends, and the thread ends when RocksDB comes
// back. It compacts nothing more.
//
// Any thread.
class ManualCompactions {
 public:
  struct Parts {
    rocksdb::DB* db;
    // Writes the family's memtables out and waits for that, unless `cancelled` becomes true. Each
    // compaction begins with it.
    std::function<Status(rocksdb::ColumnFamilyHandle*, const std::atomic<bool>* cancelled)> flush;
    // Bytes that background work has written so far.
    std::function<uint64_t()> written;
  };
  explicit ManualCompactions(Parts parts);
  ~ManualCompactions();
  ManualCompactions(const ManualCompactions&) = delete;
  ManualCompactions& operator=(const ManualCompactions&) = delete;

  // kInterrupted when its report has ended it, less than a second before; what was compacted until
  // then stays.
  Status Run(const ManualCompaction& compaction);
  // Waits for the threads that were left. For the end of the store, which has cancelled all
  // background work and begins no compaction any more.
  void WaitForLeft();
  // Threads that were left and go on.
  size_t left();

 private:
  class Task;

  void Leave(std::unique_ptr<Task> task);
  void ForgetEnded() BASALT_REQUIRES(mutex_);

  const Parts parts_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Task>> left_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::store
