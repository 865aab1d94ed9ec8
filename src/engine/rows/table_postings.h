// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/column.h"
#include "codec/posting.h"
#include "engine/block_cursor.h"
#include "engine/full_text/posting_source.h"
#include "engine/rows/partial_row_image.h"
#include "engine/rows/row_context.h"
#include "engine/task_progress.h"
#include "txn/cursor.h"

namespace basalt::engine {

// A FULLTEXT index of a table as the running statement sees it: the entries of its view, with the
// transaction's own writes. Where the statement reads the latest state, that is the state of the
// moment at which this object was made, for all that is asked.
//
// One thread, within one statement; cursors must not outlive the object. Borrows its arguments.
class TablePostings final : public PostingSource {
 public:
  // `index`: the position of a FULLTEXT index. `progress` is asked now and then whether the
  // statement goes on; null: it does.
  TablePostings(RowContext* context, size_t index, TaskProgress* progress);
  ~TablePostings() override;

  Status NewCursor(const std::string& image, std::unique_ptr<PostingCursor>* cursor) override;
  Status VisitWords(const std::string& range, PostingVisitor* visitor) override;
  // Reads the entries of all rows, or takes what was counted a short time ago: see CountedTexts.
  Status Count(TextTotals* totals) override;
  Status FindLength(Bytes document, uint64_t* words) override;
  Status ReadRow(Bytes document, codec::DocumentWords* words) override;

  // The document of a row, by its key in the primary index.
  static Bytes DocumentOf(Bytes row_key) { return row_key.substr(sizeof(uint32_t)); }

 private:
  class WordCursor;

  Status NewCursorOf(size_t index, std::unique_ptr<txn::Cursor>* cursor);
  Status BindBlocks(BlockCursor* blocks);
  uint64_t WritesVersion() const;
  Status VisitEntries(const std::string& range, PostingVisitor* visitor);
  Status VisitBlocks(const std::string& range, PostingVisitor* visitor);
  Status CountEntries(TextTotals* totals);
  CountedTexts::View View() const;
  // After a move of a cursor: what stopped it, and whether the statement goes on.
  Status StatusOf(const txn::Cursor& cursor);
  // After any move: whether the statement goes on.
  Status GoOn();
  Status ReadLength(const txn::Cursor& entry, uint64_t* words) const;
  // A key of the index: its head, and what follows.
  std::string BeginningOf(codec::PostingKind kind, Bytes rest) const;

  RowContext* const context_;
  const size_t index_;
  TaskProgress* const progress_;
  const rocksdb::Snapshot* latest_ = nullptr;  // this object's own
  const rocksdb::Snapshot* snapshot_ = nullptr;
  std::vector<codec::Column> columns_;  // of the index
  PartialRowImage row_;
  std::unique_ptr<txn::Cursor> rows_;     // in the primary index, from the first ReadRow on
  std::unique_ptr<txn::Cursor> lengths_;  // in the index, from the first FindLength on
  uint64_t moves_ = 0;
};

}  // namespace basalt::engine
