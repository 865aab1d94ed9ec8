// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/change_applier.h"

#include <chrono>
#include <memory>
#include <set>

#include "engine/database.h"
#include "engine/entry_name.h"
#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"

namespace basalt::engine {
namespace {

constexpr uint64_t kChangesPerReport = 1024;

Bytes BytesOf(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }
rocksdb::Slice SliceOf(Bytes bytes) { return {bytes.data(), bytes.size()}; }

std::string KeyOf(IndexId log, uint64_t position) {
  std::string key;
  AppendBigEndian32(&key, log.number);
  AppendBigEndian64(&key, position);
  return key;
}

}  // namespace

ChangeApplier::ChangeApplier(const Table* table, IndexId log, const std::vector<NewIndex>* indexes,
                             NewRow* row)
    : table_(*table),
      log_(log),
      log_family_(table->database()->store()->FindColumnFamily(log.column_family)),
      indexes_(*indexes),
      row_(row),
      duplicates_(table->database()->store(), indexes),
      removed_(indexes->size()),
      added_(indexes->size()) {
  for (size_t i = 0; i < indexes_.size(); ++i) {
    if (!indexes_[i].primary) continue;
    primary_ = i;
    duplicate_rows_ = std::make_unique<DuplicateRows>(table->database()->store(), &indexes_[i], i);
  }
}

// What is decided before the view is made, is in the view, or nowhere: the next pass begins behind
// it, and so never steps over what this one has taken away.
Status ChangeApplier::ApplyCommitted(const Progress& progress, uint64_t* applied) {
  const auto begun = std::chrono::steady_clock::now();
  store::Store* store = table_.database()->store();
  const uint64_t undecided = table_.database()->transactions()->FirstUndecidedChange();
  const store::IndexBounds bounds(log_, /*reverse=*/false);
  rocksdb::ReadOptions options;
  bounds.Confine(&options);
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> entry(store->base()->NewIterator(options, log_family_));
  *applied = 0;
  for (entry->Seek(KeyOf(log_, first_)); entry->Valid(); entry->Next()) {
    BASALT_RETURN_IF_ERROR(Apply(BytesOf(entry->key()), BytesOf(entry->value())));
    if (batch_.GetDataSize() >= kBatchBytes) BASALT_RETURN_IF_ERROR(WriteBatch());
    if (++*applied % kChangesPerReport == 0 && !progress(*applied)) {
      return Status(Code::kInterrupted, "building an index was interrupted");
    }
  }
  BASALT_RETURN_IF_ERROR(store::MapStatus(entry->status(), "reading a log of changes"));
  BASALT_RETURN_IF_ERROR(WriteBatch());
  first_ = undecided;
  unwritten_ += *applied;
  table_.counters().change_log().SetPause(
      pace_.AfterPass(std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::steady_clock::now() - begun)));
  return Status::Ok();
}

Status ChangeApplier::Apply(Bytes key, Bytes change_bytes) {
  codec::RowChange change;
  BASALT_RETURN_IF_ERROR(codec::DecodeRowChange(change_bytes, &change));
  BASALT_RETURN_IF_ERROR(Encode(change.before, &removed_));
  BASALT_RETURN_IF_ERROR(Encode(change.after, &added_));
  BASALT_RETURN_IF_ERROR(duplicate_rows_ == nullptr ? ReplaceEntries() : ReplaceRow());
  return store::MapStatus(batch_.SingleDelete(log_family_, SliceOf(key)),
                          "taking a change out of its log");
}

Status ChangeApplier::Encode(const codec::RowChange::Row& row, Entries* entries) {
  for (IndexEntry& entry : *entries) entry.key.clear();
  if (!row.exists) return Status::Ok();
  Status decoded = row_->Decode(row.key, row.value);
  if (!decoded.ok()) {
    return WithEntry(table_, table_.primary_position(), row.key, std::move(decoded));
  }
  for (size_t i = 0; i < indexes_.size(); ++i) {
    if (!row_->Encode(indexes_[i], &(*entries)[i])) (*entries)[i].key.clear();
  }
  return Status::Ok();
}

// A row that keeps its new primary key, which no other has, changes entry by entry.
Status ChangeApplier::ReplaceRow() {
  const bool had = !removed_[primary_].key.empty();
  const bool has = !added_[primary_].key.empty();
  if (had && removed_[primary_].key == added_[primary_].key && duplicate_rows_->Replace(added_)) {
    return ReplaceEntries();
  }
  if (had) BASALT_RETURN_IF_ERROR(RemoveRow(removed_));
  return has ? AddRow(added_) : Status::Ok();
}

Status ChangeApplier::RemoveRow(const Entries& row) {
  bool stored = false;
  Entries next;
  BASALT_RETURN_IF_ERROR(duplicate_rows_->Remove(row, &stored, &next));
  if (!stored) return Status::Ok();
  for (size_t i = 0; i < row.size(); ++i) BASALT_RETURN_IF_ERROR(RemoveEntry(i, row[i]));
  return next.empty() ? Status::Ok() : PutEntries(next);
}

Status ChangeApplier::AddRow(const Entries& row) {
  bool waits = false;
  BASALT_RETURN_IF_ERROR(duplicate_rows_->Add(row, &waits));
  return waits ? Status::Ok() : PutEntries(row);
}

Status ChangeApplier::PutEntries(const Entries& row) {
  for (size_t i = 0; i < row.size(); ++i) BASALT_RETURN_IF_ERROR(PutEntry(i, row[i]));
  return Status::Ok();
}

Status ChangeApplier::ReplaceEntries() {
  for (size_t i = 0; i < indexes_.size(); ++i) BASALT_RETURN_IF_ERROR(ReplaceEntry(i));
  return Status::Ok();
}

// Between two puts of a key there is always a removal (invariant 4 of the engine).
Status ChangeApplier::ReplaceEntry(size_t index) {
  const IndexEntry& removed = removed_[index];
  const IndexEntry& added = added_[index];
  if (removed.key == added.key && removed.value == added.value) return Status::Ok();
  BASALT_RETURN_IF_ERROR(RemoveEntry(index, removed));
  return PutEntry(index, added);
}

Status ChangeApplier::RemoveEntry(size_t index, const IndexEntry& entry) {
  if (entry.key.empty()) return Status::Ok();
  const NewIndex& removed = indexes_[index];
  return store::MapStatus(removed.primary ? batch_.Delete(removed.family, entry.key)
                                          : batch_.SingleDelete(removed.family, entry.key),
                          "applying a change to a new index");
}

Status ChangeApplier::PutEntry(size_t index, const IndexEntry& entry) {
  if (entry.key.empty()) return Status::Ok();
  duplicates_.NotePut(index, entry.key);
  return store::MapStatus(batch_.Put(indexes_[index].family, entry.key, entry.value),
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

// The log is durable with the next sync, which is that of the dictionary at the latest.
Status ChangeApplier::WriteBatch() {
  if (batch_.Count() == 0) return Status::Ok();
  store::Store* store = table_.database()->store();
  const store::MemtableRoom::Place place = store->flushes().room().Take(batch_);
  BASALT_RETURN_IF_ERROR(store->Write(&batch_, /*sync=*/false));
  batch_.Clear();
  if (duplicate_rows_ != nullptr) duplicate_rows_->NoteWritten();
  return duplicates_.Look();
}

}  // namespace basalt::engine
