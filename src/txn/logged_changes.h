// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>

#include "base/bytes.h"
#include "base/status.h"
#include "txn/change_log.h"

namespace basalt::txn {

class TransactionManager;
class TransactionWrites;

// What one transaction adds to change logs: ordinary writes, which go the way of the others.
//
// Used by one thread at a time, as the transaction is, but for first().
class LoggedChanges {
 public:
  // Borrows both.
  LoggedChanges(TransactionManager* manager, TransactionWrites* writes)
      : manager_(manager), writes_(writes) {}
  LoggedChanges(const LoggedChanges&) = delete;
  LoggedChanges& operator=(const LoggedChanges&) = delete;

  // Adds an entry behind all others of the log, if it is open. The row that was changed is locked,
  // so that the entries of one row are in the order of their commits. Waits as long as the log asks
  // its writers to.
  Status Add(const ChangeLog& log, Bytes change);
  // No entry of this transaction in any log is in front of this position; 0: it has none. Any
  // thread.
  uint64_t first() const { return first_.load(); }
  // The transaction has ended: its entries are in the store, or gone.
  void Clear() { first_.store(0); }

 private:
  TransactionManager* const manager_;
  TransactionWrites* const writes_;
  std::atomic<uint64_t> first_{0};
};

}  // namespace basalt::txn
