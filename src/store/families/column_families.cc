// SPDX-License-Identifier: GPL-2.0-only
#include "store/families/column_families.h"

#include <algorithm>

#include "store/format/column_family_names.h"
#include "store/format/comparator.h"

namespace basalt::store {

rocksdb::ColumnFamilyHandle* ColumnFamilies::Find(uint32_t id) const {
  const Table* table = Current();
  if (table == nullptr) return nullptr;
  for (rocksdb::ColumnFamilyHandle* handle : *table) {
    if (handle->GetID() == id) return handle;
  }
  return nullptr;
}

rocksdb::ColumnFamilyHandle* ColumnFamilies::Find(std::string_view name) const {
  const Table* table = Current();
  if (table == nullptr) return nullptr;
  for (rocksdb::ColumnFamilyHandle* handle : *table) {
    if (handle->GetName() == name) return handle;
  }
  return nullptr;
}

std::vector<rocksdb::ColumnFamilyHandle*> ColumnFamilies::All() const {
  const Table* table = Current();
  return table == nullptr ? Table() : *table;
}

void ColumnFamilies::Add(rocksdb::ColumnFamilyHandle* handle) {
  auto next = std::make_unique<Table>(All());
  next->push_back(handle);
  current_.store(next.get(), std::memory_order_release);
  versions_.push_back(std::move(next));
}

void ColumnFamilies::Remove(rocksdb::ColumnFamilyHandle* handle) {
  auto next = std::make_unique<Table>(All());
  std::erase(*next, handle);
  current_.store(next.get(), std::memory_order_release);
  versions_.push_back(std::move(next));
}

std::vector<rocksdb::ColumnFamilyHandle*> ColumnFamilies::AllEver() const {
  Table all;
  for (const std::unique_ptr<const Table>& version : versions_) {
    for (rocksdb::ColumnFamilyHandle* handle : *version) {
      if (std::find(all.begin(), all.end(), handle) == all.end()) all.push_back(handle);
    }
  }
  return all;
}

void ColumnFamilies::Clear() {
  current_.store(nullptr, std::memory_order_release);
  versions_.clear();
}

bool IsReverse(std::string_view column_family_name) {
  return column_family_name.starts_with(kReverseColumnFamilyPrefix);
}

bool IsReverse(const rocksdb::ColumnFamilyHandle* handle) {
  return handle->GetComparator() == ReverseComparator();
}

}  // namespace basalt::store
