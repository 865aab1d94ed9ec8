// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/table_map.h"

#include <algorithm>

#include "catalog/catalog_change.h"

namespace basalt::catalog {

bool HasPartitions(const TablesByName& tables, Bytes name) {
  const std::string prefix = PartitionsOf(name);
  const auto found = tables.lower_bound(prefix);
  return found != tables.end() && found->first.starts_with(prefix);
}

TableRecordPointer TableMap::Find(Bytes name) const {
  ReaderLock lock(mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

std::vector<TableRecordPointer> TableMap::All() const {
  ReaderLock lock(mutex_);
  std::vector<TableRecordPointer> tables;
  tables.reserve(tables_.size());
  for (const auto& [name, table] : tables_) tables.push_back(table);
  return tables;
}

std::vector<TableRecordPointer> TableMap::Partitions(Bytes whole) const {
  ReaderLock lock(mutex_);
  std::vector<TableRecordPointer> partitions;
  for (auto at = tables_.lower_bound(whole); at != tables_.end() && at->first.starts_with(whole);
       ++at) {
    partitions.push_back(at->second);
  }
  return partitions;
}

TableRecordPointer TableMap::FindIndex(IndexId index, size_t* position) const {
  ReaderLock lock(mutex_);
  for (const auto& [name, table] : tables_) {
    for (size_t i = 0; i < table->indexes.size(); ++i) {
      if (table->indexes[i].id != index) continue;
      *position = i;
      return table;
    }
  }
  return nullptr;
}

bool TableMap::HasOtherPartition(Bytes name) const {
  if (!IsPartitionName(name)) return false;
  const std::vector<TableRecordPointer> partitions = Partitions(WholeOf(name));
  return std::any_of(partitions.begin(), partitions.end(),
                     [&](const TableRecordPointer& table) { return table->name != name; });
}

bool TableMap::IsTable(Bytes name) const {
  ReaderLock lock(mutex_);
  return tables_.contains(name) || HasPartitions(tables_, name);
}

std::vector<std::string> TableMap::NamesIn(Bytes database) const {
  const std::string prefix = std::string(database) + ".";
  std::vector<std::string> names;
  ReaderLock lock(mutex_);
  for (auto at = tables_.lower_bound(prefix); at != tables_.end() && at->first.starts_with(prefix);
       ++at) {
    const Bytes name = TableOfPartition(at->first).substr(prefix.size());
    if (names.empty() || names.back() != name) names.emplace_back(name);
  }
  return names;
}

void TableMap::TakeOver(CatalogChange* change) {
  for (auto& [name, table] : change->tables) {
    if (table == nullptr) {
      tables_.erase(name);
    } else {
      tables_[name] = std::move(table);
    }
  }
}

}  // namespace basalt::catalog
