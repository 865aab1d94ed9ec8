// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/column_set.h"
#include "engine/rows/cursor_set.h"
#include "engine/rows/index_scan.h"
#include "engine/rows/range_estimator.h"
#include "engine/rows/read_intent.h"
#include "engine/rows/row_batch.h"
#include "engine/rows/row_context.h"
#include "engine/rows/row_encoder.h"
#include "engine/rows/row_expiry.h"
#include "engine/rows/row_reader.h"
#include "engine/rows/row_writer.h"
#include "engine/rows/table_postings.h"
#include "engine/rows/unique_check.h"

namespace basalt::engine {

// What one handler needs to use the rows of one table: a reader, a scan, a writer, and what they
// share. Their buffers, cursors and decoders are kept from one statement to the next. Records are
// the server's record images.
//
// One thread at a time. A statement runs between Bind and Unbind, in an active transaction. The
// parts borrow each other and live as long as this.
class RowAccess {
 public:
  explicit RowAccess(std::shared_ptr<Table> table);
  RowAccess(const RowAccess&) = delete;
  RowAccess& operator=(const RowAccess&) = delete;

  void Bind(txn::Transaction* transaction, const ReadIntent& intent);
  void Unbind();
  bool bound() const { return context_.transaction() != nullptr; }
  void ReleaseCursors();  // and the files they pin
  const ReadIntent& intent() const { return context_.intent(); }
  void set_intent(const ReadIntent& intent) { context_.SetIntent(intent); }
  Table* table() const { return &context_.table(); }
  // Needed before rows of a table are used that has an index with virtual columns. Borrowed.
  void set_virtual_columns(VirtualColumns* columns) { context_.SetVirtualColumns(columns); }
  // The columns that reads must fill in. Cheap when they are the same as before.
  void SetWantedColumns(const codec::ColumnSet& wanted);

  RowReader& reader() { return reader_; }  // rows by their primary keys
  const RowReader& reader() const { return reader_; }
  IndexScan& scan() { return scan_; }  // rows by the order of an index
  const IndexScan& scan() const { return scan_; }
  UniqueCheck& unique() { return unique_; }  // duplicates
  RowWriter& writer() { return writer_; }    // insert, update, delete

  // Reads the first `count` rows of `primary_keys` at once; TakeFetched then decodes them one by
  // one, in any order (kNotFound for an absent row; kCorruption when the keys come from entries of
  // the running scan, which have rows). Not for locking reads. Borrows the keys till the last one.
  void FetchRows(const std::vector<std::string>& primary_keys, size_t count) {
    batch_.Fetch(primary_keys, count);
  }
  Status TakeFetched(size_t position, uint8_t* record) {
    return batch_.Take(position, scan_.secondary_index(), record);
  }
  // The primary key of the row in `record`; not for hidden primary keys. Valid until the next call.
  Bytes RowKeyOf(const uint8_t* record) { return encoder_.RowKey(record); }
  // Entries of an index in [start, end): counted when few, else estimated from file sizes.
  uint64_t EstimateRange(size_t index, Bytes start, Bytes end) {
    return estimator_.Estimate(index, start, end, scan_.cursor());
  }
  // A FULLTEXT index as the statement sees it; see TablePostings. It must go before Unbind.
  std::unique_ptr<PostingSource> NewPostings(size_t index, TaskProgress* progress) {
    return std::make_unique<TablePostings>(&context_, index, progress);
  }
  // Entries that a search of a SPATIAL index finds: counted when few, else estimated.
  uint64_t EstimateWindow(size_t index, const codec::WindowSearch& search) {
    return estimator_.Estimate(index, search);
  }

 private:
  RowContext context_;
  RowEncoder encoder_;
  CursorSet scan_cursors_;
  RowReader reader_;
  RowBatch batch_;
  RangeEstimator estimator_;
  IndexScan scan_;
  RowExpiry expiry_;
  UniqueCheck unique_;
  RowWriter writer_;
};

}  // namespace basalt::engine
