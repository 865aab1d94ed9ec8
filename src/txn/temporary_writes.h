// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/utilities/write_batch_with_index.h>

#include <memory>
#include <vector>

#include "base/status.h"
#include "catalog/table_record.h"
#include "txn/write_set.h"

namespace basalt::txn {

class TransactionManager;

// The writes of one transaction to temporary tables. They are kept apart from the others, because
// they are never logged and take no part in two-phase commit: only their own connection sees the
// tables, and a crash takes the tables with it. Statements, savepoints and roll-backs treat both
// alike; Transaction calls the functions below wherever it does the same to its other writes.
//
// One thread at a time.
class TemporaryWrites {
 public:
  // What SetMark gives while there are no writes.
  static constexpr WriteSet::Mark kNoWrites = 0;

  explicit TemporaryWrites(TransactionManager* manager);

  // Before the first write of a transaction; later calls do nothing.
  Status Begin();
  WriteSet& writes() { return writes_; }
  uint64_t bytes_added() const { return writes_.bytes_added(); }  // any thread
  bool empty() const { return writes_.empty(); }

  void BeginStatement();
  void EndStatement();
  Status RollbackStatement();
  WriteSet::Mark SetMark();
  Status RollbackTo(WriteSet::Mark mark);
  void ReleaseMark(WriteSet::Mark mark);

  // Puts the writes into the store. On failure they are as before.
  Status Commit();
  // Forgets all writes, committed or not, and frees the tables dropped meanwhile.
  void Clear();

  // A table was dropped or truncated. Its rows are freed at once, or at Clear, when writes that are
  // still kept here might be rows of it.
  void TableDropped(std::shared_ptr<const catalog::TableRecord> table);

 private:
  Status CommitSpilled();

  TransactionManager* const manager_;
  std::unique_ptr<rocksdb::WriteBatchWithIndex> batch_;  // null: no writes
  WriteSet writes_;
  WriteSet::Mark statement_mark_ = kNoWrites;
  std::vector<std::shared_ptr<const catalog::TableRecord>> dropped_;
};

}  // namespace basalt::txn
