// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/reference_search.h"

#include <utility>

#include "base/assert.h"
#include "engine/entry_name.h"

namespace basalt::engine {
namespace {

constexpr ReadIntent kShared = {.lock = true, .mode = txn::LockMode::kShared, .repeatable = true};

}  // namespace

ReferenceSearch::ReferenceSearch(std::shared_ptr<Table> table, size_t index, unsigned parts)
    : index_(index),
      parts_(parts),
      row_end_(table->traits().row_end),
      context_(std::move(table)),
      cursors_(&context_.table()) {
  const Table& searched = context_.table();
  BASALT_ASSERT(searched.index(index_).codec->EqualBytesAreEqual(parts_),
                "a reference is searched by bytes that tell its values apart");
  prefix_.resize(searched.max_key_bytes());
  row_key_.resize(searched.max_key_bytes());
  if (row_end_) row_ = std::make_unique<RowImage>(searched, nullptr);
}

void ReferenceSearch::Begin(txn::Transaction* transaction) { context_.Begin(transaction, kShared); }

void ReferenceSearch::End() {
  cursors_.Park();
  context_.End();
}

bool ReferenceSearch::IsWholePrimaryKey() const {
  return row_ == nullptr && context_.IsPrimary(index_) && !context_.table().hidden_primary() &&
         parts_ == context_.table().primary().codec->user_parts();
}

Bytes ReferenceSearch::PrefixOf(const uint8_t* record) {
  const codec::KeyCodec& codec = *context_.table().index(index_).codec;
  return MakeBytes(prefix_.data(), codec.EncodePrefix(record, parts_, prefix_.data()));
}

bool ReferenceSearch::AreEqual(const uint8_t* one, const uint8_t* other) {
  const std::string first(PrefixOf(one));
  return PrefixOf(other) == first;
}

Status ReferenceSearch::FindEncoded(Bytes values, Bytes except, bool* found) {
  *found = false;
  return Search(values, txn::LockMode::kShared, [found, except](Bytes row_key) {
    *found = row_key != except;
    return !*found;
  });
}

Status ReferenceSearch::Collect(const uint8_t* record, std::vector<std::string>* row_keys) {
  return Search(PrefixOf(record), txn::LockMode::kExclusive, [row_keys](Bytes row_key) {
    row_keys->emplace_back(row_key);
    return true;
  });
}

Status ReferenceSearch::Search(Bytes prefix, txn::LockMode mode, const Take& take) {
  context_.ttl_clock().Observe(context_.transaction());
  return IsWholePrimaryKey() ? SearchPrimaryKey(prefix, mode, take)
                             : SearchIndex(prefix, mode, take);
}

// The lock stays where there is no row: who adds it must have the lock.
Status ReferenceSearch::SearchPrimaryKey(Bytes row_key, txn::LockMode mode, const Take& take) {
  const Index& rows = context_.table().primary();
  txn::Transaction* transaction = context_.transaction();
  BASALT_RETURN_IF_ERROR(
      transaction->locks().Acquire(rows.id, row_key, mode, txn::LockWait::kWait));
  rocksdb::PinnableSlice value;
  Status read = transaction->reads().Get(rows.family, row_key, txn::View::kLatest, &value);
  if (read.ok() && !context_.ttl_clock().Hides(value.ToStringView())) take(row_key);
  if (read.ok() || read.code() == Code::kNotFound) return Status::Ok();
  return WithEntry(context_.table(), index_, row_key, std::move(read));
}

Status ReferenceSearch::SearchIndex(Bytes prefix, txn::LockMode mode, const Take& take) {
  txn::Transaction* transaction = context_.transaction();
  const bool fill_cache = transaction->settings().fill_cache;
  const txn::ViewStamp stamp = transaction->reads().LatestStamp();
  txn::Cursor* cursor = cursors_.Get(index_);
  BASALT_RETURN_IF_ERROR(cursor->Bind(nullptr, &context_.writes(), fill_cache));
  scan_.Begin(transaction, cursor, context_.table().index(index_).id, GuardedScan::Keep::kRanges,
              txn::LockWait::kWait, fill_cache, stamp);
  end_.assign(prefix);
  MakeSuccessor(&end_);
  Status moved = scan_.SeekForward(prefix, end_);
  while (moved.ok()) {
    Bytes row_key;
    bool is_there = false;
    moved = LockEntry(mode, &row_key, &is_there);
    if (!moved.ok() || (is_there && !take(row_key))) break;
    moved = scan_.Next();
  }
  scan_.End();
  if (moved.ok() || moved.code() == Code::kEndOfRange) return Status::Ok();
  return WithEntry(context_.table(), index_, prefix, std::move(moved));
}

// Locks the row of the entry that the scan has come to. It counts when the entry is there still:
// others may have taken it away while the lock was waited for.
Status ReferenceSearch::LockEntry(txn::LockMode mode, Bytes* row_key, bool* is_there) {
  const Table& table = context_.table();
  const Index& index = table.index(index_);
  txn::Transaction* transaction = context_.transaction();
  const txn::Cursor& cursor = *cursors_.Get(index_);
  if (context_.ttl_clock().HidesEntry(index_, cursor.value())) return Status::Ok();
  *row_key = RowKeyOf(cursor.key());
  if (row_key->empty()) return MalformedEntry(table, index_, cursor.key());
  const size_t locks = transaction->locks().count();
  BASALT_RETURN_IF_ERROR(
      transaction->locks().Acquire(table.primary().id, *row_key, mode, txn::LockWait::kWait));
  *is_there = scan_.ShowsLatest();
  if (*is_there) return LeaveHistoryOut(*row_key, is_there);
  rocksdb::PinnableSlice value;
  Status read = transaction->reads().Get(index.family, cursor.key(), txn::View::kLatest, &value);
  *is_there = read.ok();
  if (!*is_there) transaction->locks().ReleaseAfter(locks);
  if (*is_there) return LeaveHistoryOut(*row_key, is_there);
  return read.code() == Code::kNotFound ? Status::Ok() : std::move(read);
}

Status ReferenceSearch::LeaveHistoryOut(Bytes row_key, bool* is_there) {
  if (row_ == nullptr) return Status::Ok();
  const Table& table = context_.table();
  rocksdb::PinnableSlice value;
  Status read = context_.transaction()->reads().Get(table.primary().family, row_key,
                                                    txn::View::kLatest, &value);
  if (!read.ok() || !row_->Decode(row_key, value.ToStringView())) {
    return WithEntry(
        table, table.primary_position(), row_key,
        read.ok() ? Status(Code::kCorruption, "a row that cannot be decoded") : std::move(read));
  }
  const codec::Column& end = table.descriptor().columns[row_end_->column];
  *is_there = row_end_->IsAlive(row_->record(), end.offset);
  return Status::Ok();
}

Bytes ReferenceSearch::RowKeyOf(Bytes entry) {
  if (context_.IsPrimary(index_)) return entry;
  const codec::KeyCodec& codec = *context_.table().index(index_).codec;
  return MakeBytes(row_key_.data(), codec.ExtractPrimaryKey(entry, row_key_.data()));
}

}  // namespace basalt::engine
