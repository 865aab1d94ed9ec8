// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

namespace basalt::server {

// The workers of a parallel replica commit in the primary's order: each waits until the one before
// it says that its commit is settled (thd_wakeup_subsequent_commits). An engine may say so for the
// whole transaction although the server comes to another engine's part only then: InnoDB does when
// it has merely read. Two-phase commit is safe, since commit_ordered comes before. Without it the
// next worker would commit first, or read temporary tables without their last rows.
//
// For the worker's own thread. Elsewhere than in a worker of a parallel replica nothing happens.

// Does the connection apply transactions that others wait for?
bool IsParallelWorker(THD* thd);

// Whatever engines say, the next worker waits until the present transaction has ended in all of
// them. The server takes that back itself, at the end of what it applies.
void HoldNextWorker(THD* thd);

// After a statement of a transaction that has changed tables of this engine: holds the next worker
// when as things are the commit would be one of one phase, with a second engine in it.
void HoldNextWorkerIfOnePhase(THD* thd);

// The server is going to write mysql.transaction_registry, a table of InnoDB, at the commit: the
// same when that will be of one phase.
void HoldNextWorkerForRegistry(THD* thd);

}  // namespace basalt::server
