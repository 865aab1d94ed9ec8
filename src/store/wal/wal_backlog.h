// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/mutex.h"

namespace basalt::store {

// Holds the WAL records that a full disk cannot take, in memory, until there is space.
//
// RocksDB cannot go on after a failed write of the log: with two-phase commit it takes even a full
// disk for fatal, because records that others have passed on to the memtables are missing in the
// log. So it does not get to see a full disk there. The bytes that do not fit wait here, in their
// order; nothing that was asked to be durable is reported so while bytes wait (SyncWal fails with
// kNoSpace), and the error policy takes no new writes. When there is space again the bytes are
// written and everything goes on.
//
// Invariants
// B1 What is on disk of all logs together is a prefix of what RocksDB has written to them: while
//    bytes of one log wait, those of all later ones do.
// B2 No sync of a log succeeds while bytes of it wait, except for the caller that has said that it
//    looks at pending() itself (SyncScope). Others wait: a flush must not run ahead of the log.
//    What that caller has been told is made true before pending() ends: such a log is synced when
//    its bytes are written, for RocksDB will not ask again.
// B3 An error other than a full disk is final: what a failed fsync has lost, a second one that
//    succeeds does not bring back. The log then stays closed to writes until the store is reopened.
// B3 has no BASALT_ASSERT: the error policy closes the store, which this class only tells. Unit
// tests of the policy and `./dev test faults` check it.
//
// Thread-safety: all functions, from any thread.
class WalBacklog {
 public:
  // `on_change(pending)` when bytes begin to wait, and when none do any more; `on_failure` once, at
  // the first error that is not a full disk. Both are called inside RocksDB's work and must not
  // call back into it.
  WalBacklog(std::function<void(bool pending)> on_change,
             std::function<void(const rocksdb::IOStatus&)> on_failure);

  // One load.
  bool pending() const { return pending_.load(std::memory_order_acquire); }
  uint64_t bytes() const;
  // Tries to write what waits, oldest first. True when nothing waits any more.
  bool Drain();
  // From here on nobody waits for space: the store is closing.
  void Release();

  // The thread that syncs the log for others, and looks at pending() afterwards.
  class SyncScope {
   public:
    SyncScope();
    ~SyncScope();
  };

  // `target` with the logs in `directory` (NUMBER.log) written through this backlog; copies that a
  // checkpoint makes elsewhere are not. The backlog must outlive the file system.
  std::shared_ptr<rocksdb::FileSystem> Wrap(const std::shared_ptr<rocksdb::FileSystem>& target,
                                            std::string directory);

 private:
  class Files;
  class File;
  struct Log;

  bool DrainAll() BASALT_REQUIRES(mutex_);
  bool DrainOne(Log* log) BASALT_REQUIRES(mutex_);
  bool Waits(const std::shared_ptr<Log>& log) const BASALT_REQUIRES(mutex_);
  static rocksdb::IOStatus SyncDirectoryOf(const Log& log);
  static rocksdb::IOStatus CloseFile(Log* log);
  rocksdb::IOStatus Append(Log* log, const rocksdb::Slice& data) BASALT_REQUIRES(mutex_);
  rocksdb::IOStatus Wait(const std::shared_ptr<Log>& log, std::string_view data)
      BASALT_REQUIRES(mutex_);
  rocksdb::IOStatus Failed(Log* log, rocksdb::IOStatus error) BASALT_REQUIRES(mutex_);
  rocksdb::IOStatus Sync(const std::shared_ptr<Log>& log, bool full);
  rocksdb::IOStatus Close(const std::shared_ptr<Log>& log);
  void Forget(const std::string& path);

  const std::function<void(bool)> on_change_;
  const std::function<void(const rocksdb::IOStatus&)> on_failure_;
  std::atomic<bool> pending_{false};
  mutable Mutex mutex_;  // guards every Log, too
  CondVar drained_;
  std::vector<std::shared_ptr<Log>> waiting_ BASALT_GUARDED_BY(mutex_);  // oldest first
  bool released_ BASALT_GUARDED_BY(mutex_) = false;
  bool failed_ BASALT_GUARDED_BY(mutex_) = false;
};

}  // namespace basalt::store
