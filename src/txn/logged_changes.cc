// SPDX-License-Identifier: GPL-2.0-only
#include "txn/logged_changes.h"

#include <string>
#include <thread>

#include "txn/transaction_manager.h"

namespace basalt::txn {

// It is said that a change comes before its position is taken and before the log is looked at: see
// ChangeLog and TransactionManager::FirstUndecidedChange.
Status LoggedChanges::Add(const ChangeLog& log, Bytes change) {
  if (first_.load(std::memory_order_relaxed) == 0) first_.store(manager_->next_change());
  const IndexId index = log.index();
  if (index.number == 0) return Status::Ok();
  if (log.pause().count() != 0) std::this_thread::sleep_for(log.pause());
  std::string key;
  key.reserve(kChangeKeyBytes);
  AppendBigEndian32(&key, index.number);
  AppendBigEndian64(&key, manager_->TakeChangePosition());
  return writes_->Put(manager_->store()->FindColumnFamily(index.column_family), key, change);
}

}  // namespace basalt::txn
