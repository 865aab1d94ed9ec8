// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace basalt::txn {

// The wait graph reports lock waits to this interface. A replica applies transactions in parallel
// that have to commit one after the other, and the graph does not know that order. When an earlier
// transaction waits for a lock of a later one, both are stuck. The observer knows the order and can
// roll the later one back.
//
// A runner is the thread that runs a transaction: a handle that only the observer understands,
// never null.
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
