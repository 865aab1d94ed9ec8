// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "codec/row_change.h"
#include "engine/index_entry.h"
#include "engine/indexes/duplicate_search.h"
#include "engine/indexes/index_walk.h"
#include "engine/indexes/new_index.h"
#include "engine/table.h"

namespace basalt::engine {

// Brings new indexes of a table, which hold its rows as they were in one snapshot, up to its
// writers: applies the changes that the log has got since (docs/decisions/online-indexes.md).
//
// In a pass all changes are applied that are committed when it begins, in the order of the log. For
// one row that is the order of its commits; between rows no order matters. What is applied leaves
// the log in the same batch, so a pass can be given up anywhere and the next one goes on.
//
// One thread; writers go on meanwhile. Memory is bounded.
class ChangeApplier {
 public:
  // `encoder` and `row` are of the table that is going to have the indexes; all are borrowed.
  ChangeApplier(const Table* table, IndexId log, const std::vector<NewIndex>* indexes,
                EntryEncoder* encoder, RowImage* row);

  // Told now and then how many changes were applied in this pass; false: stop, with kInterrupted.
  using Progress = std::function<bool(uint64_t applied)>;
  // One pass. *applied: how many changes it found.
  Status ApplyCommitted(const Progress& progress, uint64_t* applied);
  // After the last pass, while nobody writes: kDuplicateKey when a unique index has a value twice.
  Status CheckUnique() { return duplicates_.Check(); }
  // After kDuplicateKey.
  const DuplicateSearch& duplicate() const { return duplicates_; }

 private:
  static constexpr size_t kBatchBytes = 1u << 20;

  Status Apply(Bytes key, Bytes change_bytes);
  Status Encode(const codec::RowChange::Row& row, std::vector<IndexEntry>* entries);
  Status Replace(size_t index);
  Status WriteBatch();

  const Table& table_;
  const IndexId log_;
  rocksdb::ColumnFamilyHandle* const log_family_;
  const std::vector<NewIndex>& indexes_;
  EntryEncoder* const encoder_;
  RowImage* const row_;
  DuplicateSearch duplicates_;
  uint64_t first_ = 0;  // in front of this position every change was applied
  rocksdb::WriteBatch batch_;
  // Of the row that has changed, for each index; an empty key: no entry.
  std::vector<IndexEntry> removed_;
  std::vector<IndexEntry> added_;
};

}  // namespace basalt::engine
