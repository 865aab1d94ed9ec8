// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/manual_compaction.h"

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#include "base/mutex.h"
#include "base/worker_thread.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
namespace {

constexpr std::chrono::milliseconds kBetweenReports{100};

uint64_t BytesOf(rocksdb::DB* db, const ManualCompaction& compaction) {
  if (compaction.first == nullptr || compaction.past_last == nullptr) {
    return NumberProperty(db, compaction.family, rocksdb::DB::Properties::kLiveSstFilesSize);
  }
  uint64_t bytes = 0;
  const rocksdb::Range range(*compaction.first, *compaction.past_last);
  rocksdb::SizeApproximationOptions options;
  const bool known = db->GetApproximateSizes(options, compaction.family, &range, 1, &bytes).ok();
  return known ? bytes : 0;
}

// RocksDB's call blocks, so it gets a thread of its own while the caller's looks after it.
class WatchedCompaction {
 public:
  WatchedCompaction(rocksdb::DB* db, const ManualCompaction& compaction,
                    rocksdb::CompactRangeOptions options)
      : db_(db), compaction_(compaction), options_(options) {
    options_.canceled = &canceled_;
  }

  rocksdb::Status Run(const std::function<uint64_t()>& written) {
    const uint64_t before = written();
    const uint64_t expected = BytesOf(db_, compaction_);
    std::thread worker;
    try {
      worker = StartWorkerThread("manual compaction", [this] { Compact(); });
    } catch (const std::system_error&) {
      Compact();  // without reports: better than not at all
      return result_;
    }
    MutexLock lock(mutex_);
    while (!ended_.WaitFor(lock, kBetweenReports, [this] { return done_; })) {
      lock.Unlock();
      if (!compaction_.report(written() - before, expected)) canceled_ = true;
      lock.Lock();
    }
    lock.Unlock();
    worker.join();
    return result_;
  }

 private:
  void Compact() {
    rocksdb::Status result =
        db_->CompactRange(options_, compaction_.family, compaction_.first, compaction_.past_last);
    MutexLock guard(mutex_);
    result_ = std::move(result);
    done_ = true;
    ended_.NotifyAll();
  }

  rocksdb::DB* const db_;
  const ManualCompaction& compaction_;
  rocksdb::CompactRangeOptions options_;
  std::atomic<bool> canceled_{false};
  Mutex mutex_;  // guards done_ and result_
  CondVar ended_;
  bool done_ = false;
  rocksdb::Status result_;
};

}  // namespace

rocksdb::Status RunManualCompaction(rocksdb::DB* db, const ManualCompaction& compaction,
                                    const std::function<uint64_t()>& written) {
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.max_subcompactions = compaction.threads;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  if (compaction.report) return WatchedCompaction(db, compaction, options).Run(written);
  return db->CompactRange(options, compaction.family, compaction.first, compaction.past_last);
}

}  // namespace basalt::store
