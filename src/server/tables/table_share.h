// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include "base/status.h"
#include "engine/table.h"
#include "server/server_headers.h"

namespace basalt::server {

// What all open instances of one table have in common. The server keeps a pointer to a holder of
// it in its TABLE_SHARE (one for each partition) and deletes the holder with that; handlers keep
// the object itself alive.
struct TableShare {
  // Replaced by TRUNCATE, which gives the table new indexes; see Handler::BeginStatement. Guarded
  // by the metadata lock of the table: exclusive to write, shared to read.
  std::shared_ptr<engine::Table> engine_table;
};

// The share behind the holder `known`, which the server has in its TABLE_SHARE. Without one (null)
// opens the engine's table of this path and makes a holder, which becomes the server's. The caller
// holds the lock of the shared handler data.
Status ShareOf(engine::Database& database, const char* name, const TABLE& table,
               Handler_share* known, std::shared_ptr<TableShare>* share, Handler_share** made);

}  // namespace basalt::server
