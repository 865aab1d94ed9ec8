// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <string>

#include <rocksdb/env.h>

#include "base/status.h"

namespace basalt::store {

// What RocksDB's OPTIONS file says of the process that last opened the store for writing. Every
// opening writes its options to a file OPTIONS-number in the directory.
struct OptionsFile {
  bool known = false;           // false: the directory has no such file (a new or an odd one)
  std::string rocksdb_version;  // "6.29.5"
  bool by_myrocks = false;      // by the old plugin, not by us
  // By column family; without an entry where there is none.
  std::map<std::string, std::string> merge_operators;
};

// Reads the newest of those files. kIoError when it cannot be read. Any text is allowed; what is
// not understood is passed over, as a later RocksDB may write more.
Status ReadOptionsFile(rocksdb::Env* env, const std::string& directory, OptionsFile* use);

// Refuses a store that this RocksDB must not open: one that a later RocksDB has written
// (kNotSupported), or with merge operators we do not have (kCorruption). The message says what to
// do.
Status CheckOptionsFile(const OptionsFile& use);

}  // namespace basalt::store
