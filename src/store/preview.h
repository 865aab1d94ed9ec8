// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>

#include "base/status.h"
#include "store/last_use.h"
#include "store/store_options.h"

namespace basalt::store {

// A store as it lies on disk, opened for reading only, so that what is in it can be judged before
// anything is written: an opening for writing replays the log into new files, starts a new
// manifest and removes what is obsolete, and none of that should happen to a directory that is
// then refused.
//
// It is cheap: table files are not opened, and of the log only what concerns the dictionary is
// kept; the rest is read past. Nothing in the directory changes, not even a time stamp.
//
// Not thread-safe. Close it (destroy it) before the store is opened.
class Preview {
 public:
  // Looks at the directory of `options`. *preview stays null when there is no store yet. Refuses
  // what Basalt cannot serve, with the reason and what to do: kCorruption (marked as damaged;
  // files that are missing or do not fit; other comparators or merge operators), kNotSupported (a
  // later RocksDB), kIoError (another process has it open).
  static Status Open(const StoreOptions& options, std::unique_ptr<Preview>* preview);
  // Refuses a directory that an earlier run has marked as damaged, unless `options` allow it.
  static Status CheckMarker(const StoreOptions& options);
  ~Preview();
  Preview(const Preview&) = delete;
  Preview& operator=(const Preview&) = delete;

  // For a store without a dictionary: Ok when it has no data either, as a first start leaves it
  // that was cut off; else a refusal.
  Status CheckEmpty() const;
  // `reason` as a refusal of this directory.
  Status Refuse(const Status& reason) const;

  rocksdb::DB* db() const { return db_.get(); }
  // Null when the store has no dictionary: it was never opened by MyRocks or Basalt.
  rocksdb::ColumnFamilyHandle* system() const { return system_; }
  // Names by id.
  const std::map<uint32_t, std::string>& column_families() const { return names_; }
  const LastUse& last_use() const { return last_use_; }

 private:
  class DictionaryOnly;
  class DirectoryLock;
  explicit Preview(std::string directory);

  Status OpenReadOnly(const StoreOptions& options);
  void TakeHandles();

  const std::string directory_;
  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<DictionaryOnly> filter_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::map<uint32_t, std::string> names_;
  rocksdb::ColumnFamilyHandle* system_ = nullptr;
  LastUse last_use_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace basalt::store
