// SPDX-License-Identifier: GPL-2.0-only
#include "txn/decided_transactions.h"

#include <algorithm>

#include "txn/transaction_manager.h"

namespace basalt::txn {
namespace {

const char* WhatHasCome(DecidedTransactions::Outcome outcome) {
  return outcome == DecidedTransactions::Outcome::kCommit
             ? "a transaction whose commit had failed is committed"
             : "a transaction whose rollback had failed is rolled back";
}

}  // namespace

void DecidedTransactions::Add(Bytes name, Outcome outcome) {
  MutexLock lock(mutex_);
  decided_.push_back({std::string(name), outcome});
  count_.fetch_add(1, std::memory_order_relaxed);
}

// False while it is prepared still. What is not has ended, whatever else went wrong: the log is
// synced again with the next commit.
bool DecidedTransactions::End(const Decided& decided) {
  const Status status = decided.outcome == Outcome::kCommit
                            ? manager_.CommitDetached(decided.name, Durability::kSync)
                            : manager_.RollbackDetached(decided.name);
  const std::vector<std::string> left = manager_.DetachedNames();
  if (std::find(left.begin(), left.end(), decided.name) != left.end()) return false;
  const auto& log = manager_.store()->options().log;
  if (status.ok() && log) log(store::LogLevel::kWarning, WhatHasCome(decided.outcome));
  return true;
}

// Not under the mutex: a large commit waits for space.
void DecidedTransactions::Tick() {
  if (size() == 0) return;
  std::vector<Decided> tried;
  {
    MutexLock lock(mutex_);
    tried.swap(decided_);
  }
  const size_t ended =
      std::erase_if(tried, [this](const Decided& decided) { return End(decided); });
  MutexLock lock(mutex_);
  decided_.insert(decided_.end(), tried.begin(), tried.end());
  count_.fetch_sub(ended, std::memory_order_relaxed);
}

}  // namespace basalt::txn
