// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

namespace basalt::server {

// Fills in the engine's side of the contract with the server: how to make handlers, end
// transactions, recover, answer SHOW ENGINE. Called once, at plugin init, before tables are used.
void SetUpHandlerton(handlerton* hton);

// Remarks at plugin init that two-phase commit may be taken away; called at the first statement or
// DDL recovery, when it can be told. Logs once, loudly.
void WarnIfWithoutTwoPhaseCommit();

}  // namespace basalt::server
