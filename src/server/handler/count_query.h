// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

class group_by_handler;
struct Query;

namespace basalt::server {

// SELECT COUNT(*) FROM one whole table, answered by a walk through its smallest index that reads no
// column of any row, instead of row by row through the server's executor.
//
// handlerton::create_group_by, called once for every SELECT whose tables are all of this engine,
// after they have been locked. Null for any other query: the server goes on by itself, and so it
// does for EXPLAIN and ANALYZE, whose answer is about the walk. The server deletes the result.
group_by_handler* CreateCountQuery(THD* thd, Query* query);

}  // namespace basalt::server
