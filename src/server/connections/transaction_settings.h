// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "server/server_headers.h"
#include "txn/transaction.h"

namespace basalt::server {

// What the connection's variables, and the running statement, say of transactions. Both are asked
// by the connection's own thread.

// Of a transaction that begins now.
txn::Transaction::Settings SettingsOf(THD* thd);

// How long the running statement waits for a row lock, in microseconds.
uint64_t LockWaitOf(THD* thd);

}  // namespace basalt::server
