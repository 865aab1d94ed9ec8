// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include <rocksdb/rate_limiter.h>

namespace basalt::store {

// Limits what flushes and compactions write, a limiter of RocksDB's that can be exchanged while
// the store runs: RocksDB takes one only when it opens, and an automatic one keeps the bound it was
// made with.
//
// Thread-safety: all functions from any thread. A request that waits when the limit changes waits
// as the old limit says.
class BackgroundRateLimiter final : public rocksdb::RateLimiter {
 public:
  // What an automatic limiter without a given bound may rise to, in bytes a second.
  static constexpr int64_t kAutomaticBound = int64_t{1} << 30;

  // As SetLimit.
  BackgroundRateLimiter(uint64_t bytes_per_second, bool automatic);

  // At most so many bytes a second; 0: no limit. `automatic`: as many as background work needs to
  // keep up, between a twentieth of that and that; of kAutomaticBound for 0.
  void SetLimit(uint64_t bytes_per_second, bool automatic);
  // Bytes a second that are let through now, of an automatic limit what it has come to; 0: no
  // limit.
  uint64_t CurrentLimit() const;

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
  std::shared_ptr<rocksdb::RateLimiter> Current() const { return current_.load(); }

  std::atomic<bool> automatic_{false};
  std::atomic<std::shared_ptr<rocksdb::RateLimiter>> current_;
  std::array<Passed, rocksdb::Env::IO_TOTAL + 1> passed_;  // by priority, all together last
};

}  // namespace basalt::store
