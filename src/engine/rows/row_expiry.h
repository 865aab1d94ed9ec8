// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/slice.h>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/rows/partial_row_image.h"
#include "engine/rows/row_context.h"
#include "engine/rows/row_encoder.h"

namespace basalt::engine {

// Writes to tables with a time to live (TTL): which time stamp an updated row gets, and what
// becomes of an expired row whose key is written again.
//
// One thread at a time. Borrows context and encoder.
class RowExpiry {
 public:
  RowExpiry(RowContext* context, RowEncoder* encoder)
      : context_(context), encoder_(encoder), image_(&context->table()) {}

  // The time stamps of a row before and after an update. A row keeps the one it has, unless a
  // column gives it. The row is locked; `row_key` is its key.
  Status StampsOfUpdate(const uint8_t* before, const uint8_t* after, Bytes row_key,
                        UpdateStamps* stamps);
  // A write begins, and takes no expired row's place so far.
  void Forget() { replaces_ = false; }
  // Has the row with this value expired? Then the row being written takes its place, and the value
  // is taken over.
  bool GivesPlace(rocksdb::PinnableSlice* value);
  // Deletes the expired row whose place is taken, if there is one. Its key is `row_key`.
  Status DeleteReplaced(Bytes row_key) {
    if (!replaces_) [[likely]]
      return Status::Ok();
    return DeleteExpired(row_key);
  }

 private:
  Status DeleteExpired(Bytes row_key);

  RowContext* const context_;
  RowEncoder* const encoder_;
  PartialRowImage image_;
  rocksdb::PinnableSlice expired_row_;
  bool replaces_ = false;  // the row being written takes the place of expired_row_
};

}  // namespace basalt::engine
