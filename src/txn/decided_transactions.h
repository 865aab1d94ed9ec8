// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"

namespace basalt::txn {

class TransactionManager;

// Prepared transactions whose outcome is decided, and which the store could not end: it takes no
// writes while its disk is full, for example. Nobody sees their changes yet, and their locks stay.
// Each is tried again until it ends; a crash leaves it to the next start, as any that is prepared.
//
// Thread-safety: any thread.
class DecidedTransactions {
 public:
  enum class Outcome { kCommit, kRollback };

  // The manager must outlive it.
  explicit DecidedTransactions(TransactionManager* manager) : manager_(*manager) {}
  DecidedTransactions(const DecidedTransactions&) = delete;
  DecidedTransactions& operator=(const DecidedTransactions&) = delete;

  // The transaction of this name, which has been detached, is to end so.
  void Add(Bytes name, Outcome outcome);
  // Once a second, by one thread: tries each of them. Nothing to do costs one load.
  void Tick();
  // How many have not ended.
  size_t size() const { return count_.load(std::memory_order_relaxed); }

 private:
  struct Decided {
    std::string name;
    Outcome outcome;
  };

  bool End(const Decided& decided);

  TransactionManager& manager_;
  std::atomic<size_t> count_{0};
  Mutex mutex_;
  std::vector<Decided> decided_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::txn
