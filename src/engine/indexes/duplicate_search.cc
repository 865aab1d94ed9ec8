// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/duplicate_search.h"

#include <ctime>
#include <memory>

#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"

namespace basalt::engine {
namespace {

// The entries of one index in the order of their bytes, whichever way its column family runs.
class Ascending {
 public:
  Ascending(store::Store* store, const NewIndex& index)
      : reverse_(store::IsReverse(index.family)), bounds_(index.id, reverse_) {
    rocksdb::ReadOptions options;
    bounds_.Confine(&options);
    options.fill_cache = false;
    entry_.reset(store->base()->NewIterator(options, index.family));
  }
  void Seek(Bytes key) {
    const rocksdb::Slice slice(key.data(), key.size());
    reverse_ ? entry_->SeekForPrev(slice) : entry_->Seek(slice);
  }
  void SeekFirst() { reverse_ ? entry_->SeekToLast() : entry_->SeekToFirst(); }
  void Next() { reverse_ ? entry_->Prev() : entry_->Next(); }
  bool Valid() const { return entry_->Valid(); }
  Bytes key() const { return entry_->key().ToStringView(); }
  Bytes value() const { return entry_->value().ToStringView(); }
  Status status() const {
    return store::MapStatus(entry_->status(), "looking for duplicates in a new index");
  }

 private:
  const bool reverse_;
  const store::IndexBounds bounds_;
  std::unique_ptr<rocksdb::Iterator> entry_;
};

}  // namespace

DuplicateSearch::DuplicateSearch(store::Store* store, const std::vector<NewIndex>* indexes)
    : store_(store), indexes_(*indexes) {}

// Of one key a primary index has one entry: see DuplicateRows.
void DuplicateSearch::NotePut(size_t index, Bytes key) {
  if (indexes_[index].primary) return;
  const size_t bytes = indexes_[index].UniqueBytes(key);
  if (bytes != 0) put_.emplace(index, key.substr(0, bytes));
}

bool DuplicateSearch::IsLive(size_t index, Bytes entry) const {
  const uint64_t seconds = indexes_[index].ttl_seconds;
  return seconds == 0 || !store::ValueHasExpired(entry, seconds, now_);
}

Status DuplicateSearch::IsDouble(const Value& value, bool* is_double) {
  size_t live = 0;
  Ascending entry(store_, indexes_[value.first]);
  for (entry.Seek(value.second); entry.Valid() && entry.key().starts_with(value.second);
       entry.Next()) {
    if (!IsLive(value.first, entry.value())) continue;
    key_.assign(entry.key());
    if (++live == 2) break;
  }
  *is_double = live == 2;
  return entry.status();
}

Status DuplicateSearch::Look() {
  now_ = static_cast<uint64_t>(std::time(nullptr));
  for (const Value& value : put_) {
    bool is_double = false;
    BASALT_RETURN_IF_ERROR(IsDouble(value, &is_double));
    if (!is_double) continue;
    if (kept_.size() < kMostKept) {
      kept_.insert(value);
    } else {
      too_many_ = true;
    }
  }
  put_.clear();
  return Status::Ok();
}

Status DuplicateSearch::Check() {
  now_ = static_cast<uint64_t>(std::time(nullptr));
  for (auto value = kept_.begin(); value != kept_.end(); value = kept_.erase(value)) {
    bool is_double = false;
    BASALT_RETURN_IF_ERROR(IsDouble(*value, &is_double));
    if (!is_double) continue;
    index_ = value->first;
    return Status(Code::kDuplicateKey);
  }
  for (size_t index = 0; too_many_ && index < indexes_.size(); ++index) {
    if (indexes_[index].unique) BASALT_RETURN_IF_ERROR(LookThrough(index));
  }
  return Status::Ok();
}

Status DuplicateSearch::LookThrough(size_t index) {
  std::string previous;
  Ascending entry(store_, indexes_[index]);
  for (entry.SeekFirst(); entry.Valid(); entry.Next()) {
    const size_t bytes = indexes_[index].UniqueBytes(entry.key());
    if (bytes == 0 || !IsLive(index, entry.value())) continue;
    const Bytes value = entry.key().substr(0, bytes);
    if (value == previous) {
      index_ = index;
      key_.assign(entry.key());
      return Status(Code::kDuplicateKey);
    }
    previous.assign(value);
  }
  return entry.status();
}

}  // namespace basalt::engine
