// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "codec/posting_encoder.h"
#include "engine/rows/row_context.h"

namespace basalt::engine {

// Keeps the entries that rows have in the FULLTEXT indexes of a table. A word that stays where it
// is in an updated row costs no write.
//
// Which entries these are follows from the row. What is read is whether blocks have the words of a
// row that is changed or deleted (docs/format/full-text.md): they are not changed then, but told to
// be void for the row. All is done under the lock of the row, like in other indexes that are not
// unique. One thread at a time. Borrows the context.
class PostingWriter {
 public:
  explicit PostingWriter(RowContext* context);

  // Is there anything to keep? When not, the functions below must not be called.
  bool has_indexes() const { return !indexes_.empty(); }

  // The words of rows that are about to be written are found before anything is: a parser may fail.
  // Each function takes one row of the pair; a row that is not there is left out.
  Status TakeRemoved(const uint8_t* record, uint64_t hidden_id);
  Status TakeAdded(const uint8_t* record, uint64_t hidden_id);

  // Then the row has been inserted, updated or deleted.
  Status PutAdded();
  Status PutChanges();
  Status DeleteRemoved();

 private:
  // One FULLTEXT index.
  struct Words {
    size_t position = 0;
    rocksdb::ColumnFamilyHandle* family = nullptr;
    std::unique_ptr<codec::PostingEncoder> removed;
    std::unique_ptr<codec::PostingEncoder> added;
  };

  Status PutChangesOf(const Words& index);
  Status PutAllAdded(const Words& index);
  Status DeleteAllRemoved(const Words& index);
  Status IsInBlocks(const Words& index, bool* in_blocks);
  Status SupersedeBlocks(const Words& index);
  Status Put(const Words& index, size_t entry);
  Status Delete(const Words& index, size_t entry);

  RowContext* const context_;
  std::vector<Words> indexes_;
  rocksdb::PinnableSlice own_value_;  // of a row's own entry
};

}  // namespace basalt::engine
