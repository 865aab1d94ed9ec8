// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "codec/row_change.h"
#include "engine/index_entry.h"
#include "engine/indexes/duplicate_rows.h"
#include "engine/indexes/duplicate_search.h"
#include "engine/indexes/new_index.h"
#include "engine/indexes/new_row.h"
#include "engine/indexes/writer_pace.h"
#include "engine/table.h"

namespace basalt::engine {

// Brings new indexes of a table, which hold its rows as they were in one snapshot, up to its
// writers: applies the changes that the log has got since (docs/decisions/online-indexes.md).
//
// In a pass all changes are applied that are committed when it begins, in the order of the log. For
// one row that is the order of its commits; between rows no order matters. What is applied leaves
// the log in the same batch, so a pass can be given up anywhere and the next one goes on.
//
// When a new primary index is among them, rows with the same new key do not come apart by the order
// of the log: see DuplicateRows.
//
// One thread; writers go on meanwhile. Memory is bounded.
class ChangeApplier {
 public:
  // `row` is of the table that is going to have the indexes; all are borrowed.
  ChangeApplier(const Table* table, IndexId log, const std::vector<NewIndex>* indexes, NewRow* row);

  // Told now and then how many changes were applied in this pass; false: stop, with kInterrupted.
  using Progress = std::function<bool(uint64_t applied)>;
  // One pass; writers wait more behind it when passes do not become shorter (WriterPace). *applied:
  // how many changes it found. kDuplicateKey: more rows share a new primary key
  // than are kept.
  Status ApplyCommitted(const Progress& progress, uint64_t* applied);
  // How many changes have been applied since the last Flush, which writes what they have put to
  // files. Errors as store::Flushes::Flush.
  uint64_t unwritten() const { return unwritten_; }
  Status Flush();
  // After the last pass, while nobody writes: kDuplicateKey when the new primary index or a unique
  // one has a value twice.
  Status CheckUnique();
  // After kDuplicateKey: the index at this position, and the key of one of the two entries; of the
  // primary index its value, too.
  struct Duplicate {
    size_t index = 0;
    std::string key;
    std::string value;
  };
  Duplicate duplicate() const;

 private:
  using Entries = DuplicateRows::Row;
  static constexpr size_t kBatchBytes = 1u << 20;

  Status Apply(Bytes key, Bytes change_bytes);
  Status Encode(const codec::RowChange::Row& row, Entries* entries);
  Status ReplaceRow();
  Status ReplaceEntries();
  Status ReplaceEntry(size_t index);
  Status RemoveRow(const Entries& row);
  Status AddRow(const Entries& row);
  Status RemoveEntry(size_t index, const IndexEntry& entry);
  Status PutEntry(size_t index, const IndexEntry& entry);
  Status PutEntries(const Entries& row);
  Status WriteBatch();

  const Table& table_;
  const IndexId log_;
  rocksdb::ColumnFamilyHandle* const log_family_;
  const std::vector<NewIndex>& indexes_;
  NewRow* const row_;
  DuplicateSearch duplicates_;
  size_t primary_ = 0;  // its position among the indexes, if it is there:
  std::unique_ptr<DuplicateRows> duplicate_rows_;
  WriterPace pace_;
  uint64_t unwritten_ = 0;
  uint64_t first_ = 0;  // in front of this position every change was applied
  rocksdb::WriteBatch batch_;
  // Of the row that has changed, for each index; an empty key: no entry.
  Entries removed_;
  Entries added_;
};

}  // namespace basalt::engine
