// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "server/server_headers.h"

namespace basalt::server {

// The last statement that a foreign key has refused, for SHOW ENGINE ROCKSDB STATUS. One for the
// process, until it ends. Both functions may be called from any thread.

// Keeps what was wrong, with the time, the connection and the first kilobyte of its statement, in
// the place of the one before. `thd` is the connection of the calling thread. `text` is UTF-8.
void NoteForeignKeyError(THD* thd, std::string text);

// Three lines or more: time and connection, statement, text. Empty when there was none.
std::string LatestForeignKeyError();

}  // namespace basalt::server
