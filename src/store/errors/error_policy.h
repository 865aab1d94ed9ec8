// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/listener.h>
#include <rocksdb/status.h>

#include "base/mutex.h"
#include "base/status.h"
#include "store/options/store_options.h"

namespace basalt::store {

// Bytes of a file system; 0 while it cannot tell. `free`: what users other than root may take.
struct DiskSpace {
  uint64_t free = 0;
  uint64_t total = 0;
};

// What to do when the disk or the data fails: reads go on, writes stop with a clear message, the
// store tries to come back. Nothing here ends the process.
//
//   error                                       effect
//   ------------------------------------------  ------------------------------------------------
//   compaction: no space, I/O error             compaction is retried; writes stop only for space
//   compaction: damaged input                   the same: what is damaged can be read around, its
//                                               table dropped or repaired
//   opening a table file in the background      none: statements that need the file get the error
//   flush: no space, other I/O error            writes stop; the flush is repeated until it works
//   manifest: no space, other I/O error         writes stop; a new manifest is written when it can
//   log: no space                               writes stop; what does not fit waits in memory
//                                               (wal_backlog.h) and is written when there is space
//   log: other error of a write or sync         writes stop until a restart: what the log still
//                                               held in memory is lost to it, and RocksDB refuses
//                                               to go on
//   corruption in other background work         writes stop until a restart
//   free space below the reserve                writes stop; resume at 1.5 times the reserve
//
// Thread-safety: all functions, from any thread.
class ErrorPolicy {
 public:
  // Messages for statements name files without `folders`, those of the store; the log names them
  // whole.
  ErrorPolicy(std::function<void(LogLevel, std::string_view)> log,
              std::vector<std::string> folders);

  // One relaxed load: cheap enough for each row.
  bool writing_allowed() const { return reasons_.load(std::memory_order_relaxed) == 0; }
  // Ok, or kReadOnly / kNoSpace with the reason in words.
  Status CheckWritingAllowed() const;

  // As CheckWritingAllowed, for a write that will free space: low space does not stop it.
  Status CheckFreeingAllowed() const;

  // RocksDB reports a background error; may change *error to make it milder (see the table).
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error);
  // RocksDB has told, by OnErrorRecoveryEnd, that it has recovered.
  void OnRecovered();
  // The log has met a full disk, or got out of it again.
  void OnLogWaits(bool waits);
  // The log cannot be written or synced for another reason.
  void OnLogFailure(const rocksdb::Status& error);
  // Takes no writes any more until a restart; `reason` in words, for every statement that tries.
  void StopUntilRestart(const std::string& reason, Code code);
  bool NeedsRestart() const {
    return (reasons_.load(std::memory_order_acquire) & kNeedsRestart) != 0;
  }
  // Recovering did not help: writing is off; a fatal error makes it plain that only a restart
  // will turn it on.
  void OnResumeFailed(const rocksdb::Status& error);
  bool LogWaits() const { return (reasons_.load(std::memory_order_acquire) & kLogWaits) != 0; }
  // True when the watcher should try to recover now.
  bool ResumeIsWorthTrying() const;

  // The watcher's finding about free space; logs a change of state once.
  void OnFreeSpace(uint64_t free_bytes, uint64_t reserved_bytes);
  // And about the file system with the store's directory, five times a second.
  void OnDisk(const DiskSpace& disk);
  // What it was last told. Two loads: the numbers may be of two looks, one behind the other.
  DiskSpace disk() const;

 private:
  enum Reason : uint32_t { kBackgroundError = 1, kLowSpace = 2, kNeedsRestart = 4, kLogWaits = 8 };
  void Log(LogLevel level, std::string_view text) const;
  // Once code_ is set.
  std::string MessageOf(std::string_view remedy, std::string cause) const BASALT_REQUIRES(mutex_);
  void Stop(const rocksdb::Status& error, const std::string& text, bool restart);
  void LogCompactionError(const rocksdb::Status& error, const std::string& text);

  std::function<void(LogLevel, std::string_view)> log_;
  const std::vector<std::string> folders_;
  std::atomic<uint32_t> reasons_{0};
  std::atomic<uint64_t> disk_free_{0};
  std::atomic<uint64_t> disk_total_{0};
  mutable Mutex mutex_;
  std::string message_ BASALT_GUARDED_BY(mutex_);
  Code code_ BASALT_GUARDED_BY(mutex_) = Code::kReadOnly;
  // The last one logged, and when it may be said again.
  std::string compaction_text_ BASALT_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point compaction_text_again_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::store
