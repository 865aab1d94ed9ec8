// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/catalog.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "catalog/catalog_change.h"
#include "catalog/dictionary_content.h"
#include "catalog/dictionary_loader.h"
#include "catalog/dictionary_reader.h"
#include "catalog/dictionary_records.h"
#include "store/format/column_family_names.h"

namespace basalt::catalog {
namespace {

Status NoSuchTable(Bytes name) {
  return Status(Code::kNotFound, "there is no table " + std::string(name));
}

Status TableExists(Bytes name) {
  return Status(Code::kInvalidArgument, "the table " + std::string(name) + " exists already");
}

bool Contains(const std::vector<IndexRecord>& indexes, IndexId id) {
  return std::any_of(indexes.begin(), indexes.end(),
                     [&](const IndexRecord& index) { return index.id == id; });
}

bool Contains(const std::vector<IndexId>& ids, IndexId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Status CheckOnePrimary(Bytes name, const auto& indexes) {
  const auto primaries = std::count_if(indexes.begin(), indexes.end(), [](const auto& index) {
    return index.kind != IndexKind::kSecondary;
  });
  if (primaries == 1) return {};
  return Status(Code::kInvalidArgument, "the table " + std::string(name) + " has " +
                                            std::to_string(primaries) + " primary keys");
}

}  // namespace

Catalog::Catalog(store::Store* store, DictionaryContent content)
    : store_(store),
      temporary_tables_(store),
      summary_(std::move(content.summary)),
      tables_(std::move(content.tables)),
      definitions_(store, &tables_, std::move(content.definitions)),
      foreign_keys_(&tables_, std::move(content.foreign_keys)),
      column_families_(store, std::move(content.column_family_flags)),
      visibility_(store),
      dropped_indexes_(store, &visibility_, std::move(content.dropped)),
      auto_increments_(store),
      ingest_jobs_(store, content.next_ingest_job),
      maximum_index_number_(content.maximum_index_number) {}

Status Catalog::Check(const DictionarySource& source, DictionarySummary* summary) {
  DictionaryContent content;
  BASALT_RETURN_IF_ERROR(DictionaryLoader(source, &content).Read());
  *summary = content.summary;
  return {};
}

Status Catalog::Load(store::Store* store, std::unique_ptr<Catalog>* catalog) {
  DictionarySource source{store->base(), store->system(), {}};
  for (rocksdb::ColumnFamilyHandle* handle : store->ColumnFamilyHandles()) {
    source.column_families[handle->GetID()] = handle->GetName();
  }
  DictionaryContent content;
  DictionaryLoader loader(source, &content);
  BASALT_RETURN_IF_ERROR(loader.Read());
  CatalogChange repairs(store->system());
  loader.Repair(store->default_column_family()->GetID(), &repairs);
  std::unique_ptr<Catalog> loaded(new Catalog(store, std::move(content)));
  if (repairs.batch.Count() != 0) {
    MutexLock lock(loaded->ddl_mutex_);
    BASALT_RETURN_IF_ERROR(loaded->Commit(&repairs));
  }
  *catalog = std::move(loaded);
  return {};
}

Status Catalog::TableVersion(Bytes name, uint64_t* version) const {
  *version = 0;
  const std::string key = TableVersionKey(VersionPathOfTable(name));
  std::string value;
  Status status = ReadRecord(store_, key, &value);
  if (status.code() == Code::kNotFound) return {};
  BASALT_RETURN_IF_ERROR(std::move(status));
  return DecodeTableVersion(key, value, version);
}

Status Catalog::Commit(CatalogChange* change, bool sync) {
  BASALT_RETURN_IF_ERROR(change->frees_space ? store_->WriteToFreeSpace(&change->batch, sync)
                                             : store_->Write(&change->batch, sync));
  {
    WriterLock lock(tables_.mutex());
    tables_.TakeOver(change);
    definitions_.TakeOver(change);
    foreign_keys_.TakeOver(change);
  }
  column_families_.TakeOver(*change);
  // Last: the reclaimer finds no index that a table still has.
  dropped_indexes_.TakeOver(*change);
  return {};
}

Status Catalog::NumberIndexes(const std::vector<IndexRequest>& requests, CatalogChange* change,
                              std::vector<IndexRecord>* indexes) {
  indexes->clear();
  for (const IndexRequest& request : requests) {
    if ((request.flags & ~kIndexHasTtl) != 0) {
      return Status(Code::kInvalidArgument, "unknown index flags");
    }
    if (request.key_value_format_version > kNewestKeyValueFormatVersion) {
      return Status(Code::kInvalidArgument, "unknown key-value format version");
    }
    if (!request.word_rules.empty() &&
        (request.kind != IndexKind::kSecondary ||
         request.key_value_format_version < kFullTextFormatVersion)) {
      return Status(Code::kInvalidArgument, "an index that has no words has rules for them");
    }
    IndexRecord index;
    BASALT_RETURN_IF_ERROR(column_families_.Prepare(request, change, &index.id.column_family));
    index.kind = request.kind;
    index.key_value_format_version = request.key_value_format_version;
    index.flags = request.flags;
    index.ttl_seconds = request.ttl_seconds;
    index.word_rules = request.word_rules;
    indexes->push_back(index);
  }
  const uint32_t taken = maximum_index_number_.load();
  if (std::numeric_limits<uint32_t>::max() - 1 - taken < indexes->size()) {
    return Status(Code::kInternal, "all index numbers of this store have been used");
  }
  // Numbers of a change that fails are not used again: cheaper than being sure that nothing of it
  // has reached the disk.
  uint32_t number = taken;
  for (IndexRecord& index : *indexes) index.id.number = ++number;
  maximum_index_number_.store(number);
  change->Put(TypeKey(RecordType::kMaximumIndexNumber), EncodeMaximumIndexNumber(number));
  return {};
}

Status Catalog::CreateTable(Bytes name, const std::vector<IndexRequest>& requests,
                            uint64_t auto_increment, TableRecordPointer* table,
                            const TableDefinition* definition, const ForeignKeySet* foreign_keys) {
  MutexLock lock(ddl_mutex_);
  if (name.empty()) return Status(Code::kInvalidArgument, "a table needs a name");
  if (FindTable(name) != nullptr) return TableExists(name);
  BASALT_RETURN_IF_ERROR(CheckOnePrimary(name, requests));
  CatalogChange change(store_->system());
  auto created = std::make_shared<TableRecord>();
  created->name = name;
  BASALT_RETURN_IF_ERROR(NumberIndexes(requests, &change, &created->indexes));
  change.PutAutoIncrement(created->Primary()->id, auto_increment);
  // A version that a table of this name has left behind (the old engine's renames do) is not ours.
  if (!tables_.HasOtherPartition(name)) change.Delete(TableVersionKey(VersionPathOfTable(name)));
  BASALT_RETURN_IF_ERROR(definitions_.AppendPut(name, created.get(), definition, &change));
  BASALT_RETURN_IF_ERROR(foreign_keys_.AppendPut(*created, foreign_keys, &change));
  change.PutTable(created);
  BASALT_RETURN_IF_ERROR(Commit(&change));
  visibility_.NoteNewContent(name);
  if (table != nullptr) *table = std::move(created);
  return {};
}

Status Catalog::DropTable(Bytes name) {
  {
    MutexLock lock(ddl_mutex_);
    const auto table = FindTable(name);
    if (table == nullptr) return NoSuchTable(name);
    CatalogChange change(store_->system());
    change.frees_space = true;
    for (const IndexRecord& index : table->indexes) change.DropIndex(index.id);
    change.DeleteTable(name);
    definitions_.AppendDrop(name, &change);
    foreign_keys_.AppendDrop(name, &change);
    if (!tables_.HasOtherPartition(name)) change.Delete(TableVersionKey(VersionPathOfTable(name)));
    BASALT_RETURN_IF_ERROR(Commit(&change));
    visibility_.Forget(name);
  }
  dropped_indexes_.Notify();
  return {};
}

// What a rename moves: all partitions with the first of them.
Status Catalog::TablesToRename(Bytes from, Bytes to,
                               std::vector<TableRecordPointer>* tables) const {
  const std::string old_table(TableOfPartition(from));
  const std::string new_table(TableOfPartition(to));
  const Bytes suffix = from.substr(old_table.size());
  const bool whole_table =
      !suffix.empty() && old_table != new_table && suffix == to.substr(new_table.size());
  const auto table = FindTable(from);
  if (table == nullptr) {
    return whole_table && FindTable(to) != nullptr ? Status() : NoSuchTable(from);
  }
  if (!whole_table) {
    if (FindTable(to) != nullptr) return TableExists(to);
    tables->push_back(table);
    return {};
  }
  *tables = tables_.Partitions(WholeOf(from));
  for (const TableRecordPointer& partition : *tables) {
    const std::string name = new_table + partition->name.substr(old_table.size());
    if (FindTable(name) != nullptr) return TableExists(name);
  }
  return {};
}

Status Catalog::MoveVersion(Bytes from, Bytes to, CatalogChange* change) const {
  const std::string old_path = VersionPathOfTable(from);
  const std::string new_path = VersionPathOfTable(to);
  if (old_path == new_path) return {};
  uint64_t version = 0;
  BASALT_RETURN_IF_ERROR(TableVersion(from, &version));
  if (version != 0) {
    change->Put(TableVersionKey(new_path), EncodeTableVersion(version));
    change->Delete(TableVersionKey(old_path));
  } else if (!IsPartitionName(to)) {
    change->Delete(TableVersionKey(new_path));
  }
  return {};
}

Status Catalog::RenameTable(Bytes from, Bytes to, const ChildNames& names) {
  MutexLock lock(ddl_mutex_);
  if (to.empty()) return Status(Code::kInvalidArgument, "a table needs a name");
  std::vector<TableRecordPointer> tables;
  BASALT_RETURN_IF_ERROR(TablesToRename(from, to, &tables));
  if (tables.empty()) return {};
  CatalogChange change(store_->system());
  BASALT_RETURN_IF_ERROR(MoveVersion(from, to, &change));
  definitions_.AppendMove(from, to, &change);
  BASALT_RETURN_IF_ERROR(foreign_keys_.AppendMove(from, to, names, &change));
  std::vector<std::pair<std::string, std::string>> moved;
  for (const TableRecordPointer& table : tables) {
    auto renamed = std::make_shared<TableRecord>(*table);
    renamed->name = tables.size() == 1 ? std::string(to)
                                       : std::string(TableOfPartition(to)) +
                                             table->name.substr(TableOfPartition(from).size());
    moved.emplace_back(table->name, renamed->name);
    change.DeleteTable(table->name);
    change.PutTable(std::move(renamed));
  }
  BASALT_RETURN_IF_ERROR(Commit(&change));
  for (const auto& [old_name, new_name] : moved) visibility_.NoteRename(old_name, new_name);
  return {};
}

Status Catalog::TruncateTable(Bytes name, uint64_t auto_increment, TableRecordPointer* table) {
  {
    MutexLock lock(ddl_mutex_);
    const auto old = FindTable(name);
    if (old == nullptr) return NoSuchTable(name);
    std::vector<IndexRequest> requests;
    for (const IndexRecord& index : old->indexes) {
      rocksdb::ColumnFamilyHandle* family = store_->FindColumnFamily(index.id.column_family);
      requests.push_back({family->GetName(), index.kind, index.flags, index.ttl_seconds, false,
                          index.key_value_format_version, index.word_rules});
    }
    CatalogChange change(store_->system());
    change.frees_space = true;
    auto emptied = std::make_shared<TableRecord>();
    emptied->name = name;
    BASALT_RETURN_IF_ERROR(NumberIndexes(requests, &change, &emptied->indexes));
    for (const IndexRecord& index : old->indexes) change.DropIndex(index.id);
    change.PutAutoIncrement(emptied->Primary()->id, auto_increment);
    definitions_.AppendRebind(*emptied, &change);
    foreign_keys_.AppendRebind(*emptied, &change);
    change.PutTable(emptied);
    BASALT_RETURN_IF_ERROR(Commit(&change));
    visibility_.NoteNewContent(name);
    if (table != nullptr) *table = std::move(emptied);
  }
  dropped_indexes_.Notify();
  return {};
}

Status Catalog::BeginIndexBuild(const std::vector<IndexRequest>& requests,
                                std::vector<IndexRecord>* built) {
  MutexLock lock(ddl_mutex_);
  CatalogChange change(store_->system());
  BASALT_RETURN_IF_ERROR(NumberIndexes(requests, &change, built));
  for (const IndexRecord& index : *built) {
    change.Put(IndexKey(RecordType::kIndexBuild, index.id), EncodeMarker());
  }
  BASALT_RETURN_IF_ERROR(Commit(&change));
  for (const IndexRecord& index : *built) building_.insert(index.id);
  return Status::Ok();
}

// One table's part of the change.
Status Catalog::ReplaceIndexes(const TableRecord& replacement, CatalogChange* change,
                               std::vector<IndexId>* added) const {
  const auto old = FindTable(replacement.name);
  if (old == nullptr) return NoSuchTable(replacement.name);
  BASALT_RETURN_IF_ERROR(CheckOnePrimary(replacement.name, replacement.indexes));
  for (const IndexRecord& index : replacement.indexes) {
    if (Contains(old->indexes, index.id)) continue;
    change->Delete(IndexKey(RecordType::kIndexBuild, index.id));
    added->push_back(index.id);
  }
  for (const IndexRecord& index : old->indexes) {
    if (!Contains(replacement.indexes, index.id)) change->DropIndex(index.id);
  }
  change->PutTable(std::make_shared<TableRecord>(replacement));
  if (replacement.Primary()->id == old->Primary()->id) return {};
  // What belongs to a table is known by its primary key.
  definitions_.AppendRebind(replacement, change);
  foreign_keys_.AppendRebind(replacement, change);
  return {};
}

Status Catalog::ReplaceIndexes(const std::vector<TableRecord>& replacements,
                               const TableDefinition* definition,
                               const NewForeignKeys& foreign_keys) {
  bool any_dropped = false;
  {
    MutexLock lock(ddl_mutex_);
    CatalogChange change(store_->system());
    std::vector<IndexId> added;
    std::vector<std::string> rebuilt;
    for (const TableRecord& replacement : replacements) {
      BASALT_RETURN_IF_ERROR(ReplaceIndexes(replacement, &change, &added));
      if (Contains(added, replacement.Primary()->id)) rebuilt.push_back(replacement.name);
    }
    any_dropped = !change.dropped.empty();
    // What only frees space is not to fail for want of it.
    change.frees_space = any_dropped && added.empty();
    const TableRecord& first = replacements.front();
    BASALT_RETURN_IF_ERROR(definitions_.AppendPut(first.name, &first, definition, &change));
    BASALT_RETURN_IF_ERROR(foreign_keys_.AppendPut(foreign_keys, &change));
    const auto own = foreign_keys.find(first.name);
    if (own != foreign_keys.end()) {
      BASALT_RETURN_IF_ERROR(foreign_keys_.AppendPut(first, &own->second, &change));
    }
    uint64_t version = 0;
    BASALT_RETURN_IF_ERROR(TableVersion(first.name, &version));
    change.Put(TableVersionKey(VersionPathOfTable(first.name)), EncodeTableVersion(version + 1));
    BASALT_RETURN_IF_ERROR(Commit(&change));
    visibility_.NoteNewIndexes(added);
    for (const std::string& table : rebuilt) visibility_.NoteNewContent(table);
    for (const IndexId index : added) building_.erase(index);
  }
  if (any_dropped) dropped_indexes_.Notify();
  return {};
}

Status Catalog::AbortIndexBuild(const std::vector<IndexRecord>& built) {
  {
    MutexLock lock(ddl_mutex_);
    CatalogChange change(store_->system());
    change.frees_space = true;
    for (const IndexRecord& index : built) {
      change.DropIndex(index.id);
      change.Delete(IndexKey(RecordType::kIndexBuild, index.id));
    }
    BASALT_RETURN_IF_ERROR(Commit(&change));
    for (const IndexRecord& index : built) building_.erase(index.id);
  }
  dropped_indexes_.Notify();
  return {};
}

Status Catalog::DropLeftBehind(const std::set<IndexId>& indexes) {
  bool found = false;
  {
    MutexLock lock(ddl_mutex_);
    CatalogChange change(store_->system());
    change.frees_space = true;
    for (const IndexId index : indexes) {
      size_t position = 0;
      if (FindIndex(index, &position) != nullptr || building_.contains(index)) continue;
      change.DropIndex(index);
      found = true;
    }
    if (found) BASALT_RETURN_IF_ERROR(Commit(&change));
  }
  if (found) dropped_indexes_.Notify();
  return {};
}

Status Catalog::StoreDefinition(Bytes name, const TableDefinition& definition, bool sync) {
  MutexLock lock(ddl_mutex_);
  CatalogChange change(store_->system());
  BASALT_RETURN_IF_ERROR(definitions_.AppendStore(name, definition, &change));
  return Commit(&change, sync);
}

Status Catalog::ReplaceForeignKeys(const NewForeignKeys& foreign_keys, Bytes name,
                                   const TableDefinition* definition) {
  MutexLock lock(ddl_mutex_);
  CatalogChange change(store_->system());
  BASALT_RETURN_IF_ERROR(foreign_keys_.AppendPut(foreign_keys, &change));
  if (definition != nullptr) {
    BASALT_RETURN_IF_ERROR(definitions_.AppendStore(name, *definition, &change));
  }
  return Commit(&change);
}

// What is in the column family; empty: nothing. Indexes being built are in the dictionary only.
Status Catalog::UserOfColumnFamily(uint32_t id, std::string* user) const {
  for (const TableRecordPointer& table : tables_.All()) {
    for (const IndexRecord& index : table->indexes) {
      if (index.id.column_family == id) *user = "the table " + table->name;
    }
  }
  for (const IndexId index : dropped_indexes_.All()) {
    if (index.column_family == id) *user = "a dropped index whose space is not free yet";
  }
  return ReadRecords(store_, RecordType::kIndexBuild, "looking for indexes that are being built",
                     [&](Bytes key, Bytes) {
                       IndexId index;
                       if (DecodeIndexKey(key, &index).ok() && index.column_family == id) {
                         *user = "an index that is being built";
                       }
                       return Status();
                     });
}

Status Catalog::DropColumnFamily(const std::string& name) {
  MutexLock lock(ddl_mutex_);
  rocksdb::ColumnFamilyHandle* family = store_->FindColumnFamily(name);
  const std::string quoted = "the column family '" + name + "'";
  if (family == nullptr) return Status(Code::kNotFound, "there is no column family '" + name + "'");
  if (name == store::kDefaultColumnFamilyName || name.starts_with("__")) {
    return Status(Code::kInvalidArgument, quoted + " is the engine's own");
  }
  std::string user;
  BASALT_RETURN_IF_ERROR(UserOfColumnFamily(family->GetID(), &user));
  if (!user.empty()) return Status(Code::kInvalidArgument, quoted + " is used by " + user);
  // A crash in between leaves a column family without a record, which the next start writes anew.
  CatalogChange change(store_->system());
  change.frees_space = true;
  change.DeleteColumnFamily(family->GetID());
  BASALT_RETURN_IF_ERROR(Commit(&change));
  return store_->families().Drop(family);
}

}  // namespace basalt::catalog
