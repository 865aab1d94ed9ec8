// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_writer.h"

#include <cstring>

#include "base/assert.h"

namespace basalt::engine {
namespace {

// Are the bytes of all columns that an entry of this index has the same in both records? Then the
// entries are the same too. False says nothing.
bool HasSameColumns(const codec::KeyCodec& codec, const uint8_t* before, const uint8_t* after) {
  for (const codec::KeyStep& step : codec.steps()) {
    const codec::RecordColumn& column = step.column;
    if (column.position == codec::kNoColumn) continue;  // a hidden id, which the row keeps
    // The record has a pointer.
    if (column.form == codec::SourceForm::kBlob) return false;
    if (column.IsNull(before) != column.IsNull(after)) return false;
    if (std::memcmp(before + column.record_offset, after + column.record_offset,
                    column.record_bytes) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

// Takes the locks of a write and opens the gate of the write set. Where a duplicate is found, the
// keys that were to be added are unlocked: INSERT IGNORE goes on without them. Where another has
// locked a range around one of the new entries, the locks are given up before the wait: the owner
// of the range may want the same key. Not so when a guard has written rows under them, as cascades
// do: these rows must stay locked.
template <typename TakeLocks>
Status RowWriter::OpenWrite(const TakeLocks& take_locks, txn::WriteGate* gate) {
  if (context_->table().lockless()) return take_locks();
  txn::Transaction* transaction = context_->transaction();
  while (true) {
    const size_t locks = transaction->locks().count();
    const uint64_t operations = transaction->writes().logged().operations();
    Status taken = take_locks();
    if (taken.code() == Code::kDuplicateKey && !transaction->detects_conflicts()) {
      transaction->locks().ReleaseRefused(locks);
    }
    BASALT_RETURN_IF_ERROR(std::move(taken));
    const txn::NewEntry* held_up = nullptr;
    Status opened = transaction->writes().OpenWrite(new_entries_, gate, &held_up);
    if (opened.code() != Code::kLockBusy) return opened;
    if (transaction->writes().logged().operations() == operations) {
      transaction->locks().ReleaseAfter(locks);
    }
    BASALT_RETURN_IF_ERROR(transaction->locks().WaitToInsert(*held_up));
  }
}

// Finds the words of both rows; null: there is no such row.
Status RowWriter::TakePostings(const uint8_t* before, const uint8_t* after, uint64_t hidden_id) {
  if (before != nullptr) BASALT_RETURN_IF_ERROR(postings_.TakeRemoved(before, hidden_id));
  return after != nullptr ? postings_.TakeAdded(after, hidden_id) : Status::Ok();
}

Status RowWriter::PutAdded() {
  const Table& table = context_->table();
  // Nobody else can know a fresh hidden id.
  BASALT_ASSERT(
      table.hidden_primary() || context_->IsLockedForWrite(added_[table.primary_position()].key),
      "T2: every row written was locked exclusively before");
  BASALT_RETURN_IF_ERROR(expiry_->DeleteReplaced(added_[table.primary_position()].key));
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (IsFullText(*table.index(i).codec)) continue;
    BASALT_RETURN_IF_ERROR(context_->transaction()->writes().Put(table.index(i).family,
                                                                 added_[i].key, added_[i].value));
  }
  return postings_.has_indexes() ? postings_.PutAdded() : Status::Ok();
}

// Null: there is no such row.
Status RowWriter::LogChange(const IndexEntry* before, const IndexEntry* after) const {
  const auto row = [](const IndexEntry* entry) {
    return entry == nullptr ? codec::RowChange::Row()
                            : codec::RowChange::Row{true, entry->key, entry->value};
  };
  return context_->LogChange({row(before), row(after)});
}

Status RowWriter::Insert(const uint8_t* record, size_t* duplicate_index, WriteGuard* guard) {
  const Table& table = context_->table();
  context_->ttl_clock().Observe(context_->transaction());
  const uint64_t stamp = context_->ttl_clock().StampOf(record);
  const uint64_t hidden_id = table.hidden_primary() ? table.counters().NextHiddenId() : 0;
  new_entries_.clear();
  if (postings_.has_indexes()) BASALT_RETURN_IF_ERROR(TakePostings(nullptr, record, hidden_id));
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (IsFullText(*table.index(i).codec)) continue;
    if (context_->IsPrimary(i)) {
      encoder_->EncodePrimary(record, hidden_id, stamp, &added_[i]);
    } else {
      encoder_->EncodeSecondary(i, record, hidden_id, stamp, &added_[i]);
    }
    new_entries_.push_back({table.index(i).id, added_[i].key});
  }
  txn::WriteGate gate;
  BASALT_RETURN_IF_ERROR(OpenWrite(
      [&] { return unique_->LockForInsert(record, added_, guard, duplicate_index); }, &gate));
  if (leaves_entries_) {
    context_->transaction()->writes().NoteLoaded(new_entries_);
  } else {
    BASALT_RETURN_IF_ERROR(PutAdded());
  }
  if (context_->LogsChanges()) [[unlikely]] {
    BASALT_RETURN_IF_ERROR(LogChange(nullptr, &added_[table.primary_position()]));
  }
  const std::string& row_key = added_[table.primary_position()].key;
  unique_->NoteAdded(row_key);
  reader_->SetKey(row_key);
  table.statistics().NoteInsert();
  return Status::Ok();
}

Status RowWriter::PutChangedPrimary() {
  const Table& table = context_->table();
  const size_t primary = table.primary_position();
  rocksdb::ColumnFamilyHandle* family = table.primary().family;
  BASALT_ASSERT(context_->IsLockedForWrite(removed_[primary].key) &&
                    context_->IsLockedForWrite(added_[primary].key),
                "T2: every row written was locked exclusively before");
  if (removed_[primary].key != added_[primary].key || table.rows_are_keys()) {
    BASALT_RETURN_IF_ERROR(context_->transaction()->writes().Delete(family, removed_[primary].key));
  }
  return context_->transaction()->writes().Put(family, added_[primary].key, added_[primary].value);
}

Status RowWriter::PutChanges() {
  const Table& table = context_->table();
  BASALT_RETURN_IF_ERROR(expiry_->DeleteReplaced(added_[table.primary_position()].key));
  BASALT_RETURN_IF_ERROR(PutChangedPrimary());
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (context_->IsPrimary(i) || IsFullText(*table.index(i).codec)) continue;
    if (removed_[i].key == added_[i].key && removed_[i].value == added_[i].value) continue;
    rocksdb::ColumnFamilyHandle* family = table.index(i).family;
    BASALT_RETURN_IF_ERROR(context_->transaction()->writes().SingleDelete(family, removed_[i].key));
    BASALT_RETURN_IF_ERROR(
        context_->transaction()->writes().Put(family, added_[i].key, added_[i].value));
  }
  return postings_.has_indexes() ? postings_.PutChanges() : Status::Ok();
}

// Has the row certainly the same entry in this secondary index after the update? A unique check
// looks at both entries, and what is computed need not lie in the records.
bool RowWriter::KeepsEntry(size_t position, const uint8_t* before, const uint8_t* after) const {
  const Index& index = context_->table().index(position);
  return !index.unique && !index.has_virtual_parts && HasSameColumns(*index.codec, before, after);
}

// Fills removed_, added_ and new_entries_; both entries are empty where an index keeps its own.
// Secondary entries follow from the row, so equal rows have equal entries: then only the primary
// ones are made.
Status RowWriter::EncodeUpdate(const uint8_t* before, const uint8_t* after, bool* changed) {
  const Table& table = context_->table();
  const size_t primary = table.primary_position();
  const uint64_t hidden_id = reader_->hidden_id();
  UpdateStamps stamps;
  if (context_->ttl_clock().has_stamps()) [[unlikely]] {
    const Bytes row_key = table.hidden_primary() ? reader_->key() : encoder_->RowKey(before);
    BASALT_RETURN_IF_ERROR(expiry_->StampsOfUpdate(before, after, row_key, &stamps));
  }
  encoder_->EncodePrimary(before, hidden_id, stamps.before, &removed_[primary]);
  encoder_->EncodePrimary(after, hidden_id, stamps.after, &added_[primary]);
  *changed = removed_[primary].key != added_[primary].key ||
             removed_[primary].value != added_[primary].value;
  if (!*changed) return Status::Ok();
  if (postings_.has_indexes()) BASALT_RETURN_IF_ERROR(TakePostings(before, after, hidden_id));
  new_entries_.clear();
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (IsFullText(*table.index(i).codec)) continue;
    if (i != primary && stamps.before == stamps.after && KeepsEntry(i, before, after)) {
      for (IndexEntry* entry : {&removed_[i], &added_[i]}) {
        entry->key.clear();
        entry->value.clear();
      }
      continue;
    }
    if (i != primary) {
      encoder_->EncodeSecondary(i, before, hidden_id, stamps.before, &removed_[i]);
      encoder_->EncodeSecondary(i, after, hidden_id, stamps.after, &added_[i]);
    }
    if (removed_[i].key != added_[i].key) {
      new_entries_.push_back({table.index(i).id, added_[i].key});
    }
  }
  return Status::Ok();
}

Status RowWriter::Update(const uint8_t* before, const uint8_t* after, size_t* duplicate_index,
                         bool* changed, WriteGuard* guard) {
  context_->ttl_clock().Observe(context_->transaction());
  BASALT_RETURN_IF_ERROR(EncodeUpdate(before, after, changed));
  if (!*changed) return Status::Ok();
  const size_t primary = context_->table().primary_position();
  // Kept while OpenWrite waits: `before` must stay what it is.
  BASALT_RETURN_IF_ERROR(context_->LockForWrite(removed_[primary].key));
  txn::WriteGate gate;
  const auto take_locks = [&] {
    return unique_->LockForUpdate(before, removed_, after, added_, guard, duplicate_index);
  };
  BASALT_RETURN_IF_ERROR(OpenWrite(take_locks, &gate));
  BASALT_RETURN_IF_ERROR(PutChanges());
  if (context_->LogsChanges()) [[unlikely]] {
    BASALT_RETURN_IF_ERROR(LogChange(&removed_[primary], &added_[primary]));
  }
  reader_->SetKey(added_[primary].key);
  context_->table().statistics().NoteUpdate();
  return Status::Ok();
}

Status RowWriter::Delete(const uint8_t* record) {
  const Table& table = context_->table();
  const size_t primary = table.primary_position();
  const uint64_t hidden_id = reader_->hidden_id();
  txn::Transaction* transaction = context_->transaction();
  const bool logs = context_->LogsChanges();
  if (logs) [[unlikely]] {
    // Entries of the row go by its columns, which have no part in its time stamp.
    encoder_->EncodePrimary(record, hidden_id, /*stamp=*/0, &removed_[primary]);
  } else {
    removed_[primary].key.assign(encoder_->EntryKey(primary, record, hidden_id));
  }
  if (postings_.has_indexes()) BASALT_RETURN_IF_ERROR(TakePostings(record, nullptr, hidden_id));
  new_entries_.clear();
  txn::WriteGate gate;
  BASALT_RETURN_IF_ERROR(
      OpenWrite([&] { return context_->LockForWrite(removed_[primary].key); }, &gate));
  BASALT_ASSERT(context_->IsLockedForWrite(removed_[primary].key),
                "T2: every row written was locked exclusively before");
  BASALT_RETURN_IF_ERROR(
      transaction->writes().Delete(table.primary().family, removed_[primary].key));
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (i == primary || IsFullText(*table.index(i).codec)) continue;
    const Bytes entry = encoder_->EntryKey(i, record, hidden_id);
    BASALT_RETURN_IF_ERROR(transaction->writes().SingleDelete(table.index(i).family, entry));
  }
  if (postings_.has_indexes()) BASALT_RETURN_IF_ERROR(postings_.DeleteRemoved());
  if (logs) [[unlikely]] {
    BASALT_RETURN_IF_ERROR(LogChange(&removed_[primary], nullptr));
  }
  table.statistics().NoteDelete();
  return Status::Ok();
}

}  // namespace basalt::engine
