// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/change_applier.h"

#include <memory>
#include <set>

#include "codec/posting.h"
#include "engine/database.h"
#include "engine/entry_name.h"
#include "store/errors/status_map.h"

namespace basalt::engine {
namespace {

// How the first entries of two lists stand to each other, from these positions on: whose key comes
// first. The end of a list comes behind all keys. Not for two ends.
int OrderOf(const std::vector<IndexEntry>& one, size_t at_one, const std::vector<IndexEntry>& other,
            size_t at_other) {
  if (at_one == one.size()) return 1;
  if (at_other == other.size()) return -1;
  return one[at_one].key.compare(other[at_other].key);
}

}  // namespace

ChangeApplier::ChangeApplier(const Table* table, IndexId log, const std::vector<NewIndex>* indexes,
                             NewRow* row, ChangeConsumer* also)
    : table_(*table),
      indexes_(*indexes),
      row_(row),
      also_(also),
      duplicates_(table->database()->store(), indexes),
      reader_(table, log),
      removed_(indexes->size()),
      added_(indexes->size()) {
  for (size_t i = 0; i < indexes_.size(); ++i) {
    if (!indexes_[i].primary) continue;
    primary_ = i;
    duplicate_rows_ = std::make_unique<DuplicateRows>(table->database()->store(), &indexes_[i], i);
  }
}

Status ChangeApplier::ApplyCommitted(const ChangeLogReader::Progress& progress, uint64_t* applied) {
  BASALT_RETURN_IF_ERROR(reader_.ReadCommitted(this, progress, applied));
  unwritten_ += *applied;
  return Status::Ok();
}

Status ChangeApplier::Take(const codec::RowChange& change, rocksdb::WriteBatch* batch) {
  batch_ = batch;
  BASALT_RETURN_IF_ERROR(Encode(change.before, &removed_));
  BASALT_RETURN_IF_ERROR(Encode(change.after, &added_));
  BASALT_RETURN_IF_ERROR(duplicate_rows_ == nullptr ? ReplaceEntries() : ReplaceRow());
  return also_ == nullptr ? Status::Ok() : also_->Take(change, batch);
}

Status ChangeApplier::Encode(const codec::RowChange::Row& row, Row* entries) {
  for (Entries& of_index : *entries) of_index.clear();
  if (!row.exists) return Status::Ok();
  Status decoded = row_->Decode(row.key, row.value);
  if (!decoded.ok()) {
    return WithEntry(table_, table_.primary_position(), row.key, std::move(decoded));
  }
  for (size_t i = 0; i < indexes_.size(); ++i) {
    BASALT_RETURN_IF_ERROR(row_->Encode(indexes_[i]));
    for (size_t entry = 0; entry < row_->size(); ++entry) {
      (*entries)[i].push_back({std::string(row_->key(entry)), std::string(row_->value(entry))});
    }
  }
  return Status::Ok();
}

// A row that keeps its new primary key, which no other has, changes entry by entry.
Status ChangeApplier::ReplaceRow() {
  const Entries& removed = removed_[primary_];
  const bool had = !removed.empty();
  const bool has = !added_[primary_].empty();
  const bool keeps = had && has && removed.front().key == added_[primary_].front().key;
  if (keeps && duplicate_rows_->Replace(added_)) {
    return ReplaceEntries();
  }
  if (had) BASALT_RETURN_IF_ERROR(RemoveRow(removed_));
  return has ? AddRow(added_) : Status::Ok();
}

Status ChangeApplier::RemoveRow(const Row& row) {
  bool stored = false;
  Row next;
  BASALT_RETURN_IF_ERROR(duplicate_rows_->Remove(row, &stored, &next));
  if (!stored) return Status::Ok();
  for (size_t i = 0; i < row.size(); ++i) BASALT_RETURN_IF_ERROR(RemoveEntries(i, row[i]));
  return next.empty() ? Status::Ok() : PutEntries(next);
}

Status ChangeApplier::AddRow(const Row& row) {
  bool waits = false;
  BASALT_RETURN_IF_ERROR(duplicate_rows_->Add(row, &waits));
  return waits ? Status::Ok() : PutEntries(row);
}

Status ChangeApplier::PutEntries(const Row& row) {
  for (size_t i = 0; i < row.size(); ++i) BASALT_RETURN_IF_ERROR(PutEntries(i, row[i]));
  return Status::Ok();
}

Status ChangeApplier::PutEntries(size_t index, const Entries& entries) {
  for (const IndexEntry& entry : entries) BASALT_RETURN_IF_ERROR(PutEntry(index, entry));
  return Status::Ok();
}

// Of a FULLTEXT index, blocks may have the words of the row, or it has come since: both are
// provided for. The first of a row's entries is its own.
Status ChangeApplier::RemoveEntries(size_t index, const Entries& entries) {
  if (IsFullText(*indexes_[index].codec) && !entries.empty()) {
    IndexEntry superseded{entries.front().key, {}};
    codec::SetPostingKind(codec::PostingKind::kSuperseded, &superseded.key);
    BASALT_RETURN_IF_ERROR(PutEntry(index, superseded));
  }
  for (const IndexEntry& entry : entries) BASALT_RETURN_IF_ERROR(RemoveEntry(index, entry));
  return Status::Ok();
}

Status ChangeApplier::ReplaceEntries() {
  for (size_t i = 0; i < indexes_.size(); ++i) {
    BASALT_RETURN_IF_ERROR(IsFullText(*indexes_[i].codec) ? ReplaceWords(i) : ReplaceEntries(i));
  }
  return Status::Ok();
}

Status ChangeApplier::ReplaceWords(size_t index) {
  BASALT_RETURN_IF_ERROR(RemoveEntries(index, removed_[index]));
  return PutEntries(index, added_[index]);
}

// What is in both lists with the same value stays. Between two puts of a key there is always a
// removal (invariant 4 of the engine).
Status ChangeApplier::ReplaceEntries(size_t index) {
  const Entries& removed = removed_[index];
  const Entries& added = added_[index];
  size_t old = 0;
  size_t fresh = 0;
  while (old < removed.size() || fresh < added.size()) {
    const int order = OrderOf(removed, old, added, fresh);
    const bool stays = order == 0 && removed[old].value == added[fresh].value;
    if (order <= 0 && !stays) BASALT_RETURN_IF_ERROR(RemoveEntry(index, removed[old]));
    if (order >= 0 && !stays) BASALT_RETURN_IF_ERROR(PutEntry(index, added[fresh]));
    if (order <= 0) ++old;
    if (order >= 0) ++fresh;
  }
  return Status::Ok();
}

Status ChangeApplier::RemoveEntry(size_t index, const IndexEntry& entry) {
  const NewIndex& removed = indexes_[index];
  return store::MapStatus(removed.primary ? batch_->Delete(removed.family, entry.key)
                                          : batch_->SingleDelete(removed.family, entry.key),
                          "applying a change to a new index");
}

Status ChangeApplier::PutEntry(size_t index, const IndexEntry& entry) {
  duplicates_.NotePut(index, entry.key);
  return store::MapStatus(batch_->Put(indexes_[index].family, entry.key, entry.value),
                          "applying a change to a new index");
}

Status ChangeApplier::Flush() {
  unwritten_ = 0;
  std::set<rocksdb::ColumnFamilyHandle*> families;
  for (const NewIndex& index : indexes_) families.insert(index.family);
  for (rocksdb::ColumnFamilyHandle* family : families) {
    BASALT_RETURN_IF_ERROR(table_.database()->store()->flushes().Flush(family));
  }
  return Status::Ok();
}

Status ChangeApplier::CheckUnique() {
  if (duplicate_rows_ != nullptr && !duplicate_rows_->empty()) return Status(Code::kDuplicateKey);
  return duplicates_.Check();
}

ChangeApplier::Duplicate ChangeApplier::duplicate() const {
  if (duplicate_rows_ != nullptr && !duplicate_rows_->empty()) {
    const IndexEntry& row = duplicate_rows_->first();
    return {primary_, row.key, row.value};
  }
  return {duplicates_.index(), std::string(duplicates_.key()), {}};
}

Status ChangeApplier::NoteWritten() {
  if (duplicate_rows_ != nullptr) duplicate_rows_->NoteWritten();
  BASALT_RETURN_IF_ERROR(duplicates_.Look());
  return also_ == nullptr ? Status::Ok() : also_->NoteWritten();
}

}  // namespace basalt::engine
