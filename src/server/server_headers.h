// SPDX-License-Identifier: GPL-2.0-only
#pragma once

// The one place that includes the server's headers. They define macros with everyday names, so
// every standard, RocksDB and Basalt header that a border file may want comes first; the macros
// that would break headers included later are taken back at the end.
//
// The headers must be of exactly the server's patch release: `handler`, `THD` and `TABLE` are
// used directly, and the server checks only a version number (see README.md).

#include <rocksdb/db.h>
#include <rocksdb/utilities/transaction_db.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

// clang-format off
#include <my_global.h>
// my_global.h must be the first of the server's own.
#include <mysqld.h>
#include <sql_class.h>
#include <create_options.h>
#include <handler.h>
#include <key.h>
#include <log.h>
#include <mysql/plugin.h>
#include <partition_info.h>
#include <sql_i_s.h>
#include <sql_lex.h>
#include <sql_parse.h>
#include <sql_show.h>
#include <sql_table.h>
#include <sql_type.h>
#include <table.h>
#include <thr_lock.h>
// clang-format on

#undef min
#undef max
#undef likely
#undef unlikely
