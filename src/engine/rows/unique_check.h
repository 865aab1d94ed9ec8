// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/rows/absent_range.h"
#include "engine/rows/cursor_set.h"
#include "engine/rows/partial_row_image.h"
#include "engine/rows/row_context.h"
#include "engine/rows/row_encoder.h"
#include "engine/rows/row_expiry.h"
#include "engine/rows/unique_value.h"
#include "engine/rows/write_guard.h"

namespace basalt::engine {

// Locks the keys and unique values that a row is about to get, and looks whether another row has
// one of them. The invariants are those of UniqueValue.
//
// Results: Ok; kDuplicateKey with *duplicate_index, a position in Table, and duplicate_row_key();
// else errors of lock waits, of the store, and of the guard (null: there is none). One thread at a
// time. Borrows what it is made with.
class UniqueCheck {
 public:
  using Entries = std::vector<IndexEntry>;  // of a row, one for each index

  UniqueCheck(RowContext* context, RowEncoder* encoder, RowExpiry* expiry)
      : context_(context),
        encoder_(encoder),
        expiry_(expiry),
        cursors_(&context->table()),
        image_(&context->table()) {}

  // A statement begins and ends.
  void Begin() { absent_range_.Forget(); }
  void End() { cursors_.Park(); }
  void ReleaseCursors() { cursors_.Release(); }

  // For a row that is about to be added, with these entries.
  Status LockForInsert(const uint8_t* record, const Entries& added, WriteGuard* guard,
                       size_t* duplicate_index);
  // For a row that is about to be changed, and is locked. Values that stay are not looked at.
  Status LockForUpdate(const uint8_t* before, const Entries& removed, const uint8_t* after,
                       const Entries& added, WriteGuard* guard, size_t* duplicate_index);
  // The row with this primary key has just been added, with all its entries.
  void NoteAdded(Bytes primary_key) {
    if (!context_->table().hidden_primary())
      absent_range_.NoteAdded(primary_key, context_->writes());
  }
  // Of all who call this for a value (the beginning of keys), one goes on at a time, until its
  // statement is rolled back or its transaction ends. For uniqueness that the caller checks.
  Status LockValue(size_t index, Bytes prefix) {
    return LockNewValue(context_->table().index(index).id, prefix, prefix, txn::LockWait::kWait);
  }

  // The row that the last duplicate was found with.
  Bytes duplicate_row_key() const { return duplicate_key_; }
  // How a row found as a duplicate is locked: exclusively when the caller will change it.
  void set_duplicate_mode(txn::LockMode mode) { duplicate_mode_ = mode; }

 private:
  Status LockNewValue(IndexId index, Bytes locked, Bytes prefix, txn::LockWait wait);
  Status Lock(const UniqueValue& value, txn::LockWait wait);
  Status LieInGap(Bytes primary_key, bool* free);
  Status PrimaryKeyIsTaken(Bytes primary_key, bool* taken);
  Status LockNewPrimary(Bytes primary_key, bool* taken);
  Status CheckPrimary(const uint8_t* record, Bytes primary_key, Bytes own_row_key,
                      size_t* duplicate_index);
  bool ValueChanges(size_t index, const uint8_t* before, Bytes removed, const uint8_t* after,
                    Bytes added) const;
  Status CheckValue(const UniqueValue& value, Bytes own_row_key, size_t* duplicate_index);
  Status FindHolder(const UniqueValue& value, Bytes own_row_key, std::string* holder);
  Status RowHasImage(size_t index, Bytes row_key, const std::string& image, bool* same);

  RowContext* const context_;
  RowEncoder* const encoder_;
  RowExpiry* const expiry_;
  CursorSet cursors_;
  PartialRowImage image_;     // of rows that have to be looked at
  AbsentRange absent_range_;  // where rows are being inserted
  std::string duplicate_key_;
  txn::LockMode duplicate_mode_ = txn::LockMode::kShared;
};

}  // namespace basalt::engine
