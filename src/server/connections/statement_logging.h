// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/status.h"
#include "server/server_headers.h"

namespace basalt::server {

// May the running statement change rows of this table, which is versioned by transaction? The
// server never writes such rows into the binary log. In row format it logs the statement instead,
// but not every one, and beside the rows of other tables. kNotSupported, with the reason, where a
// replica would miss the change or make another one twice. Once a statement, by the connection's
// thread, behind the choice of its format: from its first row on.
Status CheckLoggedAsStatement(const TABLE& table);

}  // namespace basalt::server
