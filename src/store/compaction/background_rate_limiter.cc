// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/background_rate_limiter.h"

#include <algorithm>

namespace basalt::store {
namespace {

// As good as none. RocksDB has no word for it.
constexpr int64_t kUnlimited = int64_t{1} << 40;
// RocksDB's defaults: refilled ten times a second; every tenth time the others go first.
constexpr int64_t kRefillMicroseconds = 100 * 1000;
constexpr int32_t kFairness = 10;

}  // namespace

BackgroundRateLimiter::BackgroundRateLimiter(uint64_t bytes_per_second, bool automatic)
    : limiter_(rocksdb::NewGenericRateLimiter(kUnlimited, kRefillMicroseconds, kFairness)) {
  SetLimit(bytes_per_second, automatic);
}

void BackgroundRateLimiter::SetLimit(uint64_t bytes_per_second, bool automatic) {
  MutexLock lock(mutex_);
  bound_ = bytes_per_second;
  automatic_ = automatic;
  Apply();
}

void BackgroundRateLimiter::Follow(const CompactionDebt& debt) {
  MutexLock lock(mutex_);
  paced_ = pacer_.BytesASecond(debt, CompactionPacer::Clock::now());
  Apply();
}

void BackgroundRateLimiter::ChangeHurries(int change) {
  MutexLock lock(mutex_);
  hurries_ += change;
  Apply();
}

void BackgroundRateLimiter::Apply() {
  constexpr uint64_t kMost = kUnlimited;
  uint64_t bytes = bound_ == 0 ? kMost : std::min(bound_, kMost);
  const bool paced = automatic_ && hurries_ == 0 && paced_ != CompactionPacer::kNoLimit;
  if (paced) bytes = std::min(bytes, paced_);
  // Not asked while there is no limit: what it would have let through then it would let through
  // later, when there is one.
  if (bytes != kMost) limiter_->SetBytesPerSecond(static_cast<int64_t>(bytes));
  limited_ = bytes != kMost;
}

BackgroundRateLimiter::Hurry::Hurry(BackgroundRateLimiter* limiter) : limiter_(limiter) {
  if (limiter_ != nullptr) limiter_->ChangeHurries(1);
}

BackgroundRateLimiter::Hurry::~Hurry() {
  if (limiter_ != nullptr) limiter_->ChangeHurries(-1);
}

uint64_t BackgroundRateLimiter::CurrentLimit() const {
  return limited_ ? static_cast<uint64_t>(limiter_->GetBytesPerSecond()) : 0;
}

void BackgroundRateLimiter::SetBytesPerSecond(int64_t bytes_per_second) {
  MutexLock lock(mutex_);
  bound_ = static_cast<uint64_t>(bytes_per_second);
  Apply();
}

void BackgroundRateLimiter::Request(int64_t bytes, rocksdb::Env::IOPriority priority,
                                    rocksdb::Statistics* statistics) {
  if (limited_) limiter_->Request(bytes, priority, statistics);
  for (const size_t place : {static_cast<size_t>(priority), passed_.size() - 1}) {
    passed_[place].bytes.fetch_add(bytes, std::memory_order_relaxed);
    passed_[place].requests.fetch_add(1, std::memory_order_relaxed);
  }
}

int64_t BackgroundRateLimiter::GetSingleBurstBytes() const {
  return limited_ ? limiter_->GetSingleBurstBytes() : kUnlimited;
}

int64_t BackgroundRateLimiter::GetTotalBytesThrough(rocksdb::Env::IOPriority priority) const {
  return passed_[priority].bytes.load(std::memory_order_relaxed);
}

int64_t BackgroundRateLimiter::GetTotalRequests(rocksdb::Env::IOPriority priority) const {
  return passed_[priority].requests.load(std::memory_order_relaxed);
}

rocksdb::Status BackgroundRateLimiter::GetTotalPendingRequests(
    int64_t* requests, rocksdb::Env::IOPriority priority) const {
  return limiter_->GetTotalPendingRequests(requests, priority);
}

int64_t BackgroundRateLimiter::GetBytesPerSecond() const {
  return limited_ ? limiter_->GetBytesPerSecond() : kUnlimited;
}

}  // namespace basalt::store
