// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>

#include "base/status.h"
#include "server/server_headers.h"

namespace basalt::server {

// Makes changes visible that do not pass through the server's own commit (the end of a bulk load),
// under the lock that a commit takes there: FLUSH TABLES WITH READ LOCK and BACKUP STAGE
// BLOCK_COMMIT hold it up, and wait for it.
//
// Returns what `commit` returns. When the wait is over without the lock (lock_wait_timeout, KILL),
// the client has been told, `commit` was not called, and the answer is kLockTimeout or
// kInterrupted. Called by the connection's own thread.
Status CommitBetweenBackups(THD* thd, const std::function<Status()>& commit);

}  // namespace basalt::server
