// SPDX-License-Identifier: GPL-2.0-only
//
// The writing half of RowAccess. A write first locks and checks everything, then puts everything:
// a duplicate found on the way leaves nothing behind that would have to be taken back.
#include "engine/entry_name.h"
#include "engine/rows/row_access.h"

namespace basalt::engine {

void RowAccess::EncodePrimary(const uint8_t* record, uint64_t hidden_id, Entry* entry) {
  size_t unpack_bytes = 0;
  const size_t key_bytes = table_->primary().codec->EncodeKey(record, hidden_id, key_buffer_.data(),
                                                              unpack_buffer_.data(), &unpack_bytes);
  entry->key.assign(reinterpret_cast<const char*>(key_buffer_.data()), key_bytes);
  table_->row_codec().EncodeValue(record, MakeBytes(unpack_buffer_.data(), unpack_bytes), stamp_,
                                  &entry->value);
}

void RowAccess::EncodeSecondary(size_t index, const uint8_t* record, uint64_t hidden_id,
                                Entry* entry) {
  const codec::KeyCodec& codec = *table_->index(index).codec;
  size_t unpack_bytes = 0;
  const size_t key_bytes =
      codec.EncodeKey(record, hidden_id, key_buffer_.data(), unpack_buffer_.data(), &unpack_bytes);
  entry->key.assign(reinterpret_cast<const char*>(key_buffer_.data()), key_bytes);
  codec::EncodeSecondaryValue(codec, MakeBytes(unpack_buffer_.data(), unpack_bytes), stamp_,
                              &entry->value);
}

Status RowAccess::LockForWrite(Bytes primary_key) {
  if (table_->lockless()) return Status::Ok();
  BASALT_RETURN_IF_ERROR(transaction_->Lock(table_->primary().id, primary_key,
                                            txn::LockMode::kExclusive, txn::LockWait::kWait));
  return transaction_->CheckUnchanged(table_->primary().family, primary_key);
}

// The lock of a value that is about to be added, and no prepared transaction may add it still.
// kLockBusy: another has the lock, and `wait` says not to wait.
Status RowAccess::LockNewValue(IndexId index, Bytes locked, Bytes prefix, txn::LockWait wait) {
  if (!table_->lockless()) {
    bool acquired;
    BASALT_RETURN_IF_ERROR(transaction_->LockNewEntry(index, locked, wait, &acquired));
  }
  return transaction_->WaitForUndecided(index, prefix);
}

// Whether it is known, or worth a search, that no entry has the primary key. False says nothing.
Status RowAccess::LieInGap(Bytes primary_key, bool* free) {
  const txn::ViewStamp latest = transaction_->LatestStamp();
  const KeyGap::Answer answer = gap_.Ask(primary_key, latest, writes());
  *free = answer == KeyGap::Answer::kFree;
  if (answer != KeyGap::Answer::kSearch) return Status::Ok();
  txn::Cursor* cursor = CursorOf(&unique_cursors_, table_->primary_position());
  BASALT_RETURN_IF_ERROR(cursor->Bind(nullptr, &writes(), transaction_->settings().fill_cache));
  cursor->SeekForward(primary_key);
  BASALT_RETURN_IF_ERROR(
      WithEntry(*table_, table_->primary_position(), primary_key, cursor->status()));
  *free = !cursor->Valid() || cursor->key() != primary_key;
  if (*free) gap_.Know(latest, cursor->Valid() ? cursor->key() : Bytes());
  // A long statement must not pin what it saw for longer than idle cursors do.
  cursor->Park();
  return Status::Ok();
}

// Has a row this primary key now? One that has expired gives its place.
Status RowAccess::PrimaryKeyIsTaken(Bytes primary_key, bool* taken) {
  *taken = false;
  if (table_->primary().codec->UniqueIsExact()) {
    bool free = false;
    BASALT_RETURN_IF_ERROR(LieInGap(primary_key, &free));
    if (free) return Status::Ok();
  }
  rocksdb::PinnableSlice value;
  Status found =
      transaction_->Get(table_->primary().family, primary_key, txn::View::kLatest, &value);
  if (found.code() == Code::kNotFound) return Status::Ok();
  if (!found.ok()) {
    return WithEntry(*table_, table_->primary_position(), primary_key, std::move(found));
  }
  *taken = !TakesPlaceOf(&value);
  return Status::Ok();
}

// Locks a primary key to be added, exclusively when no row has it, else in the mode of duplicates.
// As a rule nobody else has the lock. Where somebody has, a look says which lock to wait for: of
// two who are refused for the same row neither waits for the other. A second look says whether the
// wait has changed that.
Status RowAccess::LockNewPrimary(Bytes primary_key, bool* taken) {
  const IndexId rows = table_->primary().id;
  while (true) {
    const size_t locks = transaction_->lock_count();
    bool acquired = false;
    bool exists = false;
    Status locked =
        transaction_->LockNewEntry(rows, primary_key, txn::LockWait::kNoWait, &acquired);
    if (locked.code() == Code::kLockBusy) {
      BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, &exists));
      locked = exists
                   ? transaction_->Lock(rows, primary_key, duplicate_mode_, txn::LockWait::kWait)
                   : transaction_->LockNewEntry(rows, primary_key, txn::LockWait::kWait, &acquired);
    }
    BASALT_RETURN_IF_ERROR(std::move(locked));
    BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, taken));
    if (*taken && !exists) transaction_->EntryIsThere(primary_key, acquired, duplicate_mode_);
    if (*taken || !exists) return Status::Ok();
    transaction_->UnlockAfter(locks);
  }
}

Status RowAccess::CheckPrimaryUnique(const uint8_t* record, Bytes primary_key, Bytes own_row_key,
                                     size_t* duplicate_index) {
  bool taken = false;
  if (table_->lockless()) {
    BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, &taken));
  } else if (transaction_->settings().detect_conflicts) {
    BASALT_RETURN_IF_ERROR(LockForWrite(primary_key));
    BASALT_RETURN_IF_ERROR(PrimaryKeyIsTaken(primary_key, &taken));
  } else {
    BASALT_RETURN_IF_ERROR(LockNewPrimary(primary_key, &taken));
  }
  if (!taken) {
    if (table_->primary().codec->UniqueIsExact()) return Status::Ok();
    return CheckValue(UniqueValueOf(table_->primary_position(), record), own_row_key,
                      duplicate_index);
  }
  *duplicate_index = table_->primary_position();
  duplicate_key_.assign(primary_key);
  return Status(Code::kDuplicateKey);
}

// Reads the row of an entry that may conflict and says whether it has the image. A row that is gone
// does not conflict.
Status RowAccess::RowHasUniqueImage(size_t index, Bytes row_key, const std::string& image,
                                    bool* same) {
  *same = false;
  rocksdb::PinnableSlice value;
  Status found = transaction_->Get(table_->primary().family, row_key, txn::View::kLatest, &value);
  if (found.code() == Code::kNotFound) return Status::Ok();
  if (!found.ok()) {
    return WithEntry(*table_, table_->primary_position(), row_key, std::move(found));
  }
  if (life_.Hides(Bytes(value.data(), value.size()))) return Status::Ok();
  const bool computed = table_->index(index).has_virtual_parts;
  codec::ColumnSet columns(table_->descriptor().columns.size());
  if (computed) columns = codec::ColumnSet::All(table_->descriptor().columns.size());
  for (const codec::KeyPart& part : table_->descriptor().indexes[index].parts) {
    columns.Add(part.column);
  }
  if (!unique_decoder_.CompiledFor(columns)) {
    unique_decoder_.Compile(table_->descriptor(), *table_->primary().codec, table_->row_codec(),
                            columns);
  }
  unique_record_.resize(table_->descriptor().record_length);
  if (!unique_decoder_.Decode(row_key, Bytes(value.data(), value.size()), unique_record_.data())) {
    return Malformed(table_->primary_position(), row_key);
  }
  if (computed) virtual_columns_->Compute(index, unique_record_.data());
  const codec::KeyCodec& codec = *table_->index(index).codec;
  if (codec.UserPartsHaveNull(unique_record_.data())) return Status::Ok();
  std::string other;
  codec.EncodeUniqueImage(unique_record_.data(), &other);
  *same = other == image;
  return Status::Ok();
}

UniqueValue RowAccess::UniqueValueOf(size_t index, const uint8_t* record) {
  const codec::KeyCodec& codec = *table_->index(index).codec;
  const bool exact = codec.UniqueIsExact();
  const size_t bytes = exact ? codec.EncodePrefix(record, codec.user_parts(), key_buffer_.data())
                             : codec.EncodeUniquePrefix(record, key_buffer_.data());
  UniqueValue value{index, {}, {}};
  value.prefix.assign(reinterpret_cast<const char*>(key_buffer_.data()), bytes);
  if (!exact) codec.EncodeUniqueImage(record, &value.image);
  return value;
}

// Conflicting rows share what is locked, so nobody else adds one.
Status RowAccess::LockValue(const UniqueValue& value, txn::LockWait wait) {
  return LockNewValue(table_->index(value.index).id,
                      value.image.empty() ? value.prefix : value.image, value.prefix, wait);
}

// The key of a row other than `own_row_key` that has the value now; empty: none.
Status RowAccess::FindHolder(const UniqueValue& value, Bytes own_row_key, std::string* holder) {
  const codec::KeyCodec& codec = *table_->index(value.index).codec;
  const bool exact = value.image.empty();
  txn::Cursor* cursor = CursorOf(&unique_cursors_, value.index);
  BASALT_RETURN_IF_ERROR(cursor->Bind(nullptr, &writes()));
  for (cursor->SeekForward(value.prefix);
       cursor->Valid() && cursor->key().starts_with(value.prefix); cursor->Next()) {
    Bytes row_key = cursor->key();
    if (value.index != table_->primary_position()) {
      const size_t row_bytes = codec.ExtractPrimaryKey(cursor->key(), key_buffer_.data());
      if (row_bytes == 0) return Malformed(value.index, cursor->key());
      row_key = MakeBytes(key_buffer_.data(), row_bytes);
    }
    if (row_key == own_row_key) continue;
    bool same = exact && !life_.HidesEntry(value.index, cursor->value());
    if (!exact) {
      BASALT_RETURN_IF_ERROR(RowHasUniqueImage(value.index, row_key, value.image, &same));
    }
    if (!same) continue;
    holder->assign(row_key);
    return Status::Ok();
  }
  return WithEntry(*table_, value.index, value.prefix, cursor->status());
}

// Locks the value, then looks who has it. Where a row has it, the row's lock takes the place of the
// value's, which is given up before the wait: rows come before values in the order of locks, and
// the row's owner may want to write the value again. Whether the row has it still is looked at
// again, since who takes a value away from a row locks the row only.
Status RowAccess::CheckValue(const UniqueValue& value, Bytes own_row_key, size_t* duplicate_index) {
  const IndexId rows = table_->primary().id;
  while (true) {
    const size_t locks = transaction_->lock_count();
    Status locked = LockValue(value, txn::LockWait::kNoWait);
    const bool busy = locked.code() == Code::kLockBusy;
    if (!busy) BASALT_RETURN_IF_ERROR(std::move(locked));
    std::string holder;
    BASALT_RETURN_IF_ERROR(FindHolder(value, own_row_key, &holder));
    if (holder.empty() && busy) {
      BASALT_RETURN_IF_ERROR(LockValue(value, txn::LockWait::kWait));
      BASALT_RETURN_IF_ERROR(FindHolder(value, own_row_key, &holder));
    }
    if (holder.empty()) return Status::Ok();
    std::string still = holder;
    if (!table_->lockless()) {
      transaction_->UnlockAfter(locks);
      BASALT_RETURN_IF_ERROR(
          transaction_->Lock(rows, holder, duplicate_mode_, txn::LockWait::kWait));
      still.clear();
      BASALT_RETURN_IF_ERROR(FindHolder(value, own_row_key, &still));
    }
    if (still == holder) {
      *duplicate_index = value.index;
      duplicate_key_.swap(holder);
      return Status(Code::kDuplicateKey);
    }
    transaction_->UnlockAfter(locks);
  }
}

// Takes the locks of a write and opens the gate of the write set. Where a duplicate is found, the
// keys that were to be added are unlocked: INSERT IGNORE goes on without them. Where another has
// locked a range around an entry of added_, the locks are given up before the wait: the owner of
// the range may want the same key.
template <typename TakeLocks>
Status RowAccess::OpenWrite(const TakeLocks& take_locks, txn::Transaction::WriteGate* gate) {
  if (table_->lockless()) return take_locks();
  while (true) {
    const size_t locks = transaction_->lock_count();
    Status taken = take_locks();
    if (taken.code() == Code::kDuplicateKey && !transaction_->detects_conflicts()) {
      transaction_->UnlockRefused(locks);
    }
    BASALT_RETURN_IF_ERROR(std::move(taken));
    const txn::NewEntry* held_up = nullptr;
    Status opened = transaction_->OpenWrite(added_, gate, &held_up);
    if (opened.code() != Code::kLockBusy) return opened;
    transaction_->UnlockAfter(locks);
    BASALT_RETURN_IF_ERROR(transaction_->WaitToInsert(*held_up));
  }
}

Status RowAccess::LockForInsert(const uint8_t* record, size_t* duplicate_index) {
  replaces_expired_ = false;
  const size_t primary = table_->primary_position();
  // Nobody else can know a fresh hidden id.
  if (!table_->hidden_primary()) {
    BASALT_RETURN_IF_ERROR(
        CheckPrimaryUnique(record, after_[primary].key, Bytes(), duplicate_index));
  }
  for (size_t i = 0; i < table_->index_count(); ++i) {
    const Index& index = table_->index(i);
    if (i == primary || !index.unique || index.codec->UserPartsHaveNull(record)) continue;
    BASALT_RETURN_IF_ERROR(CheckValue(UniqueValueOf(i, record), Bytes(), duplicate_index));
  }
  return Status::Ok();
}

Status RowAccess::PutEntries() {
  if (replaces_expired_) [[unlikely]]
    BASALT_RETURN_IF_ERROR(RemoveExpired(after_[table_->primary_position()].key));
  for (size_t i = 0; i < table_->index_count(); ++i) {
    BASALT_RETURN_IF_ERROR(
        transaction_->Put(table_->index(i).family, after_[i].key, after_[i].value));
  }
  return Status::Ok();
}

Status RowAccess::Insert(const uint8_t* record, size_t* duplicate_index) {
  life_.Observe(transaction_);
  stamp_ = life_.StampOf(record);
  const size_t primary = table_->primary_position();
  const uint64_t hidden_id = table_->hidden_primary() ? table_->counters().NextHiddenId() : 0;
  added_.clear();
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i == primary) {
      EncodePrimary(record, hidden_id, &after_[i]);
    } else {
      EncodeSecondary(i, record, hidden_id, &after_[i]);
    }
    added_.push_back({table_->index(i).id, after_[i].key});
  }
  txn::Transaction::WriteGate gate;
  BASALT_RETURN_IF_ERROR(OpenWrite([&] { return LockForInsert(record, duplicate_index); }, &gate));
  BASALT_RETURN_IF_ERROR(PutEntries());
  if (!table_->hidden_primary()) gap_.NoteAdded(after_[primary].key, writes());
  row_key_ = after_[primary].key;
  table_->statistics().NoteInsert();
  return Status::Ok();
}

// A unique index needs a check only when the declared parts of its key have changed.
Status RowAccess::CheckChangedUnique(size_t index, const uint8_t* before, const uint8_t* after,
                                     Bytes own_row_key, size_t* duplicate_index) {
  const Index& data = table_->index(index);
  if (!data.unique || data.codec->UserPartsHaveNull(after)) return Status::Ok();
  if (!data.codec->UniqueIsExact()) {
    if (!data.codec->UserPartsHaveNull(before)) {
      std::string image_before;
      std::string image_after;
      data.codec->EncodeUniqueImage(before, &image_before);
      data.codec->EncodeUniqueImage(after, &image_after);
      if (image_before == image_after) return Status::Ok();
    }
  } else {
    const size_t bytes = data.codec->PrefixBytes(after_[index].key, data.codec->user_parts());
    if (before_[index].key.compare(0, bytes, after_[index].key, 0, bytes) == 0) return Status::Ok();
  }
  return CheckValue(UniqueValueOf(index, after), own_row_key, duplicate_index);
}

Status RowAccess::WriteChangedPrimary(bool key_changed) {
  const size_t primary = table_->primary_position();
  rocksdb::ColumnFamilyHandle* family = table_->primary().family;
  if (key_changed || table_->rows_are_keys()) {
    BASALT_RETURN_IF_ERROR(transaction_->Delete(family, before_[primary].key));
  }
  return transaction_->Put(family, after_[primary].key, after_[primary].value);
}

Status RowAccess::LockForUpdate(const uint8_t* before, const uint8_t* after, bool key_changed,
                                size_t* duplicate_index) {
  replaces_expired_ = false;
  const size_t primary = table_->primary_position();
  if (key_changed) {
    BASALT_RETURN_IF_ERROR(
        CheckPrimaryUnique(after, after_[primary].key, before_[primary].key, duplicate_index));
  }
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i == primary) continue;
    BASALT_RETURN_IF_ERROR(
        CheckChangedUnique(i, before, after, before_[primary].key, duplicate_index));
  }
  return Status::Ok();
}

Status RowAccess::WriteChanges(bool key_changed) {
  if (replaces_expired_) [[unlikely]]
    BASALT_RETURN_IF_ERROR(RemoveExpired(after_[table_->primary_position()].key));
  BASALT_RETURN_IF_ERROR(WriteChangedPrimary(key_changed));
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i == table_->primary_position()) continue;
    if (before_[i].key == after_[i].key && before_[i].value == after_[i].value) continue;
    rocksdb::ColumnFamilyHandle* family = table_->index(i).family;
    BASALT_RETURN_IF_ERROR(transaction_->SingleDelete(family, before_[i].key));
    BASALT_RETURN_IF_ERROR(transaction_->Put(family, after_[i].key, after_[i].value));
  }
  return Status::Ok();
}

Status RowAccess::Update(const uint8_t* before, const uint8_t* after, size_t* duplicate_index,
                         bool* changed) {
  life_.Observe(transaction_);
  const size_t primary = table_->primary_position();
  const uint64_t hidden_id = table_->hidden_primary() ? HiddenIdOfRow() : 0;
  UpdateStamps stamps;
  BASALT_RETURN_IF_ERROR(StampsOfUpdate(before, after, &stamps));
  stamp_ = stamps.before;
  EncodePrimary(before, hidden_id, &before_[primary]);
  stamp_ = stamps.after;
  EncodePrimary(after, hidden_id, &after_[primary]);
  const bool key_changed = before_[primary].key != after_[primary].key;
  // Secondary entries follow from the row, so equal rows have equal entries.
  *changed = key_changed || before_[primary].value != after_[primary].value;
  if (!*changed) return Status::Ok();
  added_.clear();
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i != primary) {
      stamp_ = stamps.before;
      EncodeSecondary(i, before, hidden_id, &before_[i]);
      stamp_ = stamps.after;
      EncodeSecondary(i, after, hidden_id, &after_[i]);
    }
    if (before_[i].key != after_[i].key) added_.push_back({table_->index(i).id, after_[i].key});
  }
  // Kept while OpenWrite waits: `before` must stay what it is.
  BASALT_RETURN_IF_ERROR(LockForWrite(before_[primary].key));
  txn::Transaction::WriteGate gate;
  BASALT_RETURN_IF_ERROR(
      OpenWrite([&] { return LockForUpdate(before, after, key_changed, duplicate_index); }, &gate));
  BASALT_RETURN_IF_ERROR(WriteChanges(key_changed));
  row_key_ = after_[primary].key;
  table_->statistics().NoteUpdate();
  return Status::Ok();
}

Status RowAccess::Delete(const uint8_t* record) {
  const size_t primary = table_->primary_position();
  const uint64_t hidden_id = table_->hidden_primary() ? HiddenIdOfRow() : 0;
  EncodePrimary(record, hidden_id, &before_[primary]);
  added_.clear();
  txn::Transaction::WriteGate gate;
  BASALT_RETURN_IF_ERROR(OpenWrite([&] { return LockForWrite(before_[primary].key); }, &gate));
  BASALT_RETURN_IF_ERROR(transaction_->Delete(table_->primary().family, before_[primary].key));
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i == primary) continue;
    EncodeSecondary(i, record, hidden_id, &before_[i]);
    BASALT_RETURN_IF_ERROR(transaction_->SingleDelete(table_->index(i).family, before_[i].key));
  }
  table_->statistics().NoteDelete();
  return Status::Ok();
}

}  // namespace basalt::engine
