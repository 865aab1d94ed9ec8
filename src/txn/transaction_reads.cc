// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction_reads.h"

#include <string>
#include <vector>

#include "store/errors/status_map.h"
#include "store/store.h"
#include "txn/transaction_manager.h"
#include "txn/transaction_writes.h"

namespace basalt::txn {

TransactionReads::TransactionReads(const TransactionManager* manager,
                                   const TransactionSettings* settings, TransactionWrites* writes)
    : manager_(manager),
      database_(manager->store()->base()),
      snapshot_(database_),
      settings_(settings),
      writes_(writes) {}

ViewStamp TransactionReads::LatestStamp() const { return manager_->LatestStamp(); }

Status TransactionReads::Get(rocksdb::ColumnFamilyHandle* family, Bytes key, View view,
                             rocksdb::PinnableSlice* value) {
  // Before own writes are looked at: the first plain read fixes the transaction's view of all other
  // rows, even when the row that it reads is the transaction's own.
  const rocksdb::Snapshot* snapshot = view == View::kSnapshot ? snapshot_.ForReads() : nullptr;
  if (WriteSet& own = writes_->Of(family); own.Wrote(family->GetID())) {
    WriteKind kind;
    value->Reset();
    BASALT_RETURN_IF_ERROR(own.Get(family, key, &kind, value->GetSelf()));
    if (kind == WriteKind::kDeleted) return Status(Code::kNotFound);
    if (kind == WriteKind::kPut) {
      value->PinSelf();
      return Status::Ok();
    }
  }
  rocksdb::ReadOptions options;
  options.fill_cache = settings_->fill_cache;
  options.snapshot = snapshot;
  value->Reset();
  const rocksdb::Status read = database_->Get(options, family, key, value);
  if (read.ok()) [[likely]]
    return Status::Ok();
  if (read.IsNotFound()) return Status(Code::kNotFound);
  return store::MapStatus(read, "reading a row");
}

Status TransactionReads::GetAlone(rocksdb::ColumnFamilyHandle* family, Bytes key,
                                  rocksdb::PinnableSlice* value) {
  const bool consistent_already = snapshot_.taken();
  return Get(family, key, consistent_already ? View::kSnapshot : View::kLatest, value);
}

void TransactionReads::MultiGet(rocksdb::ColumnFamilyHandle* family, size_t count,
                                const rocksdb::Slice* keys, View view, bool sorted,
                                rocksdb::PinnableSlice* values, Code* codes) {
  if (writes_->Of(family).Wrote(family->GetID())) {
    // Few statements read many rows of a table they have written to: one by one is simple.
    for (size_t i = 0; i < count; ++i) {
      codes[i] = Get(family, keys[i].ToStringView(), view, &values[i]).code();
    }
    return;
  }
  rocksdb::ReadOptions options;
  options.fill_cache = settings_->fill_cache;
  if (view == View::kSnapshot) options.snapshot = snapshot_.ForReads();
  std::vector<rocksdb::Status> statuses(count);
  for (size_t i = 0; i < count; ++i) values[i].Reset();
  database_->MultiGet(options, family, count, keys, values, statuses.data(), sorted);
  for (size_t i = 0; i < count; ++i) {
    codes[i] = statuses[i].ok() ? Code::kOk : store::MapStatus(statuses[i]).code();
  }
}

Status TransactionReads::CheckUnchanged(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  if (!settings_->detects_conflicts()) [[likely]]
    return Status::Ok();
  if (!snapshot_.taken()) {
    snapshot_.ForReads();
    return Status::Ok();
  }
  WriteKind own = WriteKind::kNone;
  std::string written;
  if (writes_->logged().Wrote(family->GetID())) {
    BASALT_RETURN_IF_ERROR(writes_->logged().Get(family, key, &own, &written));
  }
  if (own != WriteKind::kNone) return Status::Ok();  // locked, and checked, before
  rocksdb::ReadOptions options;
  rocksdb::PinnableSlice latest;
  const rocksdb::Status now = database_->Get(options, family, key, &latest);
  options.snapshot = snapshot_.get();
  rocksdb::PinnableSlice before;
  const rocksdb::Status then = database_->Get(options, family, key, &before);
  for (const rocksdb::Status& read : {now, then}) {
    if (!read.ok() && !read.IsNotFound()) return store::MapStatus(read, "reading a row");
  }
  // A change that was taken back since is none.
  if (now.code() == then.code() && latest == before) return Status::Ok();
  return Status(Code::kSnapshotConflict, " (snapshot conflict)");
}

}  // namespace basalt::txn
