// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "codec/row_change.h"
#include "engine/index_entry.h"
#include "engine/indexes/change_log_reader.h"
#include "engine/indexes/duplicate_rows.h"
#include "engine/indexes/duplicate_search.h"
#include "engine/indexes/new_index.h"
#include "engine/indexes/new_row.h"
#include "engine/table.h"

namespace basalt::engine {

// Brings new indexes of a table, which hold its rows as they were in one snapshot, up to its
// writers: applies the changes that the log has got since (docs/decisions/online-indexes.md).
//
// It goes pass by pass, see ChangeLogReader. Between rows no order of changes matters.
//
// When a new primary index is among them, rows with the same new key do not come apart by the order
// of the log: see DuplicateRows.
//
// One thread; writers go on meanwhile. Memory is bounded.
class ChangeApplier final : public ChangeConsumer {
 public:
  // `row` is of the table that is going to have the indexes. `also`, which may be null, is given
  // each change after it has been applied. All are borrowed.
  ChangeApplier(const Table* table, IndexId log, const std::vector<NewIndex>* indexes, NewRow* row,
                ChangeConsumer* also);

  // One pass; see ChangeLogReader. *applied: how many changes it found. kDuplicateKey: more rows
  // share a new primary key than are kept. Errors of the other consumer.
  Status ApplyCommitted(const ChangeLogReader::Progress& progress, uint64_t* applied);
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
  using Entries = DuplicateRows::Entries;
  using Row = DuplicateRows::Row;

  Status Take(const codec::RowChange& change, rocksdb::WriteBatch* batch) override;
  bool IsFull() const override { return also_ != nullptr && also_->IsFull(); }
  Status NoteWritten() override;
  Status Encode(const codec::RowChange::Row& row, Row* entries);
  Status ReplaceRow();
  Status ReplaceEntries();
  Status ReplaceEntries(size_t index);
  Status ReplaceWords(size_t index);
  Status RemoveRow(const Row& row);
  Status AddRow(const Row& row);
  Status RemoveEntries(size_t index, const Entries& entries);
  Status RemoveEntry(size_t index, const IndexEntry& entry);
  Status PutEntry(size_t index, const IndexEntry& entry);
  Status PutEntries(const Row& row);
  Status PutEntries(size_t index, const Entries& entries);

  const Table& table_;
  const std::vector<NewIndex>& indexes_;
  NewRow* const row_;
  ChangeConsumer* const also_;
  DuplicateSearch duplicates_;
  size_t primary_ = 0;  // its position among the indexes, if it is there:
  std::unique_ptr<DuplicateRows> duplicate_rows_;
  ChangeLogReader reader_;
  uint64_t unwritten_ = 0;
  rocksdb::WriteBatch* batch_ = nullptr;  // reader_'s, from the first change on
  // Of the row that has changed.
  Row removed_;
  Row added_;
};

}  // namespace basalt::engine
