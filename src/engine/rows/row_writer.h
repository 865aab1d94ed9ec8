// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/rows/posting_writer.h"
#include "engine/rows/row_context.h"
#include "engine/rows/row_encoder.h"
#include "engine/rows/row_expiry.h"
#include "engine/rows/row_reader.h"
#include "engine/rows/unique_check.h"
#include "engine/rows/write_guard.h"
#include "txn/transaction.h"

namespace basalt::engine {

// Writes rows: makes the entries of all indexes and puts them into the transaction. A write first
// locks and checks everything, then puts everything: a duplicate found on the way leaves nothing
// behind that would have to be taken back.
//
// *duplicate_index is a position in Table, valid after kDuplicateKey; UniqueCheck then knows the
// row it was found with. A guard is borrowed for the call; null: none. One thread at a time.
// Borrows what it is made with.
class RowWriter {
 public:
  RowWriter(RowContext* context, RowEncoder* encoder, RowReader* reader, UniqueCheck* unique,
            RowExpiry* expiry)
      : context_(context),
        encoder_(encoder),
        reader_(reader),
        unique_(unique),
        expiry_(expiry),
        postings_(context),
        removed_(context->table().index_count()),
        added_(context->table().index_count()) {}

  // A load takes the rows that are added, instead of the write set: Insert locks and checks a row
  // as usual, and leaves its entries in added().
  void set_leaves_entries(bool leaves) { leaves_entries_ = leaves; }
  // The entries of the row that was added last, by the position of their index in Table.
  const std::vector<IndexEntry>& added() const { return added_; }

  // Adds the row, and makes it the reader's row.
  Status Insert(const uint8_t* record, size_t* duplicate_index, WriteGuard* guard = nullptr);
  // `before` is the reader's row. *changed becomes false when both are the same in every byte that
  // is stored; then nothing is written.
  Status Update(const uint8_t* before, const uint8_t* after, size_t* duplicate_index, bool* changed,
                WriteGuard* guard = nullptr);
  // `record` is the reader's row.
  Status Delete(const uint8_t* record);

 private:
  Status EncodeUpdate(const uint8_t* before, const uint8_t* after, bool* changed);
  bool KeepsEntry(size_t position, const uint8_t* before, const uint8_t* after) const;
  template <typename TakeLocks>
  Status OpenWrite(const TakeLocks& take_locks, txn::WriteGate* gate);
  Status TakePostings(const uint8_t* before, const uint8_t* after, uint64_t hidden_id);
  Status PutAdded();
  Status PutChanges();
  Status PutChangedPrimary();
  Status LogChange(const IndexEntry* before, const IndexEntry* after) const;

  RowContext* const context_;
  RowEncoder* const encoder_;
  RowReader* const reader_;
  UniqueCheck* const unique_;
  RowExpiry* const expiry_;
  PostingWriter postings_;  // for FULLTEXT indexes, whose entries are not in the lists below
  // Of the row being written, one entry for each index: buffers that are kept from row to row.
  std::vector<IndexEntry> removed_;
  std::vector<IndexEntry> added_;
  bool leaves_entries_ = false;
  std::vector<txn::NewEntry> new_entries_;  // of added_, those that their indexes do not have yet
};

}  // namespace basalt::engine
