// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "store/store.h"

namespace basalt::catalog {

// Which snapshots see a table as it is: rows of indexes that are newer than a snapshot are not in
// it. In memory only, for no snapshot outlives the process. A part of the catalog, which notes here
// what it has changed, right after the change.
//
// Thread-safety: any thread. Its lock is the last one that is taken.
class TableVisibility {
 public:
  // Borrows the store.
  explicit TableVisibility(store::Store* store) : store_(store) {}
  TableVisibility(const TableVisibility&) = delete;
  TableVisibility& operator=(const TableVisibility&) = delete;

  // The first sequence number of the store from which a snapshot sees the table. 0 for a table that
  // has been as it is since the store was opened, for no snapshot is older.
  uint64_t ReadableFrom(Bytes name) const;
  // The first sequence number for an index that was built later than the rest of its table; else 0.
  uint64_t ReadableFrom(IndexId index) const;

  // The table has got all its indexes just now. A temporary table belongs to one connection, whose
  // older snapshots do not keep it from reading its own.
  void NoteNewContent(Bytes name);
  // Tables have got these indexes just now, beside others.
  void NoteNewIndexes(const std::vector<IndexId>& added);
  void NoteRename(const std::string& from, const std::string& to);
  // The table or the index is gone.
  void Forget(Bytes name);
  void Forget(IndexId index);

 private:
  store::Store* const store_;
  mutable SharedMutex mutex_;
  std::map<std::string, uint64_t, std::less<>> tables_ BASALT_GUARDED_BY(mutex_);
  std::map<IndexId, uint64_t> indexes_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::catalog
