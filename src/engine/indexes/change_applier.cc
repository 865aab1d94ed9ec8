// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/change_applier.h"

#include <memory>

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
                             EntryEncoder* encoder, RowImage* row)
    : table_(*table),
      log_(log),
      log_family_(table->database()->store()->FindColumnFamily(log.column_family)),
      indexes_(*indexes),
      encoder_(encoder),
      row_(row),
      duplicates_(table->database()->store(), indexes),
      removed_(indexes->size()),
      added_(indexes->size()) {}

// What is decided before the view is made, is in the view, or nowhere: the next pass begins behind
// it, and so never steps over what this one has taken away.
Status ChangeApplier::ApplyCommitted(const Progress& progress, uint64_t* applied) {
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
  return Status::Ok();
}

Status ChangeApplier::Apply(Bytes key, Bytes change_bytes) {
  codec::RowChange change;
  BASALT_RETURN_IF_ERROR(codec::DecodeRowChange(change_bytes, &change));
  BASALT_RETURN_IF_ERROR(Encode(change.before, &removed_));
  BASALT_RETURN_IF_ERROR(Encode(change.after, &added_));
  for (size_t i = 0; i < indexes_.size(); ++i) BASALT_RETURN_IF_ERROR(Replace(i));
  return store::MapStatus(batch_.SingleDelete(log_family_, SliceOf(key)),
                          "taking a change out of its log");
}

Status ChangeApplier::Encode(const codec::RowChange::Row& row, std::vector<IndexEntry>* entries) {
  for (IndexEntry& entry : *entries) entry.key.clear();
  if (!row.exists) return Status::Ok();
  if (!row_->Decode(row.key, row.value)) {
    return WithEntry(table_, table_.primary_position(), row.key,
                     Status(Code::kCorruption, "a changed row cannot be decoded"));
  }
  for (size_t i = 0; i < indexes_.size(); ++i) {
    const codec::KeyCodec& codec = *indexes_[i].codec;
    uint64_t ttl_seconds = 0;
    if (codec.has_ttl() && !codec::ReadTtl(row.value, &ttl_seconds)) continue;
    encoder_->Encode(codec, *row_);
    (*entries)[i].key.assign(encoder_->key());
    codec::EncodeSecondaryValue(codec, encoder_->unpack(), ttl_seconds, &(*entries)[i].value);
  }
  return Status::Ok();
}

// Between two puts of a key there is always a removal (invariant 4 of the engine).
Status ChangeApplier::Replace(size_t index) {
  const IndexEntry& removed = removed_[index];
  const IndexEntry& added = added_[index];
  rocksdb::ColumnFamilyHandle* family = indexes_[index].family;
  if (removed.key == added.key && removed.value == added.value) return Status::Ok();
  rocksdb::Status done;
  if (!removed.key.empty()) done = batch_.SingleDelete(family, removed.key);
  if (done.ok() && !added.key.empty()) done = batch_.Put(family, added.key, added.value);
  if (!added.key.empty()) duplicates_.NotePut(index, added.key);
  return store::MapStatus(done, "applying a change to a new index");
}

// The log is durable with the next sync, which is that of the dictionary at the latest.
Status ChangeApplier::WriteBatch() {
  if (batch_.Count() == 0) return Status::Ok();
  store::Store* store = table_.database()->store();
  const store::MemtableRoom::Place place = store->flushes().room().Take(batch_);
  BASALT_RETURN_IF_ERROR(store->Write(&batch_, /*sync=*/false));
  batch_.Clear();
  return duplicates_.Look();
}

}  // namespace basalt::engine
