// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

namespace basalt::server {

// SHOW GLOBAL STATUS LIKE 'rocksdb%': for the plugin's declaration. All counters stand in the
// tables of status_counters.cc, under MyRocks' names where it has them.
st_mysql_show_var* StatusVariables();

}  // namespace basalt::server
