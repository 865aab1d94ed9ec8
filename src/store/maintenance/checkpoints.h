// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <string>

#include "base/status.h"
#include "store/maintenance/flushes.h"
#include "store/options/store_options.h"

namespace basalt::store {

// Copies of the store for backups.
//
// Any thread. Borrows what it is made with, until the store closes.
class Checkpoints {
 public:
  Checkpoints(rocksdb::DB* db, const StoreOptions* options, const Flushes* flushes)
      : db_(db), options_(options), flushes_(flushes) {}

  // Makes a consistent copy in `path`, which must not exist: hard links to SST files, a copy of the
  // rest, the log included. Removed again when it fails.
  Status Create(const std::string& path);
  // No file of the store is deleted between the two. Counted.
  Status DisableFileDeletions();
  Status EnableFileDeletions();

 private:
  rocksdb::DB* const db_;
  const StoreOptions* const options_;
  const Flushes* const flushes_;
};

}  // namespace basalt::store
