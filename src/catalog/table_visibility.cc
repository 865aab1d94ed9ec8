// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/table_visibility.h"

#include "catalog/table_record.h"

namespace basalt::catalog {

uint64_t TableVisibility::ReadableFrom(Bytes name) const {
  ReaderLock lock(mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? 0 : found->second;
}

uint64_t TableVisibility::ReadableFrom(IndexId index) const {
  ReaderLock lock(mutex_);
  const auto found = indexes_.find(index);
  return found == indexes_.end() ? 0 : found->second;
}

void TableVisibility::NoteNewContent(Bytes name) {
  if (IsTemporaryName(name)) return;
  const uint64_t now = store_->base()->GetLatestSequenceNumber();
  WriterLock lock(mutex_);
  tables_[std::string(name)] = now;
}

void TableVisibility::NoteNewIndexes(const std::vector<IndexId>& added) {
  const uint64_t now = store_->base()->GetLatestSequenceNumber();
  WriterLock lock(mutex_);
  for (const IndexId index : added) indexes_[index] = now;
}

void TableVisibility::NoteRename(const std::string& from, const std::string& to) {
  WriterLock names(mutex_);
  const auto known = tables_.extract(from);
  if (!known.empty() || !IsTemporaryName(from)) {
    tables_[to] = known.empty() ? 0 : known.mapped();
    return;
  }
  // Made under this name by a copying ALTER: its rows have come since.
  names.Unlock();
  NoteNewContent(to);
}

void TableVisibility::Forget(Bytes name) {
  WriterLock lock(mutex_);
  tables_.erase(std::string(name));
}

void TableVisibility::Forget(IndexId index) {
  WriterLock lock(mutex_);
  indexes_.erase(index);
}

}  // namespace basalt::catalog
