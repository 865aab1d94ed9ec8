// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "catalog/table_record.h"
#include "engine/index_walk.h"
#include "engine/table.h"
#include "engine/task_progress.h"

namespace basalt::engine {

// Builds secondary indexes of a table anew from its rows, under new numbers, and puts them in the
// place of the old ones, whose space the reclaimer frees. What the old ones held is not looked at.
//
// Until the last step, one batch of the dictionary, the table is as it was: an error, a KILL or a
// crash before it leaves the new indexes to the reclaimer. Memory is bounded: the entries go
// through a transaction, which moves what does not fit to disk and commits it as sorted files.
//
// The caller sees to it that nobody uses the table meanwhile (exclusive metadata lock). Afterwards
// the Table must be opened anew. One thread.
class IndexRebuild {
 public:
  // All must outlive the object; `virtual_columns` as for RowImage.
  IndexRebuild(const Table* table, TaskProgress* progress, VirtualColumns* virtual_columns);

  // `positions`: of secondary indexes in the table. Rows that cannot be decoded get no entries: the
  // caller has looked for them before and accepts that. kLockBusy when a prepared transaction that
  // has no connection has changed the table: its entries would go into the old indexes.
  // kInterrupted after a KILL. Any other error is the store's.
  Status Run(const std::vector<size_t>& positions);
  uint64_t rows() const { return rows_; }

 private:
  struct NewIndex {
    size_t position;
    catalog::IndexRecord record;
    rocksdb::ColumnFamilyHandle* family;
    std::unique_ptr<codec::KeyCodec> codec;
  };

  Status Begin(const std::vector<size_t>& positions);
  Status CompileCodecs();
  Status Fill(txn::Transaction* reader, txn::Transaction* writer);
  Status AddEntries(Bytes row_value, const RowImage& row, txn::Transaction* writer);
  Status Replace();

  const Table& table_;
  TaskProgress* const progress_;
  VirtualColumns* const virtual_columns_;
  std::vector<catalog::IndexRecord> built_;
  std::vector<NewIndex> indexes_;
  std::unique_ptr<EntryEncoder> encoder_;
  std::string value_;
  uint64_t rows_ = 0;
};

}  // namespace basalt::engine
