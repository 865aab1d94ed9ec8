// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/stored_definitions.h"

#include <algorithm>
#include <limits>

#include "catalog/catalog_change.h"
#include "catalog/dictionary_reader.h"
#include "catalog/dictionary_records.h"

namespace basalt::catalog {
namespace {

// The number that ties a definition to this table; partitions come and go under theirs.
uint32_t NumberOf(const TableRecord& table) {
  return IsPartitionName(table.name) ? 0 : table.Primary()->id.number;
}

// The table or partitions whose definition `name` asks for.
std::string DefinedAs(Bytes name, const TablesByName& tables) {
  if (IsPartitionName(name)) return WholeOf(name);
  const bool partitions = !tables.contains(name) && HasPartitions(tables, name);
  return partitions ? PartitionsOf(name) : std::string(name);
}

}  // namespace

bool StoredDefinitions::Belongs(uint32_t primary_number, Bytes whole, const TablesByName& tables) {
  if (IsPartitionName(whole)) {
    return primary_number == 0 && HasPartitions(tables, TableOfPartition(whole));
  }
  const auto found = tables.find(whole);
  return found != tables.end() && found->second->Primary()->id.number == primary_number;
}

Status StoredDefinitions::Read(Bytes name, TableDefinition* definition) const {
  std::string whole;
  {
    ReaderLock lock(tables_->mutex());
    whole = DefinedAs(name, tables_->records());
  }
  const std::string key = TableDefinitionKey(whole);
  std::string value;
  BASALT_RETURN_IF_ERROR(ReadRecord(store_, key, &value));
  if (!DecodeTableDefinition(key, value, definition).ok()) return Status(Code::kNotFound);
  ReaderLock lock(tables_->mutex());
  if (Belongs(definition->primary_number, whole, tables_->records())) return {};
  return Status(Code::kNotFound);
}

bool StoredDefinitions::Has(Bytes name, Bytes identity) const {
  ReaderLock lock(tables_->mutex());
  const auto found = identities_.find(DefinedAs(name, tables_->records()));
  return found != identities_.end() && found->second == identity;
}

bool StoredDefinitions::IsOfAnother(Bytes name, Bytes identity) const {
  if (identity.empty()) return false;
  ReaderLock lock(tables_->mutex());
  const std::string own = DefinedAs(name, tables_->records());
  return std::any_of(identities_.begin(), identities_.end(), [&](const auto& definition) {
    return definition.second == identity && definition.first != own;
  });
}

std::map<std::string, std::string> StoredDefinitions::All() const {
  ReaderLock lock(tables_->mutex());
  return {identities_.begin(), identities_.end()};
}

Status StoredDefinitions::AppendStore(Bytes name, const TableDefinition& definition,
                                      CatalogChange* change) const {
  std::string whole;
  bool partitioned = false;
  {
    ReaderLock lock(tables_->mutex());
    const TablesByName& tables = tables_->records();
    whole = DefinedAs(name, tables);
    partitioned = IsPartitionName(whole) && HasPartitions(tables, TableOfPartition(whole));
  }
  const TableRecordPointer table = tables_->Find(whole);
  if (table == nullptr && !partitioned) {
    return Status(Code::kNotFound, "there is no table " + std::string(name));
  }
  return AppendPut(whole, table.get(), &definition, change);
}

Status StoredDefinitions::AppendPut(Bytes name, const TableRecord* table,
                                    const TableDefinition* definition,
                                    CatalogChange* change) const {
  if (definition == nullptr) return {};
  if (definition->identity.size() > std::numeric_limits<uint8_t>::max() ||
      definition->frm.size() > std::numeric_limits<uint32_t>::max() ||
      definition->par.size() > std::numeric_limits<uint32_t>::max() || definition->frm.empty()) {
    return Status(Code::kInvalidArgument, "a definition that cannot be kept");
  }
  // Each partition of a new table brings the same one.
  if (IsPartitionName(name) && Has(name, definition->identity)) return {};
  TableDefinition bound = *definition;
  bound.primary_number = table == nullptr ? 0 : NumberOf(*table);
  change->PutDefinition(WholeOf(name), &bound);
  return {};
}

void StoredDefinitions::AppendRebind(const TableRecord& table, CatalogChange* change) const {
  TableDefinition definition;
  if (IsPartitionName(table.name) || !Read(table.name, &definition).ok()) return;
  definition.primary_number = NumberOf(table);
  change->PutDefinition(table.name, &definition);
}

// Where a table becomes a partition or the other way round (EXCHANGE, CONVERT), the server writes
// another file for it, or leaves the files where they are: what is kept is renewed from them.
void StoredDefinitions::AppendMove(Bytes from, Bytes to, CatalogChange* change) const {
  const std::string old_whole = WholeOf(from);
  const std::string new_whole = WholeOf(to);
  if (old_whole == new_whole) return;
  if (IsPartitionName(from) != IsPartitionName(to)) {
    AppendDrop(from, change);
    return;
  }
  TableDefinition definition;
  if (!Read(old_whole, &definition).ok()) return;
  change->PutDefinition(old_whole, nullptr);
  change->PutDefinition(new_whole, &definition);
}

void StoredDefinitions::AppendDrop(Bytes name, CatalogChange* change) const {
  if (!tables_->HasOtherPartition(name)) change->PutDefinition(WholeOf(name), nullptr);
}

// Unchecked: clang does not see that the catalog's tables are those that are known here.
BASALT_UNCHECKED_LOCKS void StoredDefinitions::TakeOver(CatalogChange* change) {
  for (auto& [name, identity] : change->definitions) {
    if (identity.has_value()) {
      identities_[name] = std::move(*identity);
    } else {
      identities_.erase(name);
    }
  }
}

}  // namespace basalt::catalog
