// SPDX-License-Identifier: GPL-2.0-only
//
// The part of RowAccess that writes rows with a time to live: which time stamp a row gets, and what
// becomes of an expired row whose key is written again.
#include "engine/entry_name.h"
#include "engine/rows/row_access.h"

namespace basalt::engine {

// A row keeps the time stamp it has, unless that comes from a column. It is read from the row as it
// is now: it has been locked since it was read.
Status RowAccess::StampsOfUpdate(const uint8_t* before, const uint8_t* after,
                                 UpdateStamps* stamps) {
  if (!life_.has_stamps()) [[likely]]
    return Status::Ok();
  if (life_.stamps_come_from_column()) {
    stamps->before = life_.StampOf(before);
    stamps->after = life_.StampOf(after);
    return Status::Ok();
  }
  const std::string row_key(table_->hidden_primary() ? Bytes(row_key_) : RowKeyOf(before));
  rocksdb::PinnableSlice value;
  Status found = transaction_->Get(table_->primary().family, row_key, txn::View::kLatest, &value);
  if (found.code() == Code::kNotFound) {
    // It has expired since, and a compaction came by.
    stamps->before = stamps->after = life_.ExpiredStamp();
    return Status::Ok();
  }
  if (!found.ok()) return WithEntry(*table_, table_->primary_position(), row_key, std::move(found));
  if (!codec::ReadTtl(Bytes(value.data(), value.size()), &stamps->before)) {
    return Malformed(table_->primary_position(), row_key);
  }
  stamps->after = stamps->before;
  return Status::Ok();
}

// An insert that meets an expired row under its key takes its place; see RemoveExpired.
bool RowAccess::TakesPlaceOf(rocksdb::PinnableSlice* value) {
  if (!life_.Hides(Bytes(value->data(), value->size()))) [[likely]]
    return false;
  expired_row_.Reset();
  expired_row_.PinSelf(*value);
  replaces_expired_ = true;
  return true;
}

// The expired row goes as if it had been deleted: its entries, which compactions may have left,
// would otherwise point to the new row, and be put twice without a removal in between.
Status RowAccess::RemoveExpired(Bytes row_key) {
  replaces_expired_ = false;
  const codec::ColumnSet all = codec::ColumnSet::All(table_->descriptor().columns.size());
  if (!unique_decoder_.CompiledFor(all)) {
    unique_decoder_.Compile(table_->descriptor(), *table_->primary().codec, table_->row_codec(),
                            all);
  }
  unique_record_.resize(table_->descriptor().record_length);
  if (!unique_decoder_.Decode(row_key, Bytes(expired_row_.data(), expired_row_.size()),
                              unique_record_.data())) {
    return Malformed(table_->primary_position(), row_key);
  }
  if (table_->has_virtual_parts()) virtual_columns_->ComputeAll(unique_record_.data());
  BASALT_RETURN_IF_ERROR(transaction_->Delete(table_->primary().family, row_key));
  Entry entry;
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i == table_->primary_position()) continue;
    EncodeSecondary(i, unique_record_.data(), /*hidden_id=*/0, &entry);
    BASALT_RETURN_IF_ERROR(transaction_->SingleDelete(table_->index(i).family, entry.key));
  }
  expired_row_.Reset();
  table_->statistics().NoteDelete();
  return Status::Ok();
}

}  // namespace basalt::engine
