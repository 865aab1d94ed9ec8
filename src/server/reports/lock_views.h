// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "engine/database.h"
#include "server/server_headers.h"

namespace basalt::server {

// What users see of transactions and locks: INFORMATION_SCHEMA.ROCKSDB_TRX, ROCKSDB_LOCKS and
// ROCKSDB_DEADLOCK, with the columns of MyRocks' tables, and the text of the last deadlock.
// Each is a picture of a moment ago and disturbs nobody. docs/locking.md describes the columns.

// The init functions that plugin.cc gives to the server.
int InitTransactionView(void* table) noexcept;
int InitLockView(void* table) noexcept;
int InitDeadlockView(void* table) noexcept;

// For SHOW ENGINE ROCKSDB STATUS; empty when there was none since the start.
std::string LastDeadlockText(const engine::Database& database);

}  // namespace basalt::server
