// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

namespace basalt::server {

// Looks for what the engine does not have in the definition of a new table. Ok to go on: 0. Else
// the client has its error message and the result is the handler error. Options that the engine
// needs no setting for (ROW_FORMAT, KEY_BLOCK_SIZE) only give a warning, TokuDB's words of
// COMPRESSION a note.
int RefuseUnsupported(const TABLE& form, const HA_CREATE_INFO& create_info);
// Looks at one index that is added to a table, with results as those of RefuseUnsupported.
int RefuseUnsupportedIndex(const TABLE& form, const KEY& key);

}  // namespace basalt::server
