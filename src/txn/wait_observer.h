// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace basalt::txn {

// Told about waits by the wait graph, for orders that the graph cannot see: a replica applies
// transactions at once that have to commit one after the other. When an earlier one waits for a
// lock of a later one, both are stuck; only who knows the order can tell, and undo the later one.
//
// A runner is who runs a transaction: a name that only the observer understands, never null.
//
// Threads: any; the graph's mutex is held, so the functions are short, neither wait nor call back
// into the lock manager, and both runners are there until they return.
class WaitObserver {
 public:
  using Runner = void*;
  // Which of two should be undone when either would do.
  enum class Victim { kEither, kFirst, kSecond };

  virtual ~WaitObserver() = default;

  // Would Waits have anything to do for waits of this runner? Asked before each wait.
  virtual bool Wants(Runner waiter) const = 0;
  // The waiter is about to wait until the blocker ends or gives something up, directly or because
  // of others in between.
  virtual void Waits(Runner waiter, Runner blocker) = 0;
  // Both are in one cycle of waits.
  virtual Victim Prefer(Runner first, Runner second) const = 0;
  // The waiter goes to sleep, and is awake again: both called by the thread that waits.
  virtual void Sleeps(Runner waiter) = 0;
  virtual void Wakes(Runner waiter) = 0;
};

}  // namespace basalt::txn
