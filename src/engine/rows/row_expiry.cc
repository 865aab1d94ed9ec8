// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_expiry.h"

#include "base/assert.h"
#include "engine/entry_name.h"

namespace basalt::engine {

// The time stamp is read from the row as it is now: it has been locked since it was read.
Status RowExpiry::StampsOfUpdate(const uint8_t* before, const uint8_t* after, Bytes row_key,
                                 UpdateStamps* stamps) {
  const TtlClock& clock = context_->ttl_clock();
  if (clock.stamps_come_from_column()) {
    stamps->before = clock.StampOf(before);
    stamps->after = clock.StampOf(after);
    return Status::Ok();
  }
  const Table& table = context_->table();
  rocksdb::PinnableSlice value;
  Status found = context_->transaction()->reads().Get(table.primary().family, row_key,
                                                      txn::View::kLatest, &value);
  if (found.code() == Code::kNotFound) {
    // It has expired since, and a compaction came by.
    stamps->before = stamps->after = clock.ExpiredStamp();
    return Status::Ok();
  }
  if (!found.ok()) return WithEntry(table, table.primary_position(), row_key, std::move(found));
  if (!codec::ReadTtl(value.ToStringView(), &stamps->before)) {
    return MalformedEntry(table, table.primary_position(), row_key);
  }
  stamps->after = stamps->before;
  return Status::Ok();
}

bool RowExpiry::GivesPlace(rocksdb::PinnableSlice* value) {
  if (!context_->ttl_clock().Hides(Bytes(value->data(), value->size()))) [[likely]]
    return false;
  expired_row_.Reset();
  expired_row_.PinSelf(*value);
  replaces_ = true;
  return true;
}

// The expired row goes as if it had been deleted: its entries, which compactions may have left,
// would otherwise point to the new row, and be put twice without a removal in between.
Status RowExpiry::DeleteExpired(Bytes row_key) {
  replaces_ = false;
  Table& table = context_->table();
  const codec::ColumnSet all = codec::ColumnSet::All(table.descriptor().columns.size());
  BASALT_RETURN_IF_ERROR(image_.Decode(all, row_key, expired_row_.ToStringView()));
  if (table.has_virtual_parts()) context_->virtual_columns()->ComputeAll(image_.record());
  BASALT_ASSERT(context_->IsLockedForWrite(row_key),
                "T2: every row written was locked exclusively before");
  BASALT_RETURN_IF_ERROR(context_->transaction()->writes().Delete(table.primary().family, row_key));
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (context_->IsPrimary(i)) continue;
    const Bytes entry = encoder_->EntryKey(i, image_.record(), /*hidden_id=*/0);
    BASALT_RETURN_IF_ERROR(
        context_->transaction()->writes().SingleDelete(table.index(i).family, entry));
  }
  if (context_->LogsChanges()) [[unlikely]] {
    const Bytes value(expired_row_.data(), expired_row_.size());
    BASALT_RETURN_IF_ERROR(context_->LogChange({.before = {true, row_key, value}, .after = {}}));
  }
  expired_row_.Reset();
  table.statistics().NoteDelete();
  return Status::Ok();
}

}  // namespace basalt::engine
