// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_reader.h"

#include "engine/entry_name.h"

namespace basalt::engine {

bool RowReader::SetWantedColumns(const codec::ColumnSet& wanted) {
  if (wanted == wanted_) return false;
  wanted_ = wanted;
  decoder_ready_ = false;
  return true;
}

// A locking scan of a secondary index compares the row with the entry, and so needs the columns of
// both keys besides the wanted ones; all columns, when parts of the key are computed from others.
void RowReader::CompileDecoder() {
  const Table& table = context_->table();
  decoder_ready_ = true;
  if (!context_->intent().lock || !compared_index_.has_value()) return CompileDecoderFor(wanted_);
  codec::ColumnSet columns = wanted_;
  if (table.index(*compared_index_).has_virtual_parts) {
    columns = codec::ColumnSet::All(table.descriptor().columns.size());
  } else {
    for (const codec::KeyPart& part : table.descriptor().indexes[*compared_index_].parts) {
      columns.Add(part.column);
    }
    for (const codec::KeyPart& part : table.descriptor().primary_index().parts) {
      columns.Add(part.column);
    }
  }
  CompileDecoderFor(columns);
}

void RowReader::CompileDecoderFor(const codec::ColumnSet& columns) {
  if (decoder_.CompiledFor(columns)) return;
  const Table& table = context_->table();
  decoder_.Compile(table.descriptor(), *table.primary().codec, table.row_codec(), columns);
}

Status RowReader::WithKey(Status status) const {
  const Table& table = context_->table();
  return WithEntry(table, table.primary_position(), key_, std::move(status));
}

Status RowReader::Read(Bytes primary_key, uint8_t* record, bool alone) {
  BeginRow();
  if (primary_key.data() != key_.data()) SetKey(primary_key);
  const ReadIntent& intent = context_->intent();
  txn::Transaction* transaction = context_->transaction();
  Status read;
  if (intent.lock) {
    BASALT_RETURN_IF_ERROR(Lock(intent.wait));
    read = Fetch();
    // MyRocks locks the key of a row that is not there; here others may insert it where nothing is
    // repeatable.
    const bool as_myrocks = transaction->settings().detect_conflicts;
    if (read.code() == Code::kNotFound && !as_myrocks) Unlock();
  } else if (alone) {
    read = transaction->reads().GetAlone(context_->table().primary().family, key_, &value_);
    if (!read.ok()) read = WithKey(std::move(read));
  } else {
    read = Fetch();
  }
  if (!read.ok()) return read;
  context_->ttl_clock().Observe(transaction);
  return DecodeFetched(record);
}

Status RowReader::LockKey(Bytes primary_key) {
  BeginRow();
  SetKey(primary_key);
  return Lock(context_->intent().wait);
}

Status RowReader::Lock(txn::LockWait wait) {
  const Index& rows = context_->table().primary();
  txn::Transaction* transaction = context_->transaction();
  BASALT_RETURN_IF_ERROR(
      transaction->locks().Acquire(rows.id, key_, context_->intent().mode, wait, &newly_locked_));
  lock_position_ = transaction->locks().count();
  return transaction->reads().CheckUnchanged(rows.family, key_);
}

void RowReader::Release() {
  unlocked_ = false;
  // Only while it is the newest lock: one that came after it may be for a row that was written.
  txn::Transaction* transaction = context_->transaction();
  if (newly_locked_ && transaction->locks().count() == lock_position_) {
    transaction->locks().ReleaseAfter(lock_position_ - 1);
  }
  newly_locked_ = false;
}

Status RowReader::Fetch() {
  Status read = context_->transaction()->reads().Get(context_->table().primary().family, key_,
                                                     context_->view(), &value_);
  if (read.ok()) [[likely]]
    return read;
  return WithKey(std::move(read));
}

Status RowReader::Decode(Bytes value, uint8_t* record) {
  if (context_->ttl_clock().Hides(value)) [[unlikely]] {
    Unlock();
    return Status(Code::kNotFound);
  }
  if (!decoder_ready_) CompileDecoder();
  if (decoder_.Decode(key_, value, record)) [[likely]]
    return Status::Ok();
  return MalformedEntry(context_->table(), context_->table().primary_position(), key_);
}

Bytes RowReader::Keep(Bytes value) {
  value_.Reset();
  value_.PinSelf(rocksdb::Slice(value));
  return MakeBytes(value_);
}

}  // namespace basalt::engine
