// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_delay.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace basalt::store {
namespace {

using std::chrono::microseconds;

constexpr microseconds kFastSync{500};
constexpr int kRoundsBetweenLooks = 16;
constexpr int kRoundsOfAverage = 64;
// A pause of the clients, or of the whole machine, says nothing of the disk.
constexpr double kLongest = 100'000;

// Rounds run this part of the time: no wait yet; the whole wait.
constexpr double kBusyEnough = 0.2, kBusy = 0.5;
constexpr double kOfUsualSync = 0.25, kOfQueueing = 3;
constexpr double kMostWait = 10'000;

constexpr double kJoinedEnough = 0.25;
constexpr unsigned kRoundsBetweenTries = 32;

class SteadyClock final : public WalSyncClock {
 public:
  microseconds Now() override {
    return std::chrono::duration_cast<microseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
  }
  void Wait(std::atomic<uint32_t>* word, uint32_t expected, microseconds most) override {
    const timespec time{.tv_sec = most.count() / 1'000'000,
                        .tv_nsec = most.count() % 1'000'000 * 1000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
  }
};

}  // namespace

WalSyncClock* WalSyncClock::Default() {
  static SteadyClock clock;
  return &clock;
}

void WalSyncDelay::BeginRound() {
  if (!measuring_ && ++rounds_ < kRoundsBetweenLooks) return;
  const microseconds now = clock_->Now();
  const microseconds passed = now - begun_;
  begun_ = now;
  if (measuring_) {
    const double measured = std::min<double>(passed.count(), kLongest);
    from_begin_to_begin_ +=
        (measured - from_begin_to_begin_) / std::clamp(rounds_, 1, kRoundsOfAverage);
    if (active()) trial_.AddRound(measured, members_of_last_);
    return;
  }
  rounds_ = 0;
  // So many rounds in so short a time: their syncs took less.
  if (passed >= kFastSync * kRoundsBetweenLooks) BeginMeasuring();
}

void WalSyncDelay::BeginMeasuring() {
  measuring_ = true;
  sync_ = from_begin_to_begin_ = usual_sync_ = 0;
  joined_ = 1;
  trial_.Interrupt();
}

void WalSyncDelay::EndRound(uint64_t members) {
  members_of_last_ = members;
  if (!measuring_) return;
  MeasureSync(std::min<double>((clock_->Now() - begun_).count(), kLongest));
  if (rounds_ < kRoundsOfAverage) return;
  const bool slow = sync_ >= kFastSync.count();
  active_.store(slow, std::memory_order_relaxed);
  if (slow) return;
  measuring_ = false;
  rounds_ = 0;
}

void WalSyncDelay::MeasureSync(double micros) {
  rounds_ = std::min(rounds_ + 1, kRoundsOfAverage);
  sync_ += (micros - sync_) / rounds_;
  if (usual_sync_ == 0) usual_sync_ = micros;
  // Down nine times as far as up: it comes to rest where nine of ten are above it.
  usual_sync_ *= micros < usual_sync_ ? 0.955 : 1.005;
}

microseconds WalSyncDelay::MostWait(uint64_t members, uint64_t missing) {
  if (!active() || missing == 0 || !trial_.waits()) return microseconds(0);
  if (joined_ < kJoinedEnough && ++asked_ % kRoundsBetweenTries != 0) return microseconds(0);
  const double part_missing = static_cast<double>(missing) / static_cast<double>(members + missing);
  const double most = std::min(sync_ * std::min(1.0, 2 * part_missing), kMostWait);
  return microseconds(static_cast<int64_t>(std::min(WaitForBusyDisk(), most)));
}

double WalSyncDelay::WaitForBusyDisk() const {
  const double busy = sync_ / std::max(from_begin_to_begin_, sync_);
  const double part = std::clamp((busy - kBusyEnough) / (kBusy - kBusyEnough), 0.0, 1.0);
  const double usual = std::min(usual_sync_, sync_);
  return part * (kOfUsualSync * usual + kOfQueueing * (sync_ - usual));
}

void WalSyncDelay::EndWait(bool joined) { joined_ += ((joined ? 1 : 0) - joined_) / 8; }

}  // namespace basalt::store
