// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include <rocksdb/rate_limiter.h>

#include "base/mutex.h"
#include "store/compaction/compaction_pacer.h"

namespace basalt::store {

// Limits what flushes and compactions write, a limiter of RocksDB's whose bound can be exchanged
// while the store runs, and whose pace follows the work that there is.
//
// Thread-safety: all functions from any thread. A request that waits when the limit changes goes on
// as the new one says within a tenth of a second.
class BackgroundRateLimiter final : public rocksdb::RateLimiter {
 public:
  // As SetLimit.
  BackgroundRateLimiter(uint64_t bytes_per_second, bool automatic);

  // At most so many bytes a second; 0: no limit. `automatic`: only as many as background work needs
  // to keep up, as Follow() is told.
  void SetLimit(uint64_t bytes_per_second, bool automatic);
  // What an automatic limit goes by. To be called about once a second, by one thread.
  void Follow(const CompactionDebt& debt);
  // Bytes a second that are let through now; 0: no limit.
  uint64_t CurrentLimit() const;

  // While there is one, an automatic limit is none: somebody waits for the work.
  class Hurry {
   public:
    // Null: nothing is limited. Must not outlive the limiter.
    explicit Hurry(BackgroundRateLimiter* limiter);
    ~Hurry();
    Hurry(const Hurry&) = delete;
    Hurry& operator=(const Hurry&) = delete;

   private:
    BackgroundRateLimiter* const limiter_;
  };

  // rocksdb::RateLimiter.
  void SetBytesPerSecond(int64_t bytes_per_second) override;
  using rocksdb::RateLimiter::Request;
  void Request(int64_t bytes, rocksdb::Env::IOPriority priority,
               rocksdb::Statistics* statistics) override;
  int64_t GetSingleBurstBytes() const override;
  int64_t GetTotalBytesThrough(rocksdb::Env::IOPriority priority) const override;
  int64_t GetTotalRequests(rocksdb::Env::IOPriority priority) const override;
  rocksdb::Status GetTotalPendingRequests(int64_t* requests,
                                          rocksdb::Env::IOPriority priority) const override;
  int64_t GetBytesPerSecond() const override;

 private:
  struct Passed {
    std::atomic<int64_t> bytes{0};
    std::atomic<int64_t> requests{0};
  };
  void ChangeHurries(int change);
  void Apply() BASALT_REQUIRES(mutex_);

  const std::unique_ptr<rocksdb::RateLimiter> limiter_;
  std::atomic<bool> limited_{false};  // limiter_ is asked
  Mutex mutex_;                       // of what these two are set by
  uint64_t bound_ BASALT_GUARDED_BY(mutex_) = 0;
  bool automatic_ BASALT_GUARDED_BY(mutex_) = false;
  int hurries_ BASALT_GUARDED_BY(mutex_) = 0;
  CompactionPacer pacer_ BASALT_GUARDED_BY(mutex_);
  uint64_t paced_ BASALT_GUARDED_BY(mutex_) = CompactionPacer::kNoLimit;
  std::array<Passed, rocksdb::Env::IO_TOTAL + 1> passed_;  // by priority, all together last
};

}  // namespace basalt::store
