// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "engine/database.h"
#include "engine/table.h"
#include "server/server_headers.h"

namespace basalt::server {

// Opens the engine's table of a definition of the server's, which need not outlive it. `name` is
// that of the dictionary, with the partition. Errors as of engine::Table::Open, and kNotSupported
// as of BuildTableDescriptor.
Status OpenEngineTable(engine::Database* database, const TABLE& table, const std::string& name,
                       std::shared_ptr<engine::Table>* opened);

}  // namespace basalt::server
