// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/prepared_wait.h"

#include <chrono>
#include <thread>

#include "server/measures/instruments.h"
#include "server/variables/system_variables.h"

namespace basalt::server {
namespace {

// Somebody types XA COMMIT: nothing that needs a condition variable.
constexpr std::chrono::milliseconds kBetweenLooks{20};

}  // namespace

Status WaitForDecision(const txn::TransactionManager& transactions, THD* thd, IndexId primary) {
  if (!transactions.PreparedHasWritesOf(primary)) return Status::Ok();
  const StageScope stage(thd, stage_row_lock);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(LockWaitSeconds(thd));
  while (transactions.PreparedHasWritesOf(primary)) {
    if (thd->killed) return Status(Code::kInterrupted);
    if (std::chrono::steady_clock::now() >= end) {
      return Status(Code::kLockTimeout,
                    "a prepared transaction has changed the table: see XA RECOVER");
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return Status::Ok();
}

}  // namespace basalt::server
