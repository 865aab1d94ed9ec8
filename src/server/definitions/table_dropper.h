// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/status.h"
#include "engine/database.h"

namespace basalt::server {

// What DROP and TRUNCATE do besides what the dictionary does. Nobody has the table open, or only
// the caller has.

// Removes a table (or partition) from the dictionary and forgets what is in memory about it. Its
// space is reclaimed in the background. kNotFound when there is none.
Status DropTableByName(engine::Database& database, const std::string& name);

// By the server's path. Where it names a partitioned table whose .frm file is lost (with the file
// the server drops the partitions one by one), all its partitions. With the file it is only noted,
// for RepairDefinitions, and only during the server's recovery of DDL statements. kNotFound and
// kInvalidArgument when there is nothing of that name; kLockTimeout and kInterrupted as
// WaitForDecision (prepared_wait.h).
Status DropTableByPath(engine::Database& database, const char* path);

// Gives a table new, empty indexes of the same shape. Its counters begin anew.
Status EmptyTableByName(engine::Database& database, const std::string& name);

}  // namespace basalt::server
