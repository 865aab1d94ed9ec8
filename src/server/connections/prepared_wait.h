// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/index_id.h"
#include "base/status.h"
#include "server/server_headers.h"
#include "txn/transaction_manager.h"

namespace basalt::server {

// DDL must not overtake a transaction that is prepared and has lost its connection, and with it the
// metadata locks: its rows belong to the table as it was, and XA COMMIT has to find it.
//
// Waits until none has changed rows of the table with this primary key, for as long as for a row
// lock (rocksdb_lock_wait_timeout); then kLockTimeout, after a KILL kInterrupted. To be called with
// a metadata lock that keeps other connections from writing to the table, by the connection's own
// thread.
Status WaitForDecision(const txn::TransactionManager& transactions, THD* thd, IndexId primary);

}  // namespace basalt::server
