// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/commit_order.h"

#include "server/plugin_state.h"

// Replication's headers, which little else in the engine needs.
// clang-format off
#include <rpl_mi.h>
#include <rpl_rli.h>
// clang-format on

namespace basalt::server {

namespace {

// The server commits in two phases when a second engine (the binary log is one) has changed
// something, and no engine lacks the first phase.
// `other_engine`: there is going to be one that the transaction does not know yet.
bool WouldBeOnePhase(const THD_TRANS& transaction, bool other_engine = false) {
  for (Ha_trx_info* part = transaction.ha_list; part != nullptr; part = part->next()) {
    if (part->ht() == Handlerton()) continue;
    other_engine = true;
    if (part->is_trx_read_write() && !transaction.no_2pc) return false;
  }
  return other_engine;
}

}  // namespace

bool IsParallelWorker(THD* thd) {
  return thd->rgi_slave != nullptr && thd->rgi_slave->is_parallel_exec;
}

// Not by thd->wait_for_commit_ptr: while the server writes the replica's position it is null.
void HoldNextWorker(THD* thd) {
  if (IsParallelWorker(thd)) thd->rgi_slave->commit_orderer.wakeup_blocked = true;
}

void HoldNextWorkerIfOnePhase(THD* thd) {
  if (IsParallelWorker(thd) && WouldBeOnePhase(thd->transaction->all)) HoldNextWorker(thd);
}

void HoldNextWorkerForRegistry(THD* thd) {
  if (!IsParallelWorker(thd)) return;
  const auto& transaction = *thd->transaction;
  const bool several = transaction.all.ha_list != nullptr;
  const THD_TRANS& parts = several ? transaction.all : transaction.stmt;
  if (WouldBeOnePhase(parts, /*other_engine=*/true)) HoldNextWorker(thd);
}

}  // namespace basalt::server
