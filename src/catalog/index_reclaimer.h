// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/catalog.h"

namespace basalt::catalog {

// Frees the space of dropped indexes in the background. A small index is deleted key by key. A
// large one loses first the table files that hold nothing else, then the rest to one range
// deletion, which a compaction of just that range turns into free space. Only when nothing of the
// index can be read any more do its dictionary records go, in one batch. Whatever dies in between,
// the next start finds the record of the drop and begins again.
//
// A table file that cannot be read goes too when it holds nothing else. Where it holds more, it
// stays with all its space: the range deletion hides the index for good, and its records go.
//
// It never blocks DDL: it holds no lock of the catalog while it works. Errors are logged and the
// index is tried again later.
//
// Thread-safety: Start and Stop from one thread; Wake and the rest from any.
class IndexReclaimer {
 public:
  // `catalog` must outlive the reclaimer. `retry_after`: how long the thread waits after an error.
  explicit IndexReclaimer(Catalog* catalog,
                          std::chrono::seconds retry_after = std::chrono::seconds(10));
  ~IndexReclaimer();
  IndexReclaimer(const IndexReclaimer&) = delete;
  IndexReclaimer& operator=(const IndexReclaimer&) = delete;

  // Starts the thread. Only after the server's DDL recovery: what is queued is lost from then on.
  void Start();
  // New work is there, or what failed may work now. Drops through the catalog wake it by
  // themselves.
  void Wake();
  // Ends the thread, cancelling a compaction in progress. Idempotent.
  void Stop();

  // Works through everything queued now, in the calling thread: for tests and for tools. The first
  // error, after all have been tried.
  Status ReclaimAll();
  // Indexes freed since the start of the process.
  uint64_t reclaimed() const { return reclaimed_.load(std::memory_order_relaxed); }

 private:
  void Run();
  Status Reclaim(IndexId index);
  // Deletes by key when few enough are left; *done tells.
  Status DeleteFewKeys(rocksdb::ColumnFamilyHandle* handle, IndexId index, bool* done);
  Status DeleteFiles(rocksdb::ColumnFamilyHandle* handle, IndexId index);
  Status DeleteWholeRange(rocksdb::ColumnFamilyHandle* handle, IndexId index);
  Status FinishIfEmpty(rocksdb::ColumnFamilyHandle* handle, IndexId index);
  Status Finish(IndexId index);

  Catalog* const catalog_;
  const std::chrono::seconds retry_after_;
  Mutex mutex_;  // guards wake_ and the thread's sleep
  CondVar changed_;
  bool wake_ BASALT_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> reclaimed_{0};
  std::thread thread_;
};

}  // namespace basalt::catalog
