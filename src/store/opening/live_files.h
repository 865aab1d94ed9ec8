// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include "base/status.h"

namespace basalt::store {

// Is every table file that the manifest of `db` names in its place, with the size it was written
// with? Looks at names and sizes only, opens nothing. RocksDB looks itself where it opens all files
// at once; this is for where it does not.
//
// kCorruption with the name of the first file that is missing or of another size; kIoError when the
// directory does not tell. Any thread; meant for the time before anybody writes.
Status CheckLiveFiles(rocksdb::DB* db, rocksdb::Env* env);

}  // namespace basalt::store
