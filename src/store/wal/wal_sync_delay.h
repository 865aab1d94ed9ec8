// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "store/wal/wal_sync_trial.h"

namespace basalt::store {

// Time, as WalSyncDelay and WalSyncGroup see it. Tests have one that does not pass by itself.
class WalSyncClock {
 public:
  virtual ~WalSyncClock() = default;
  // Never goes back.
  virtual std::chrono::microseconds Now() = 0;
  // Returns when `word` has another value than `expected` and was woken, or after `most`; it may
  // return sooner.
  virtual void Wait(std::atomic<uint32_t>* word, uint32_t expected,
                    std::chrono::microseconds most) = 0;

  // The machine's.
  static WalSyncClock* Default();
};

// Decides how long the leader of a round of WalSyncGroup waits for other committers before it
// syncs, so that one sync serves them, too. PostgreSQL's commit_delay is such a time, and a fixed
// one; this one follows what the syncs take, and is 0 unless the disk is what commits wait for:
//
// - A sync takes half a millisecond or more on the average. Where it takes less, 15 of 16 rounds do
//   not even look at the clock.
// - Rounds run for more than a fifth of the time. From a half on it is the whole wait.
// - Waiting brings others. Where three of four waits were in vain, as with clients that change the
//   same row in turns, only one round in 32 waits.
// - Clients commit more with waits than without: wal_sync_trial.h tries both.
//
// Then it is a quarter of what a sync of this disk usually takes, and three times what syncs take
// longer than that. The first part lets two groups of clients, each of which works while the other
// syncs, become one. The second is for a disk at its limit of operations: its syncs take long
// because there are too many of them. The wait ends that, and so it limits itself.
//
// It is never longer than ten milliseconds, nor than the mean sync; where less than half of the
// round is missing it is shorter in proportion, for many would wait for few.
//
// Thread-safety: only one thread at a time, the leader of a round; active() from any thread.
class WalSyncDelay {
 public:
  explicit WalSyncDelay(WalSyncClock* clock) : clock_(clock) {}

  // Around each sync, which serves so many commits.
  void BeginRound();
  void EndRound(uint64_t members);
  // How long the leader of a round that has so many members may wait, at most, for so many others;
  // to be asked once a round.
  std::chrono::microseconds MostWait(uint64_t members, uint64_t missing);
  // A wait has ended; `joined`: others came to the round meanwhile.
  void EndWait(bool joined);

  // Whether a wait is possible at all. One load.
  bool active() const { return active_.load(std::memory_order_relaxed); }

 private:
  void BeginMeasuring();
  void MeasureSync(double micros);
  double WaitForBusyDisk() const;

  WalSyncClock* const clock_;
  std::atomic<bool> active_{false};
  bool measuring_ = false;
  int rounds_ = 0;  // since measuring began or ended
  std::chrono::microseconds begun_{0};
  // Microseconds. Averages over the last 64 rounds or so; what is usual is what one sync in ten
  // stays below.
  double sync_ = 0, from_begin_to_begin_ = 0, usual_sync_ = 0;
  double joined_ = 1;  // of the last waits: in how many others came
  unsigned asked_ = 0;
  uint64_t members_of_last_ = 0;
  WalSyncTrial trial_;
};

}  // namespace basalt::store
