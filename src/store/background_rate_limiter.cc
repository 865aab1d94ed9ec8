// SPDX-License-Identifier: GPL-2.0-only
#include "store/background_rate_limiter.h"

namespace basalt::store {
namespace {

// As good as none. RocksDB has no word for it.
constexpr int64_t kUnlimited = int64_t{1} << 40;
// RocksDB's defaults: refilled ten times a second; every tenth time the others go first.
constexpr int64_t kRefillMicroseconds = 100 * 1000;
constexpr int32_t kFairness = 10;

}  // namespace

BackgroundRateLimiter::BackgroundRateLimiter(uint64_t bytes_per_second, bool automatic) {
  SetLimit(bytes_per_second, automatic);
}

void BackgroundRateLimiter::SetLimit(uint64_t bytes_per_second, bool automatic) {
  const int64_t none = automatic ? kAutomaticBound : kUnlimited;
  const int64_t bytes =
      bytes_per_second == 0 ? none : static_cast<int64_t>(bytes_per_second & INT64_MAX);
  automatic_ = automatic;
  current_.store(std::shared_ptr<rocksdb::RateLimiter>(rocksdb::NewGenericRateLimiter(
      bytes, kRefillMicroseconds, kFairness, Mode::kWritesOnly, automatic)));
}

uint64_t BackgroundRateLimiter::CurrentLimit() const {
  const int64_t bytes = Current()->GetBytesPerSecond();
  return bytes == kUnlimited ? 0 : static_cast<uint64_t>(bytes);
}

void BackgroundRateLimiter::SetBytesPerSecond(int64_t bytes_per_second) {
  SetLimit(static_cast<uint64_t>(bytes_per_second), automatic_);
}

void BackgroundRateLimiter::Request(int64_t bytes, rocksdb::Env::IOPriority priority,
                                    rocksdb::Statistics* statistics) {
  Current()->Request(bytes, priority, statistics);
  for (const size_t place : {static_cast<size_t>(priority), passed_.size() - 1}) {
    passed_[place].bytes.fetch_add(bytes, std::memory_order_relaxed);
    passed_[place].requests.fetch_add(1, std::memory_order_relaxed);
  }
}

int64_t BackgroundRateLimiter::GetSingleBurstBytes() const {
  return Current()->GetSingleBurstBytes();
}

int64_t BackgroundRateLimiter::GetTotalBytesThrough(rocksdb::Env::IOPriority priority) const {
  return passed_[priority].bytes.load(std::memory_order_relaxed);
}

int64_t BackgroundRateLimiter::GetTotalRequests(rocksdb::Env::IOPriority priority) const {
  return passed_[priority].requests.load(std::memory_order_relaxed);
}

rocksdb::Status BackgroundRateLimiter::GetTotalPendingRequests(
    int64_t* requests, rocksdb::Env::IOPriority priority) const {
  return Current()->GetTotalPendingRequests(requests, priority);
}

int64_t BackgroundRateLimiter::GetBytesPerSecond() const { return Current()->GetBytesPerSecond(); }

}  // namespace basalt::store
