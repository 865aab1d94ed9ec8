// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "txn/wait_observer.h"

namespace basalt::server {

// Hands lock waits on to the server; runners are THDs. Of a parallel replica the server knows the
// order of commits, and undoes a transaction that holds what an earlier one waits for; the
// transaction is then retried. Of a primary it learns which transactions have waited, and commits
// a group early when somebody waits for a member.
//
// Waits may send a KILL to the blocker's connection, from a thread of the server's own and later.
class WaitReports : public txn::WaitObserver {
 public:
  bool Wants(Runner waiter) const override;
  void Waits(Runner waiter, Runner blocker) override;
  Victim Prefer(Runner first, Runner second) const override;
  // For SHOW PROCESSLIST and the performance schema.
  void Sleeps(Runner waiter) override;
  void Wakes(Runner waiter) override;
};

}  // namespace basalt::server
