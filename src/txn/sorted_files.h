// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/sst_file_writer.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "txn/key_range.h"
#include "txn/merge_source.h"

namespace basalt::store {
class Store;
}

namespace basalt::txn {

// A table file that was written and that no store knows yet.
struct SortedFile {
  std::string name;  // inside the store's directory
  std::string first;
  std::string last;
};

// Writes entries, which come in the order of their column family, to table files in the directory
// of the store. Their names end as those of ingest jobs do, so that what a crash leaves is removed
// at the next start.
//
// One thread at a time. Whoever takes no files() away loses them: the destructor removes them.
class SortedFiles {
 public:
  enum class Purpose : uint8_t {
    kRun,    // read once and removed: compressed fast, without filters and statistics
    kFinal,  // to be taken over: as the column family wants it, cut to its file size
  };

  // Names begin with `prefix`, which nobody else uses.
  SortedFiles(store::Store* store, IndexId index, Purpose purpose, std::string prefix);
  ~SortedFiles();
  SortedFiles(const SortedFiles&) = delete;
  SortedFiles& operator=(const SortedFiles&) = delete;

  // kInternal when the key does not come behind the last one; errors of the file system.
  Status Add(Bytes key, Bytes value);
  // Adds a tombstone: it deletes `key` in what the files are put on top of. Errors as Add.
  Status AddDeletion(Bytes key);
  // The file being written ends, and is on the disk then; the next entry begins a new one.
  Status EndFile();

  // Those that have ended, in the order of their keys.
  const std::vector<SortedFile>& files() const { return files_; }
  // The caller's from now on.
  std::vector<SortedFile> TakeFiles();
  void RemoveFiles();
  // The files of `other`, whose last one has ended, become the last ones of these.
  void Adopt(SortedFiles* other);

  // Adds a source for each file that has ended, of the entries in the range; it ends with an error
  // when the file cannot be read. The files are to stay as long as it is used. Several threads may
  // do so at once.
  Status Read(const KeyRange& range, std::vector<std::unique_ptr<MergeSource>>* sources) const;
  // The value of a key of one of the files that have ended; kNotFound when there is none.
  Status Find(Bytes key, std::string* value) const;

 private:
  std::string PathOf(const std::string& name) const;
  Status EnsureFile(Bytes key);
  Status BeginFile();
  Status AfterEntry(const rocksdb::Status& added);

  store::Store* const store_;
  rocksdb::ColumnFamilyHandle* const family_;
  const bool reverse_;
  const Purpose purpose_;
  const std::string prefix_;
  uint64_t file_bytes_ = 0;  // of a full file
  uint64_t next_file_ = 1;
  std::unique_ptr<rocksdb::SstFileWriter> writer_;  // of the file being written, else null
  std::string writing_;                             // its name
  std::vector<SortedFile> files_;
};

}  // namespace basalt::txn
