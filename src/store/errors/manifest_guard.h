// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/mutex.h"

namespace basalt::store {

// Keeps table files that the manifest may name although RocksDB believes that it does not.
//
// When a write or a sync of the manifest fails, nobody knows whether the record is on disk. RocksDB
// spares the table files of such a record when a flush or a compaction has made them, but removes
// those that it was about to take over (the commit of a large transaction). If the record is on
// disk after all and the process dies, the store cannot be opened: a file is missing. So from such
// an error on no table file is removed until a new manifest is in force; then what was to be
// removed is. What a crash leaves behind is in no manifest and is removed at the next opening.
//
// Invariants
// M1 After a failed write or sync of a manifest, a table file is not removed before a later
// manifest
//    has taken its place: CURRENT was renamed and its directory synced, which a further write to
//    the manifest proves.
//
// Thread-safety: all functions, from any thread.
class ManifestGuard {
 public:
  // `target` with its manifests watched. The guard must outlive the file system.
  std::shared_ptr<rocksdb::FileSystem> Wrap(const std::shared_ptr<rocksdb::FileSystem>& target);

  // Is the manifest in doubt? One load.
  bool in_doubt() const { return in_doubt_.load(std::memory_order_acquire); }

 private:
  class Files;
  class Manifest;

  // What a write or a sync of a manifest has come to; returns it.
  rocksdb::IOStatus Note(rocksdb::FileSystem* files, rocksdb::IOStatus status);
  // CURRENT names another manifest.
  void NoteRenamed();
  // True when the removal of the file must wait; then it is remembered.
  bool Defer(const std::string& path);

  std::atomic<bool> in_doubt_{false};
  Mutex mutex_;
  bool renamed_ BASALT_GUARDED_BY(mutex_) = false;
  std::vector<std::string> deferred_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::store
