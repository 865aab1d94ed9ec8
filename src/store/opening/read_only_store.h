// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>

#include "base/status.h"
#include "store/opening/options_file.h"
#include "store/options/store_options.h"

namespace basalt::store {

// Opens the store for reading only, so that its contents are validated before anything is written.
// An opening for writing replays the log into new files, starts a new manifest and removes obsolete
// files. None of that should happen to a directory that is then refused.
//
// It is cheap. Table files are not opened, and of the log only changes of the dictionary are kept.
// Nothing in the directory changes, not even a time stamp.
//
// Not thread-safe. Close it (destroy it) before the store is opened.
class ReadOnlyStore {
 public:
  // Looks at the directory of `options`. *read_only stays null when there is no store yet. Refuses
  // what Basalt cannot serve, with the reason and what to do: kCorruption (marked as damaged;
  // files that are missing or do not fit; other comparators or merge operators), kNotSupported (a
  // later RocksDB), kIoError (another process has it open).
  static Status Open(const StoreOptions& options, std::unique_ptr<ReadOnlyStore>* read_only);
  // Refuses a directory that an earlier run has marked as damaged, unless `options` allow it.
  static Status CheckMarker(const StoreOptions& options);
  ~ReadOnlyStore();
  ReadOnlyStore(const ReadOnlyStore&) = delete;
  ReadOnlyStore& operator=(const ReadOnlyStore&) = delete;

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
  const OptionsFile& options_file() const { return options_file_; }
  // Has the log a torn end? Then CutTornWalFiles (wal_repair.h) with first_logs() goes before an
  // opening.
  bool log_is_torn() const { return log_is_torn_; }
  std::vector<uint64_t> first_logs() const;

 private:
  class DictionaryOnly;
  class DirectoryLock;
  explicit ReadOnlyStore(std::string directory);

  Status OpenReadOnly(const StoreOptions& options);
  Status OpenFamilies(const std::string& directory, const rocksdb::DBOptions& db);
  bool MayReadPast(const StoreOptions& options) const;
  void TakeHandles();

  const std::string directory_;
  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<DictionaryOnly> filter_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::map<uint32_t, std::string> names_;
  rocksdb::ColumnFamilyHandle* system_ = nullptr;
  OptionsFile options_file_;
  std::atomic<bool> log_is_torn_{false};
  std::string torn_;  // what RocksDB says of the log
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace basalt::store
