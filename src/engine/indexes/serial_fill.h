// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/indexes/new_index.h"
#include "engine/indexes/new_row.h"
#include "engine/indexes/posting_load.h"
#include "engine/table.h"
#include "engine/task_progress.h"
#include "txn/bulk_load.h"
#include "txn/transaction.h"

namespace basalt::engine {

// Gives new indexes the entries of all rows of a table that are committed in a snapshot, in the
// statement's own thread: of rows that a conversion makes, have virtual columns, or expire. For all
// others there is ParallelFill.
//
// One thread, which also reports, and listens for a KILL.
class SerialFill {
 public:
  // All is borrowed.
  struct Source {
    const Table& table;
    const std::vector<NewIndex>& indexes;  // indexes[i] is the load's index i
    txn::Transaction* reader = nullptr;    // has the snapshot, and has written nothing
    bool skip_undecodable = false;         // as IndexBuild::Options has it
    bool include_expired = false;          // likewise
  };

  // All is borrowed.
  SerialFill(const Source& source, NewRow* row, txn::BulkLoad* load, TaskProgress* progress);
  SerialFill(const SerialFill&) = delete;
  SerialFill& operator=(const SerialFill&) = delete;

  // Errors are those of IndexBuild::Fill.
  Status Run();
  // Rows that have got entries. After Run.
  uint64_t rows() const { return rows_; }

 private:
  Status ReadRows();
  Status AddRow(Bytes key, Bytes value);
  Status AddEntries();
  Status AddWords(size_t index);
  Status FinishWords();

  const Source source_;
  NewRow* const row_;
  txn::BulkLoad* const load_;
  TaskProgress* const progress_;
  std::vector<std::unique_ptr<PostingLoad>> postings_;  // by index; null but for FULLTEXT
  uint64_t rows_ = 0;
};

}  // namespace basalt::engine
