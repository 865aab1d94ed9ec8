// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/unique_check.h"

#include "codec/unique_image.h"
#include "engine/entry_name.h"

namespace basalt::engine {
namespace {

Status Ask(WriteGuard* guard, size_t index) {
  return guard == nullptr ? Status::Ok() : guard->Check(index);
}

}  // namespace

// The lock of a value that is about to be added, and no prepared transaction may add it still.
// kLockBusy: another has the lock, and `wait` says not to wait.
Status UniqueCheck::LockNewValue(IndexId index, Bytes locked, Bytes prefix, txn::LockWait wait) {
  txn::Transaction* transaction = context_->transaction();
  if (!context_->table().lockless()) {
    bool acquired;
    BASALT_RETURN_IF_ERROR(transaction->locks().AcquireForEntry(index, locked, wait, &acquired));
  }
  return transaction->locks().WaitForUndecided(index, prefix);
}

// Conflicting rows share what is locked, so nobody else adds one.
Status UniqueCheck::Lock(const UniqueValue& value, txn::LockWait wait) {
  return LockNewValue(context_->table().index(value.index).id,
                      value.image.empty() ? value.prefix : value.image, value.prefix, wait);
}

// Whether it is known, or worth a search, that no entry has the primary key. False says nothing.
Status UniqueCheck::LieInGap(Bytes primary_key, bool* free) {
  const Table& table = context_->table();
  const txn::ViewStamp latest = context_->transaction()->reads().LatestStamp();
  const AbsentRange::Answer answer = absent_range_.Ask(primary_key, latest, context_->writes());
  *free = answer == AbsentRange::Answer::kFree;
  if (answer != AbsentRange::Answer::kSearch) return Status::Ok();
  txn::Cursor* cursor = cursors_.Get(table.primary_position());
  BASALT_RETURN_IF_ERROR(
      cursor->Bind(nullptr, &context_->writes(), context_->transaction()->settings().fill_cache));
  cursor->SeekForward(primary_key);
  BASALT_RETURN_IF_ERROR(WithEntry(table, table.primary_position(), primary_key, cursor->status()));
  *free = !cursor->Valid() || cursor->key() != primary_key;
  if (*free) absent_range_.NoteAbsent(latest, cursor->Valid() ? cursor->key() : Bytes());
  // A long statement must not pin what it saw for longer than idle cursors do.
  cursor->Park();
  return Status::Ok();
}

// Has a row this primary key now? One that has expired gives its place.
Status UniqueCheck::PrimaryKeyIsTaken(Bytes primary_key, bool* taken) {
  *taken = false;
  const Table& table = context_->table();
  if (table.primary().codec->UniqueIsExact()) {
    bool free = false;
    BASALT_RETURN_IF_ERROR(LieInGap(primary_key, &free));
    if (free) return Status::Ok();
  }
  rocksdb::PinnableSlice value;
  Status found = context_->transaction()->reads().Get(table.primary().family, primary_key,
                                                      txn::View::kLatest, &value);
  if (found.code() == Code::kNotFound) return Status::Ok();
  if (!found.ok()) {
    return WithEntry(table, table.primary_position(), primary_key, std::move(found));
  }
  *taken = !expiry_->GivesPlace(&value);
  return Status::Ok();
}

// Locks a primary key to be added, exclusively when no row has it, else in the mode of duplicates.
// As a rule nobody else has the lock. Where somebody has, a look says which lock to wait for: of
// two who are refused for the same row neither waits for the other. A second look says whether the
// wait has changed that.
Status UniqueCheck::LockNewPrimary(Bytes primary_key, bool* taken) {
  const IndexId rows = context_->table().primary().id;
  txn::Transaction* transaction = context_->transaction();
  while (true) {
    const size_t locks = transaction->locks().count();
    bool acquired = false;
    bool exists = false;
    Status locked =
        transaction->locks().AcquireForEntry(rows, primary_key, txn::LockWait::kNoWait, &acquired);
    if (locked.code() == Code::kLockBusy) {
      BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, &exists));
      locked = exists ? transaction->locks().Acquire(rows, primary_key, duplicate_mode_,
                                                     txn::LockWait::kWait)
                      : transaction->locks().AcquireForEntry(rows, primary_key,
                                                             txn::LockWait::kWait, &acquired);
    }
    BASALT_RETURN_IF_ERROR(std::move(locked));
    BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, taken));
    if (*taken && !exists)
      transaction->locks().EntryIsThere(primary_key, acquired, duplicate_mode_);
    if (*taken || !exists) return Status::Ok();
    transaction->locks().ReleaseAfter(locks);
  }
}

Status UniqueCheck::CheckPrimary(const uint8_t* record, Bytes primary_key, Bytes own_row_key,
                                 size_t* duplicate_index) {
  const Table& table = context_->table();
  bool taken = false;
  if (table.lockless()) {
    BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, &taken));
  } else if (context_->transaction()->settings().detect_conflicts) {
    BASALT_RETURN_IF_ERROR(context_->LockForWrite(primary_key));
    BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, &taken));
  } else {
    BASALT_RETURN_IF_ERROR(LockNewPrimary(primary_key, &taken));
  }
  if (!taken) {
    if (table.primary().codec->UniqueIsExact()) return Status::Ok();
    return CheckValue(encoder_->UniqueValueOf(table.primary_position(), record), own_row_key,
                      duplicate_index);
  }
  *duplicate_index = table.primary_position();
  duplicate_key_.assign(primary_key);
  return Status(Code::kDuplicateKey);
}

// Reads the row of an entry that may conflict and says whether it has the image. A row that is gone
// does not conflict.
Status UniqueCheck::RowHasImage(size_t index, Bytes row_key, const std::string& image, bool* same) {
  *same = false;
  const Table& table = context_->table();
  rocksdb::PinnableSlice value;
  Status found = context_->transaction()->reads().Get(table.primary().family, row_key,
                                                      txn::View::kLatest, &value);
  if (found.code() == Code::kNotFound) return Status::Ok();
  if (!found.ok()) return WithEntry(table, table.primary_position(), row_key, std::move(found));
  const Bytes row(value.data(), value.size());
  if (context_->ttl_clock().Hides(row)) return Status::Ok();
  const bool computed = table.index(index).has_virtual_parts;
  const size_t column_count = table.descriptor().columns.size();
  codec::ColumnSet columns =
      computed ? codec::ColumnSet::All(column_count) : codec::ColumnSet(column_count);
  for (const codec::KeyPart& part : table.descriptor().indexes[index].parts) {
    columns.Add(part.column);
  }
  BASALT_RETURN_IF_ERROR(image_.Decode(columns, row_key, row));
  if (computed) context_->virtual_columns()->Compute(index, image_.record());
  const codec::KeyCodec& codec = *table.index(index).codec;
  if (codec.UserPartsHaveNull(image_.record())) return Status::Ok();
  std::string other;
  codec::EncodeUniqueImage(codec, image_.record(), &other);
  *same = other == image;
  return Status::Ok();
}

// The key of a row other than `own_row_key` that has the value now; empty: none.
Status UniqueCheck::FindHolder(const UniqueValue& value, Bytes own_row_key, std::string* holder) {
  const Table& table = context_->table();
  const bool exact = value.image.empty();
  txn::Cursor* cursor = cursors_.Get(value.index);
  BASALT_RETURN_IF_ERROR(cursor->Bind(nullptr, &context_->writes()));
  for (cursor->SeekForward(value.prefix);
       cursor->Valid() && cursor->key().starts_with(value.prefix); cursor->Next()) {
    const Bytes row_key = encoder_->RowKeyOfEntry(value.index, cursor->key());
    if (row_key.empty()) return MalformedEntry(table, value.index, cursor->key());
    if (row_key == own_row_key) continue;
    bool same = exact && !context_->ttl_clock().HidesEntry(value.index, cursor->value());
    if (!exact) {
      BASALT_RETURN_IF_ERROR(RowHasImage(value.index, row_key, value.image, &same));
    }
    if (!same) continue;
    holder->assign(row_key);
    return Status::Ok();
  }
  return WithEntry(table, value.index, value.prefix, cursor->status());
}

// Locks the value, then looks who has it. Where a row has it, the row's lock takes the place of the
// value's, which is given up before the wait: rows come before values in the order of locks, and
// the row's owner may want to write the value again. Whether the row has it still is looked at
// again, since who takes a value away from a row locks the row only.
Status UniqueCheck::CheckValue(const UniqueValue& value, Bytes own_row_key,
                               size_t* duplicate_index) {
  const Table& table = context_->table();
  txn::Transaction* transaction = context_->transaction();
  while (true) {
    const size_t locks = transaction->locks().count();
    Status locked = Lock(value, txn::LockWait::kNoWait);
    const bool busy = locked.code() == Code::kLockBusy;
    if (!busy) BASALT_RETURN_IF_ERROR(std::move(locked));
    std::string holder;
    BASALT_RETURN_IF_ERROR(FindHolder(value, own_row_key, &holder));
    if (holder.empty() && busy) {
      BASALT_RETURN_IF_ERROR(Lock(value, txn::LockWait::kWait));
      BASALT_RETURN_IF_ERROR(FindHolder(value, own_row_key, &holder));
    }
    if (holder.empty()) return Status::Ok();
    std::string still = holder;
    if (!table.lockless()) {
      transaction->locks().ReleaseAfter(locks);
      BASALT_RETURN_IF_ERROR(transaction->locks().Acquire(table.primary().id, holder,
                                                          duplicate_mode_, txn::LockWait::kWait));
      still.clear();
      BASALT_RETURN_IF_ERROR(FindHolder(value, own_row_key, &still));
    }
    if (still == holder) {
      *duplicate_index = value.index;
      duplicate_key_.swap(holder);
      return Status(Code::kDuplicateKey);
    }
    transaction->locks().ReleaseAfter(locks);
  }
}

Status UniqueCheck::LockForInsert(const uint8_t* record, const Entries& added, WriteGuard* guard,
                                  size_t* duplicate_index) {
  expiry_->Forget();
  const Table& table = context_->table();
  BASALT_RETURN_IF_ERROR(Ask(guard, table.primary_position()));
  // Nobody else can know a fresh hidden id.
  if (!table.hidden_primary()) {
    BASALT_RETURN_IF_ERROR(
        CheckPrimary(record, added[table.primary_position()].key, Bytes(), duplicate_index));
  }
  for (size_t i = 0; i < table.index_count(); ++i) {
    const Index& index = table.index(i);
    if (context_->IsPrimary(i)) continue;
    BASALT_RETURN_IF_ERROR(Ask(guard, i));
    if (!index.unique || index.codec->UserPartsHaveNull(record)) continue;
    BASALT_RETURN_IF_ERROR(
        CheckValue(encoder_->UniqueValueOf(i, record), Bytes(), duplicate_index));
  }
  return Status::Ok();
}

// Have the declared parts of the index's key changed?
bool UniqueCheck::ValueChanges(size_t index, const uint8_t* before, Bytes removed,
                               const uint8_t* after, Bytes added) const {
  const codec::KeyCodec& codec = *context_->table().index(index).codec;
  if (codec.UniqueIsExact()) {
    const size_t bytes = codec.PrefixBytes(added, codec.user_parts());
    return removed.substr(0, bytes) != added.substr(0, bytes);
  }
  if (codec.UserPartsHaveNull(before)) return true;
  std::string image_before;
  std::string image_after;
  codec::EncodeUniqueImage(codec, before, &image_before);
  codec::EncodeUniqueImage(codec, after, &image_after);
  return image_before != image_after;
}

Status UniqueCheck::LockForUpdate(const uint8_t* before, const Entries& removed,
                                  const uint8_t* after, const Entries& added, WriteGuard* guard,
                                  size_t* duplicate_index) {
  expiry_->Forget();
  const Table& table = context_->table();
  const size_t primary = table.primary_position();
  const Bytes own_row_key = removed[primary].key;
  BASALT_RETURN_IF_ERROR(Ask(guard, primary));
  if (own_row_key != added[primary].key) {
    BASALT_RETURN_IF_ERROR(CheckPrimary(after, added[primary].key, own_row_key, duplicate_index));
  }
  for (size_t i = 0; i < table.index_count(); ++i) {
    const Index& index = table.index(i);
    if (i == primary) continue;
    BASALT_RETURN_IF_ERROR(Ask(guard, i));
    if (!index.unique || index.codec->UserPartsHaveNull(after)) continue;
    if (!ValueChanges(i, before, removed[i].key, after, added[i].key)) continue;
    BASALT_RETURN_IF_ERROR(
        CheckValue(encoder_->UniqueValueOf(i, after), own_row_key, duplicate_index));
  }
  return Status::Ok();
}

}  // namespace basalt::engine
