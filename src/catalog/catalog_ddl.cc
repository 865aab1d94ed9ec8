// SPDX-License-Identifier: GPL-2.0-only

// What changes tables and indexes: each function builds one Change and commits it.

#include <algorithm>
#include <limits>
#include <utility>

#include "catalog/catalog.h"
#include "catalog/catalog_change.h"
#include "catalog/dictionary_records.h"
#include "store/errors/status_map.h"
#include "store/format/column_family_names.h"

namespace basalt::catalog {
namespace {

// Not a real column family; the old engine once used the name to ask for one for each index.
constexpr std::string_view kPerIndexName = "$per_index_cf";

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

// Temporary tables, and those that an ALTER fills before they get their names.
bool IsTemporaryName(Bytes name) {
  return name.substr(name.find('.') + 1).starts_with("#sql") || name.ends_with("#TMP#");
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

BASALT_UNCHECKED_LOCKS Status Catalog::PrepareColumnFamily(const IndexRequest& request,
                                                           Change* change, uint32_t* id) {
  const std::string& name = request.column_family;
  if (name == store::kSystemColumnFamilyName || name == kPerIndexName || name.empty()) {
    return Status(Code::kInvalidArgument, "the column family name '" + name + "' is reserved");
  }
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  BASALT_RETURN_IF_ERROR(store_->families().GetOrCreate(name, &handle));
  *id = handle->GetID();
  if (column_family_flags_.contains(*id) || change->column_family_flags.contains(*id)) return {};
  uint32_t flags = store::IsReverse(handle) ? kColumnFamilyReverse : 0;
  if (request.per_partition_column_family) flags |= kColumnFamilyPerPartition;
  change->PutColumnFamily(*id, flags);
  return {};
}

// What is in the column family; empty: nothing. Indexes being built are in the dictionary only.
BASALT_UNCHECKED_LOCKS Status Catalog::UserOfColumnFamily(uint32_t id, std::string* user) const {
  for (const auto& [name, table] : tables_) {
    for (const IndexRecord& index : table->indexes) {
      if (index.id.column_family == id) *user = "the table " + name;
    }
  }
  for (const IndexId index : dropped_) {
    if (index.column_family == id) *user = "a dropped index whose space is not free yet";
  }
  const std::string prefix = TypeKey(RecordType::kIndexBuild);
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> build(
      store_->base()->NewIterator(options, store_->system()));
  for (build->Seek(prefix); build->Valid() && build->key().starts_with(prefix); build->Next()) {
    if (build->key().size() < prefix.size() + sizeof(id)) continue;
    if (LoadBigEndian32(build->key().data() + prefix.size()) == id) {
      *user = "an index that is being built";
    }
  }
  return store::MapStatus(build->status(), "looking for indexes that are being built");
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
  Change change(store_->system());
  change.frees_space = true;
  change.Delete(ColumnFamilyKey(family->GetID()));
  BASALT_RETURN_IF_ERROR(Commit(&change));
  {
    WriterLock names(tables_mutex_);
    column_family_flags_.erase(family->GetID());
  }
  return store_->families().Drop(family);
}

BASALT_UNCHECKED_LOCKS Status Catalog::NumberIndexes(const std::vector<IndexRequest>& requests,
                                                     Change* change,
                                                     std::vector<IndexRecord>* indexes) {
  indexes->clear();
  for (const IndexRequest& request : requests) {
    if ((request.flags & ~kIndexHasTtl) != 0) {
      return Status(Code::kInvalidArgument, "unknown index flags");
    }
    if (request.key_value_format_version > kNewestKeyValueFormatVersion) {
      return Status(Code::kInvalidArgument, "unknown key-value format version");
    }
    IndexRecord index;
    BASALT_RETURN_IF_ERROR(PrepareColumnFamily(request, change, &index.id.column_family));
    index.kind = request.kind;
    index.key_value_format_version = request.key_value_format_version;
    index.flags = request.flags;
    index.ttl_seconds = request.ttl_seconds;
    indexes->push_back(index);
  }
  if (std::numeric_limits<uint32_t>::max() - 1 - maximum_index_number_ < indexes->size()) {
    return Status(Code::kInternal, "all index numbers of this store have been used");
  }
  {
    // Numbers of a change that fails are not used again: cheaper than being sure that nothing of
    // it has reached the disk.
    WriterLock lock(tables_mutex_);
    for (IndexRecord& index : *indexes) index.id.number = ++maximum_index_number_;
  }
  change->Put(TypeKey(RecordType::kMaximumIndexNumber),
              EncodeMaximumIndexNumber(maximum_index_number_));
  return {};
}

Status Catalog::Commit(Change* change, bool sync) {
  BASALT_RETURN_IF_ERROR(change->frees_space ? store_->WriteToFreeSpace(&change->batch, sync)
                                             : store_->Write(&change->batch, sync));
  WriterLock lock(tables_mutex_);
  for (auto& [name, table] : change->tables) {
    if (table == nullptr) {
      tables_.erase(name);
    } else {
      tables_[name] = std::move(table);
    }
  }
  for (auto& [name, identity] : change->definitions) {
    if (identity.has_value()) {
      definitions_[name] = std::move(*identity);
    } else {
      definitions_.erase(name);
    }
  }
  for (const auto& [id, flags] : change->column_family_flags) column_family_flags_[id] = flags;
  dropped_.insert(change->dropped.begin(), change->dropped.end());
  return {};
}

// After the commit of the change that gave the table its indexes. A temporary table belongs to one
// connection, whose older snapshots do not keep it from reading its own.
void Catalog::NoteNewContent(Bytes name) {
  if (IsTemporaryName(name)) return;
  const uint64_t now = store_->base()->GetLatestSequenceNumber();
  WriterLock lock(tables_mutex_);
  readable_from_[std::string(name)] = now;
}

BASALT_UNCHECKED_LOCKS bool Catalog::HasOtherPartition(Bytes name) const {
  if (!IsPartitionName(name)) return false;
  const std::string prefix = WholeOf(name);
  for (auto at = tables_.lower_bound(prefix); at != tables_.end() && at->first.starts_with(prefix);
       ++at) {
    if (at->first != name) return true;
  }
  return false;
}

Status Catalog::CreateTable(Bytes name, const std::vector<IndexRequest>& requests,
                            uint64_t auto_increment, std::shared_ptr<const TableRecord>* table,
                            const TableDefinition* definition) {
  MutexLock lock(ddl_mutex_);
  if (name.empty()) return Status(Code::kInvalidArgument, "a table needs a name");
  if (FindTable(name) != nullptr) return TableExists(name);
  BASALT_RETURN_IF_ERROR(CheckOnePrimary(name, requests));
  Change change(store_->system());
  auto created = std::make_shared<TableRecord>();
  created->name = name;
  BASALT_RETURN_IF_ERROR(NumberIndexes(requests, &change, &created->indexes));
  if (auto_increment != 0) {
    change.Put(IndexKey(RecordType::kAutoIncrement, created->Primary()->id),
               EncodeAutoIncrement(auto_increment));
  }
  // A version that a table of this name has left behind (the old engine's renames do) is not ours.
  if (!HasOtherPartition(name)) change.Delete(TableVersionKey(VersionPathOfTable(name)));
  BASALT_RETURN_IF_ERROR(PutDefinition(name, created.get(), definition, &change));
  change.PutTable(created);
  BASALT_RETURN_IF_ERROR(Commit(&change));
  NoteNewContent(name);
  if (table != nullptr) *table = std::move(created);
  return {};
}

Status Catalog::DropTable(Bytes name) {
  {
    MutexLock lock(ddl_mutex_);
    const auto table = FindTable(name);
    if (table == nullptr) return NoSuchTable(name);
    Change change(store_->system());
    change.frees_space = true;
    for (const IndexRecord& index : table->indexes) change.DropIndex(index.id);
    change.DeleteTable(name);
    DropDefinition(name, &change);
    if (!HasOtherPartition(name)) change.Delete(TableVersionKey(VersionPathOfTable(name)));
    BASALT_RETURN_IF_ERROR(Commit(&change));
    WriterLock names(tables_mutex_);
    readable_from_.erase(std::string(name));
  }
  NotifyDropped();
  return {};
}

// What a rename moves: all partitions with the first of them.
BASALT_UNCHECKED_LOCKS Status
Catalog::TablesToRename(Bytes from, Bytes to, std::vector<TableRecordPointer>* tables) const {
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
  const std::string prefix = WholeOf(from);
  for (auto at = tables_.lower_bound(prefix); at != tables_.end() && at->first.starts_with(prefix);
       ++at) {
    const std::string name = new_table + at->first.substr(old_table.size());
    if (FindTable(name) != nullptr) return TableExists(name);
    tables->push_back(at->second);
  }
  return {};
}

Status Catalog::MoveVersion(Bytes from, Bytes to, Change* change) const {
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

Status Catalog::RenameTable(Bytes from, Bytes to) {
  MutexLock lock(ddl_mutex_);
  if (to.empty()) return Status(Code::kInvalidArgument, "a table needs a name");
  std::vector<TableRecordPointer> tables;
  BASALT_RETURN_IF_ERROR(TablesToRename(from, to, &tables));
  if (tables.empty()) return {};
  Change change(store_->system());
  BASALT_RETURN_IF_ERROR(MoveVersion(from, to, &change));
  MoveDefinition(from, to, &change);
  std::vector<std::pair<std::string, std::string>> names;
  for (const TableRecordPointer& table : tables) {
    auto renamed = std::make_shared<TableRecord>(*table);
    renamed->name = tables.size() == 1 ? std::string(to)
                                       : std::string(TableOfPartition(to)) +
                                             table->name.substr(TableOfPartition(from).size());
    names.emplace_back(table->name, renamed->name);
    change.DeleteTable(table->name);
    change.PutTable(std::move(renamed));
  }
  BASALT_RETURN_IF_ERROR(Commit(&change));
  for (const auto& [old_name, new_name] : names) NoteRename(old_name, new_name);
  return {};
}

void Catalog::NoteRename(const std::string& from, const std::string& to) {
  WriterLock names(tables_mutex_);
  const auto known = readable_from_.extract(from);
  if (!known.empty() || !IsTemporaryName(from)) {
    readable_from_[to] = known.empty() ? 0 : known.mapped();
    return;
  }
  // Made under this name by a copying ALTER: its rows have come since.
  names.Unlock();
  NoteNewContent(to);
}

Status Catalog::TruncateTable(Bytes name, uint64_t auto_increment,
                              std::shared_ptr<const TableRecord>* table) {
  {
    MutexLock lock(ddl_mutex_);
    const auto old = FindTable(name);
    if (old == nullptr) return NoSuchTable(name);
    std::vector<IndexRequest> requests;
    for (const IndexRecord& index : old->indexes) {
      rocksdb::ColumnFamilyHandle* family = store_->FindColumnFamily(index.id.column_family);
      requests.push_back({family->GetName(), index.kind, index.flags, index.ttl_seconds, false,
                          index.key_value_format_version});
    }
    Change change(store_->system());
    change.frees_space = true;
    auto emptied = std::make_shared<TableRecord>();
    emptied->name = name;
    BASALT_RETURN_IF_ERROR(NumberIndexes(requests, &change, &emptied->indexes));
    for (const IndexRecord& index : old->indexes) change.DropIndex(index.id);
    if (auto_increment != 0) {
      change.Put(IndexKey(RecordType::kAutoIncrement, emptied->Primary()->id),
                 EncodeAutoIncrement(auto_increment));
    }
    RebindDefinition(*emptied, &change);
    change.PutTable(emptied);
    BASALT_RETURN_IF_ERROR(Commit(&change));
    NoteNewContent(name);
    if (table != nullptr) *table = std::move(emptied);
  }
  NotifyDropped();
  return {};
}

Status Catalog::BeginIndexBuild(const std::vector<IndexRequest>& requests,
                                std::vector<IndexRecord>* built) {
  MutexLock lock(ddl_mutex_);
  Change change(store_->system());
  BASALT_RETURN_IF_ERROR(NumberIndexes(requests, &change, built));
  for (const IndexRecord& index : *built) {
    change.Put(IndexKey(RecordType::kIndexBuild, index.id), EncodeMarker());
  }
  return Commit(&change);
}

// One table's part of the change.
Status Catalog::ReplaceIndexes(const TableRecord& replacement, Change* change,
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
  return {};
}

Status Catalog::ReplaceIndexes(const std::vector<TableRecord>& replacements,
                               const TableDefinition* definition) {
  bool any_dropped = false;
  {
    MutexLock lock(ddl_mutex_);
    Change change(store_->system());
    std::vector<IndexId> added;
    for (const TableRecord& replacement : replacements) {
      BASALT_RETURN_IF_ERROR(ReplaceIndexes(replacement, &change, &added));
    }
    // What only frees space is not to fail for want of it.
    change.frees_space = added.empty();
    any_dropped = !change.dropped.empty();
    const TableRecord& first = replacements.front();
    BASALT_RETURN_IF_ERROR(PutDefinition(first.name, &first, definition, &change));
    uint64_t version = 0;
    BASALT_RETURN_IF_ERROR(TableVersion(first.name, &version));
    change.Put(TableVersionKey(VersionPathOfTable(first.name)), EncodeTableVersion(version + 1));
    BASALT_RETURN_IF_ERROR(Commit(&change));
    NoteNewIndexes(added);
  }
  if (any_dropped) NotifyDropped();
  return {};
}

// After the commit of the change that gave tables these indexes.
void Catalog::NoteNewIndexes(const std::vector<IndexId>& added) {
  const uint64_t now = store_->base()->GetLatestSequenceNumber();
  WriterLock lock(tables_mutex_);
  for (const IndexId index : added) index_readable_from_[index] = now;
}

Status Catalog::AbortIndexBuild(const std::vector<IndexRecord>& built) {
  {
    MutexLock lock(ddl_mutex_);
    Change change(store_->system());
    change.frees_space = true;
    for (const IndexRecord& index : built) {
      change.DropIndex(index.id);
      change.Delete(IndexKey(RecordType::kIndexBuild, index.id));
    }
    BASALT_RETURN_IF_ERROR(Commit(&change));
  }
  NotifyDropped();
  return {};
}

Status Catalog::DropLeftBehind(const std::set<IndexId>& indexes) {
  bool found = false;
  {
    MutexLock lock(ddl_mutex_);
    Change change(store_->system());
    change.frees_space = true;
    for (const IndexId index : indexes) {
      size_t position = 0;
      if (FindIndex(index, &position) != nullptr) continue;
      change.DropIndex(index);
      found = true;
    }
    if (found) BASALT_RETURN_IF_ERROR(Commit(&change));
  }
  if (found) NotifyDropped();
  return {};
}

Status Catalog::SetAutoIncrement(IndexId primary, uint64_t next) {
  MutexLock lock(ddl_mutex_);
  Change change(store_->system());
  change.Put(IndexKey(RecordType::kAutoIncrement, primary), EncodeAutoIncrement(next));
  return Commit(&change);
}

}  // namespace basalt::catalog
