// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/wait_reports.h"

#include <optional>

#include "server/measures/instruments.h"
#include "server/server_headers.h"

// Exported by the server for engines, declared in none of its headers.
extern "C" int thd_need_wait_reports(const MYSQL_THD thd);
extern "C" int thd_rpl_deadlock_check(MYSQL_THD thd, MYSQL_THD other_thd);
extern "C" int thd_deadlock_victim_preference(const MYSQL_THD thd1, const MYSQL_THD thd2);

namespace basalt::server {

bool WaitReports::Wants(Runner waiter) const {
  return thd_need_wait_reports(static_cast<THD*>(waiter)) != 0;
}

void WaitReports::Waits(Runner waiter, Runner blocker) {
  // Whether the blocker is undone needs no answer here: its end wakes the waiter.
  thd_rpl_deadlock_check(static_cast<THD*>(waiter), static_cast<THD*>(blocker));
}

txn::WaitObserver::Victim WaitReports::Prefer(Runner first, Runner second) const {
  const int preference =
      thd_deadlock_victim_preference(static_cast<THD*>(first), static_cast<THD*>(second));
  if (preference == 0) return Victim::kEither;
  return preference < 0 ? Victim::kFirst : Victim::kSecond;
}

namespace {
thread_local std::optional<RowLockWait> wait;  // of this thread's connection
}

void WaitReports::Sleeps(Runner waiter) { wait.emplace(static_cast<THD*>(waiter)); }

void WaitReports::Wakes(Runner /*waiter*/) { wait.reset(); }

}  // namespace basalt::server
