// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/duplicate_rows.h"

#include <ctime>
#include <utility>

#include "codec/row_codec.h"
#include "store/compaction/ttl_compaction_filter.h"
#include "store/errors/status_map.h"

namespace basalt::engine {
namespace {

size_t SizeOf(const DuplicateRows::Row& row) {
  size_t bytes = 0;
  for (const DuplicateRows::Entries& entries : row) {
    for (const IndexEntry& entry : entries) bytes += entry.key.size() + entry.value.size();
  }
  return bytes;
}

}  // namespace

DuplicateRows::DuplicateRows(store::Store* store, const NewIndex* primary, size_t position)
    : store_(store), primary_(*primary), position_(position) {}

Status DuplicateRows::Find(Bytes key, std::optional<std::string>* value) {
  const auto written = written_.find(std::string(key));
  if (written != written_.end()) {
    *value = written->second;
    return Status::Ok();
  }
  std::string found;
  const rocksdb::Status status =
      store_->base()->Get(rocksdb::ReadOptions(), primary_.family, key, &found);
  value->reset();
  if (status.IsNotFound()) return Status::Ok();
  *value = std::move(found);
  return store::MapStatus(status, "looking for a row in a new primary index");
}

Status DuplicateRows::Add(const Row& row, bool* waits) {
  const IndexEntry& entry = EntryOf(row);
  std::optional<std::string> present;
  BASALT_RETURN_IF_ERROR(Find(entry.key, &present));
  *waits = present.has_value() && !HasExpired(*present);
  if (!*waits) {
    written_[entry.key] = entry.value;
    return Status::Ok();
  }
  waiting_.emplace(entry.key, row);
  bytes_ += SizeOf(row);
  const bool too_many = waiting_.size() > kMostRows || bytes_ > kMostBytes;
  return too_many ? Status(Code::kDuplicateKey) : Status::Ok();
}

Status DuplicateRows::Remove(const Row& row, bool* stored, Row* next) {
  next->clear();
  *stored = false;
  if (TakeWaiting(row)) return Status::Ok();
  const IndexEntry& entry = EntryOf(row);
  std::optional<std::string> present;
  BASALT_RETURN_IF_ERROR(Find(entry.key, &present));
  *stored = present.has_value() && IsSame(*present, entry.value);
  if (!*stored) {
    if (primary_.codec->has_ttl()) return Status::Ok();
    return Status(Code::kInternal, "a log of changes does not fit the rows of its table");
  }
  written_[entry.key].reset();
  const auto waiting = waiting_.find(entry.key);
  if (waiting == waiting_.end()) return Status::Ok();
  *next = std::move(waiting->second);
  waiting_.erase(waiting);
  bytes_ -= SizeOf(*next);
  written_[entry.key] = EntryOf(*next).value;
  return Status::Ok();
}

bool DuplicateRows::Replace(const Row& row) {
  const IndexEntry& entry = EntryOf(row);
  if (waiting_.contains(entry.key)) return false;
  written_[entry.key] = entry.value;
  return true;
}

bool DuplicateRows::TakeWaiting(const Row& row) {
  const IndexEntry& entry = EntryOf(row);
  const auto [first, past_last] = waiting_.equal_range(entry.key);
  for (auto waiting = first; waiting != past_last; ++waiting) {
    if (!IsSame(EntryOf(waiting->second).value, entry.value)) continue;
    bytes_ -= SizeOf(waiting->second);
    waiting_.erase(waiting);
    return true;
  }
  return false;
}

// In a row as it was before a change its time stamp does not count (docs/format/change-log.md).
bool DuplicateRows::IsSame(Bytes one, Bytes other) const {
  if (!primary_.codec->has_ttl()) return one == other;
  return one.size() >= codec::kTtlBytes && other.size() >= codec::kTtlBytes &&
         one.substr(codec::kTtlBytes) == other.substr(codec::kTtlBytes);
}

bool DuplicateRows::HasExpired(Bytes value) const {
  return primary_.ttl_seconds != 0 &&
         store::ValueHasExpired(value, primary_.ttl_seconds,
                                static_cast<uint64_t>(std::time(nullptr)));
}

}  // namespace basalt::engine
