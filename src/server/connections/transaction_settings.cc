// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/transaction_settings.h"

#include <algorithm>

#include "server/connections/commit_order.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

constexpr uint64_t kMicrosecondsPerSecond = 1'000'000;

txn::Isolation IsolationOf(const THD* thd) {
  // READ UNCOMMITTED is served as READ COMMITTED: uncommitted rows of others are not in the store.
  switch (thd_tx_isolation(thd)) {
    case ISO_READ_UNCOMMITTED:
    case ISO_READ_COMMITTED:
      return txn::Isolation::kReadCommitted;
    case ISO_SERIALIZABLE:
      return txn::Isolation::kSerializable;
    default:
      return txn::Isolation::kRepeatableRead;
  }
}

}  // namespace

// SELECT ... WAIT n sets lock_wait_timeout for its statement: the only way the server tells.
uint64_t LockWaitOf(THD* thd) {
  uint64_t seconds = LockWaitSeconds(thd);
  if (thd->lex->stmt_var_list.elements > 0) {
    seconds = std::min<uint64_t>(seconds, thd->variables.lock_wait_timeout);
  }
  return seconds * kMicrosecondsPerSecond;
}

txn::Transaction::Settings SettingsOf(THD* thd) {
  txn::Transaction::Settings settings;
  settings.isolation = IsolationOf(thd);
  settings.lock_wait_microseconds = LockWaitOf(thd);
  // A worker of a replica may find rows of the transaction before it by locks only, not by a
  // snapshot.
  settings.detect_conflicts = HasMyRocksLockingStyle(thd) && !IsParallelWorker(thd);
  return settings;
}

}  // namespace basalt::server
