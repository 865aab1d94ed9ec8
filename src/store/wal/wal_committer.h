// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace basalt::store {

// One who syncs the log again and again: a connection. It keeps this from call to call, and makes
// one call at a time. WalSyncGroup, which alone looks into it, sees by it who has come back. (A
// thread would not do: a pool of threads serves a connection now by one, now by another.)
struct WalCommitter {
  uint64_t last_round = 0;  // of the group; 0: none yet
};

}  // namespace basalt::store
