// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

namespace basalt::server {

// SHOW ENGINE ROCKSDB STATUS: what RocksDB says of itself, and the engine's own counters. The row
// types carry MyRocks' names. Returns true on failure, as the server wants it.
bool ShowStatus(handlerton* hton, THD* thd, stat_print_fn* print, ha_stat_type type);

}  // namespace basalt::server
