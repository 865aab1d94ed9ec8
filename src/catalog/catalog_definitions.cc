// SPDX-License-Identifier: GPL-2.0-only

// The server's definitions of tables: kept, found, and taken along by what changes tables.

#include <algorithm>
#include <limits>

#include "catalog/catalog.h"
#include "catalog/catalog_change.h"
#include "catalog/dictionary_records.h"

namespace basalt::catalog {
namespace {

// The number that ties a definition to this table; partitions come and go under theirs.
uint32_t NumberOf(const TableRecord& table) {
  return IsPartitionName(table.name) ? 0 : table.Primary()->id.number;
}

}  // namespace

Status Catalog::Definition(Bytes name, TableDefinition* definition) const {
  std::string whole;
  {
    ReaderLock lock(tables_mutex_);
    whole = DefinedAs(name);
  }
  const std::string key = TableDefinitionKey(whole);
  std::string value;
  BASALT_RETURN_IF_ERROR(Get(key, &value));
  if (!DecodeTableDefinition(key, value, definition).ok()) return Status(Code::kNotFound);
  ReaderLock lock(tables_mutex_);
  if (IsDefinitionOf(definition->primary_number, whole)) return {};
  return Status(Code::kNotFound);
}

Status Catalog::StoreDefinition(Bytes name, const TableDefinition& definition, bool sync) {
  MutexLock lock(ddl_mutex_);
  std::string whole;
  bool partitioned = false;
  {
    ReaderLock tables(tables_mutex_);
    whole = DefinedAs(name);
    partitioned = IsPartitionName(whole) && IsPartitioned(TableOfPartition(whole));
  }
  const auto table = FindTable(whole);
  if (table == nullptr && !partitioned) {
    return Status(Code::kNotFound, "there is no table " + std::string(name));
  }
  Change change(store_->system());
  BASALT_RETURN_IF_ERROR(PutDefinition(whole, table.get(), &definition, &change));
  return Commit(&change, sync);
}

bool Catalog::HasDefinition(Bytes name, Bytes identity) const {
  ReaderLock lock(tables_mutex_);
  const auto found = definitions_.find(DefinedAs(name));
  return found != definitions_.end() && found->second == identity;
}

bool Catalog::IsDefinitionOfAnother(Bytes name, Bytes identity) const {
  if (identity.empty()) return false;
  ReaderLock lock(tables_mutex_);
  const std::string own = DefinedAs(name);
  return std::any_of(definitions_.begin(), definitions_.end(), [&](const auto& definition) {
    return definition.second == identity && definition.first != own;
  });
}

std::map<std::string, std::string> Catalog::DefinitionIdentities() const {
  ReaderLock lock(tables_mutex_);
  return {definitions_.begin(), definitions_.end()};
}

bool Catalog::IsTable(Bytes name) const {
  ReaderLock lock(tables_mutex_);
  return tables_.contains(name) || IsPartitioned(name);
}

BASALT_UNCHECKED_LOCKS bool Catalog::IsPartitioned(Bytes name) const {
  const std::string prefix = PartitionsOf(name);
  const auto found = tables_.lower_bound(prefix);
  return found != tables_.end() && found->first.starts_with(prefix);
}

BASALT_UNCHECKED_LOCKS std::string Catalog::DefinedAs(Bytes name) const {
  if (IsPartitionName(name)) return WholeOf(name);
  const bool partitions = !tables_.contains(name) && IsPartitioned(name);
  return partitions ? PartitionsOf(name) : std::string(name);
}

BASALT_UNCHECKED_LOCKS bool Catalog::IsDefinitionOf(uint32_t primary_number, Bytes whole) const {
  if (IsPartitionName(whole)) return primary_number == 0 && IsPartitioned(TableOfPartition(whole));
  const auto found = tables_.find(whole);
  return found != tables_.end() && found->second->Primary()->id.number == primary_number;
}

std::vector<std::string> Catalog::TablesOf(Bytes database) const {
  const std::string prefix = std::string(database) + ".";
  std::vector<std::string> names;
  ReaderLock lock(tables_mutex_);
  for (auto at = tables_.lower_bound(prefix); at != tables_.end() && at->first.starts_with(prefix);
       ++at) {
    const Bytes name = TableOfPartition(at->first).substr(prefix.size());
    if (names.empty() || names.back() != name) names.emplace_back(name);
  }
  return names;
}

// `table` is the record the name will have, null for a partitioned table.
Status Catalog::PutDefinition(Bytes name, const TableRecord* table,
                              const TableDefinition* definition, Change* change) const {
  if (definition == nullptr) return {};
  if (definition->identity.size() > std::numeric_limits<uint8_t>::max() ||
      definition->frm.size() > std::numeric_limits<uint32_t>::max() ||
      definition->par.size() > std::numeric_limits<uint32_t>::max() || definition->frm.empty()) {
    return Status(Code::kInvalidArgument, "a definition that cannot be kept");
  }
  // Each partition of a new table brings the same one.
  if (IsPartitionName(name) && HasDefinition(name, definition->identity)) return {};
  TableDefinition bound = *definition;
  bound.primary_number = table == nullptr ? 0 : NumberOf(*table);
  change->PutDefinition(WholeOf(name), &bound);
  return {};
}

// After a truncate: the same definition, another primary key.
void Catalog::RebindDefinition(const TableRecord& table, Change* change) const {
  TableDefinition definition;
  if (IsPartitionName(table.name) || !Definition(table.name, &definition).ok()) return;
  definition.primary_number = NumberOf(table);
  change->PutDefinition(table.name, &definition);
}

// A table takes its definition along.
// Where a table becomes a partition or the other way round (EXCHANGE, CONVERT), the server writes
// another file for it, or leaves the files where they are: what is kept is renewed from them.
void Catalog::MoveDefinition(Bytes from, Bytes to, Change* change) const {
  const std::string old_whole = WholeOf(from);
  const std::string new_whole = WholeOf(to);
  if (old_whole == new_whole) return;
  if (IsPartitionName(from) != IsPartitionName(to)) {
    DropDefinition(from, change);
    return;
  }
  TableDefinition definition;
  if (!Definition(old_whole, &definition).ok()) return;
  change->PutDefinition(old_whole, nullptr);
  change->PutDefinition(new_whole, &definition);
}

// With the last partition of a table.
void Catalog::DropDefinition(Bytes name, Change* change) const {
  if (!HasOtherPartition(name)) change->PutDefinition(WholeOf(name), nullptr);
}

}  // namespace basalt::catalog
