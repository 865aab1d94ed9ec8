// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "txn/lock_owner.h"
#include "txn/wait_observer.h"

// Who waits for whom, whatever for: rows, whole indexes, ranges, inserts. One place for all of it,
// so that a cycle is found across kinds, and so that all waits end alike.
//
// Waiting is the slow path: one mutex for all of it keeps the search for cycles simple. It is the
// innermost of the lock manager's mutexes: whoever holds it takes no other.
//
// Invariants (tests name them):
//  G1  A cycle of waits is broken when its last edge appears: one request on it fails, the one that
//      closes it unless the observer prefers another.
//  G2  A wait ends by grant, timeout, interruption or deadlock, and leaves nothing behind.
//  G3  A watcher registered before the end of the one it watches is woken by that end.
//  G4  The observer hears of each pair of runners of which one waits for the other, before the wait
//      begins. Edges that come later, when a queue moves, lead only to owners that could be reached
//      before.
// G4 has no BASALT_ASSERT: nothing keeps what the observer has heard. Unit tests with its number
// give an observer that does.

namespace basalt::txn {

// A deadlock that was broken. Each member waited for the next one, the last for the first.
struct DeadlockReport {
  struct Member {
    uint64_t transaction = 0;
    IndexId index;
    std::string key;
    LockKind wanted = LockKind::kRowShared;
  };
  uint64_t number = 0;          // counted from 1 since the start
  int64_t unix_seconds = 0;     // when
  std::vector<Member> members;  // the first one's request was failed
};

class WaitGraph {
 public:
  struct Counters {
    uint64_t waits;
    uint64_t timeouts;
    uint64_t deadlocks;
  };
  // What an owner is waiting for now.
  struct Waiting {
    uint64_t transaction = 0;
    IndexId index;
    std::string key;
    LockKind wanted = LockKind::kRowShared;
  };

  WaitGraph() = default;
  WaitGraph(const WaitGraph&) = delete;
  WaitGraph& operator=(const WaitGraph&) = delete;

  // Once, before there are waits. Borrowed.
  void Observe(WaitObserver* observer) { observer_ = observer; }
  // Who runs the owner from now on. When this returns, the runner before is not used any more.
  void SetRunner(LockOwner* owner, WaitObserver::Runner runner);

  // --- For the lock manager. "Locked" functions are called with mutex() held. ---
  Mutex& mutex() BASALT_RETURNS_MUTEX(mutex_) { return mutex_; }
  // The time at which a wait of so many microseconds, begun now, is over.
  static uint64_t DeadlineAfter(uint64_t microseconds);

  // Forgets the edges of an earlier wait and its grant. Then the caller adds edges, by
  // AddEdgeLocked or AddWatchLocked, and calls SleepLocked.
  void ResetLocked(LockOwner* waiter) BASALT_REQUIRES(mutex_);
  static void AddEdgeLocked(LockOwner* waiter, LockOwner* blocker);
  // The edge goes when `blocker` changes (see Changed), which also ends the wait. The caller holds
  // what keeps the blocker from ending meanwhile (G3).
  static void AddWatchLocked(LockOwner* waiter, LockOwner* blocker);
  // kDeadlock when the edges close a cycle (G1) and the waiter is to be its victim; the caller has
  // then nothing to wait for.
  // Otherwise the owner counts as waiting, until EndLocked.
  Status BeginLocked(LockOwner* waiter, const LockRequest& request) BASALT_REQUIRES(mutex_);
  // Sleeps until GrantLocked or a change of one that is watched: Ok. Otherwise kLockTimeout,
  // kInterrupted, or kDeadlock when it became the victim of a cycle that another closed. `lock`
  // holds mutex(), and again afterwards.
  Status SleepLocked(LockOwner* waiter, MutexLock* lock, uint64_t deadline) BASALT_REQUIRES(mutex_);
  void EndLocked(LockOwner* waiter) BASALT_REQUIRES(mutex_);
  static void GrantLocked(LockOwner* waiter);
  // All of it for a waiter whose edges are watches: begin, sleep, end.
  Status WaitForChangeLocked(LockOwner* waiter, const LockRequest& request, MutexLock* lock,
                             uint64_t deadline) BASALT_REQUIRES(mutex_);
  // The owner has ended or given something up: those who watch it look again. Free when there are
  // none.
  void Changed(LockOwner* owner);

  // Makes the owner's current wait, or its next one, fail with kInterrupted. Any thread.
  void Interrupt(LockOwner* owner);
  static void ClearInterrupt(LockOwner* owner);

  // --- For reports; any thread ---
  Counters counters() const;
  // The newest last.
  std::vector<DeadlockReport> Deadlocks() const;
  // How many of them are kept; 16 unless told.
  void KeepReports(size_t count);
  // False when the owner does not wait.
  bool WhatIsWanted(const LockOwner& owner, Waiting* waiting) const;

 private:
  Status SleepUntil(LockOwner* waiter, MutexLock* lock, uint64_t deadline) BASALT_REQUIRES(mutex_);
  void NotifyObserver(LockOwner* waiter) BASALT_REQUIRES(mutex_);
  bool ClosesCycle(LockOwner* start, std::vector<LockOwner*>* cycle) BASALT_REQUIRES(mutex_);
  bool IsOnCycle(LockOwner* waiter) BASALT_REQUIRES(mutex_);
  size_t ChooseVictim(const std::vector<LockOwner*>& cycle) const BASALT_REQUIRES(mutex_);
  void Report(const std::vector<LockOwner*>& cycle) BASALT_REQUIRES(mutex_);

  mutable Mutex mutex_;
  WaitObserver* observer_ = nullptr;
  uint64_t visit_ BASALT_GUARDED_BY(mutex_) = 0;
  std::deque<DeadlockReport> reports_ BASALT_GUARDED_BY(mutex_);
  uint64_t report_number_ BASALT_GUARDED_BY(mutex_) = 0;
  size_t kept_reports_ BASALT_GUARDED_BY(mutex_) = 16;

  std::atomic<uint64_t> waits_{0};
  std::atomic<uint64_t> timeouts_{0};
  std::atomic<uint64_t> deadlocks_{0};
};

}  // namespace basalt::txn
