// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/dictionary_loader.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <rocksdb/iterator.h>

#include "catalog/catalog_change.h"
#include "catalog/dictionary_records.h"
#include "catalog/foreign_key_record.h"
#include "store/errors/status_map.h"

namespace basalt::catalog {
namespace {

std::string Name(IndexId index) {
  return "index " + std::to_string(index.number) + " in column family " +
         std::to_string(index.column_family);
}

Status Contradiction(const std::string& table, IndexId index, std::string_view what) {
  return Status(Code::kCorruption,
                "dictionary: table " + table + ", " + Name(index) + ": " + std::string(what));
}

}  // namespace

Status DictionaryLoader::Read() {
  BASALT_RETURN_IF_ERROR(ReadRecords());
  BASALT_RETURN_IF_ERROR(AssembleTables());
  AssignDefinitions();
  AssignForeignKeys();
  Summarize();
  // Jobs of prepared transactions are not visible yet, so the highest one seen is not enough. The
  // clock is: nobody starts a million jobs a second.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  content_->next_ingest_job = std::max(highest_job_ + 1, static_cast<uint64_t>(microseconds));
  return {};
}

Status DictionaryLoader::ReadRecords() {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> iterator(
      source_.db->NewIterator(options, source_.system));
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    BASALT_RETURN_IF_ERROR(
        ReadRecord(iterator->key().ToStringView(), iterator->value().ToStringView()));
  }
  return store::MapStatus(iterator->status(), "reading the dictionary");
}

Status DictionaryLoader::ReadRecord(Bytes key, Bytes value) {
  RecordType type;
  if (!ReadRecordType(key, &type)) {
    return Status(Code::kCorruption, "dictionary: a key is shorter than a record type");
  }
  switch (type) {
    case RecordType::kTable:
      return DecodeTable(key, value, &table_indexes_[std::string(key.substr(4))]);
    case RecordType::kIndex:
      return ReadIndexRecord(key, value);
    case RecordType::kColumnFamily: {
      uint32_t id = 0;
      BASALT_RETURN_IF_ERROR(DecodeColumnFamilyKey(key, &id));
      return DecodeColumnFamily(key, value, &content_->column_family_flags[id]);
    }
    case RecordType::kIndexDrop:
      return ReadDropOrBuild(key, &content_->dropped);
    case RecordType::kIndexBuild:
      return ReadDropOrBuild(key, &built_);
    case RecordType::kMaximumIndexNumber:
      return DecodeMaximumIndexNumber(key, value, &recorded_maximum_);
    case RecordType::kIngestJob:
      return ReadIngestJob(key, value);
    case RecordType::kTableDefinition:
      ReadDefinition(key, value);
      return {};
    case RecordType::kForeignKeys:
      return ReadForeignKeys(key, value);
    // Read when they are asked for; a bad one concerns one table, not the start.
    case RecordType::kAutoIncrement:
    case RecordType::kIndexStatistics:
    case RecordType::kTableVersion:
    case RecordType::kBinlogPosition:
    case RecordType::kVersionIds:
      return {};
  }
  // A type that a later version has added: not ours to judge.
  return {};
}

Status DictionaryLoader::ReadIndexRecord(Bytes key, Bytes value) {
  IndexRecord index;
  BASALT_RETURN_IF_ERROR(DecodeIndexKey(key, &index.id));
  BASALT_RETURN_IF_ERROR(DecodeIndex(key, value, &index));
  NoteNumber(index.id.number);
  indexes_[index.id] = index;
  return {};
}

Status DictionaryLoader::ReadIngestJob(Bytes key, Bytes value) {
  IngestJob job;
  BASALT_RETURN_IF_ERROR(DecodeIngestJob(key, value, &job));
  highest_job_ = std::max(highest_job_, job.number);
  for (const IngestJob::File& file : job.files) {
    if (source_.column_families.contains(file.column_family)) continue;
    return Status(Code::kCorruption, "dictionary: ingest job " + std::to_string(job.number) +
                                         " is for column family " +
                                         std::to_string(file.column_family) +
                                         ", which does not exist");
  }
  return {};
}

void DictionaryLoader::ReadDefinition(Bytes key, Bytes value) {
  const std::string name(key.substr(4));
  TableDefinition definition;
  if (!DecodeTableDefinition(key, value, &definition).ok()) {
    stale_definitions_.insert(name);
    return;
  }
  definition.frm.clear();  // all tables' together may be large
  definition.par.clear();
  definitions_[name] = std::move(definition);
}

void DictionaryLoader::AssignDefinitions() {
  for (auto& [name, definition] : definitions_) {
    if (StoredDefinitions::Belongs(definition.primary_number, name, content_->tables)) {
      content_->definitions[name] = std::move(definition.identity);
    } else {
      stale_definitions_.insert(name);
    }
  }
}

Status DictionaryLoader::ReadForeignKeys(Bytes key, Bytes value) {
  auto set = std::make_shared<ForeignKeySet>();
  BASALT_RETURN_IF_ERROR(DecodeForeignKeys(key, value, set.get()));
  foreign_keys_[std::string(key.substr(4))] = std::move(set);
  return {};
}

void DictionaryLoader::AssignForeignKeys() {
  for (auto& [child, set] : foreign_keys_) {
    const auto table = content_->tables.find(child);
    if (table == content_->tables.end() ||
        table->second->Primary()->id.number != set->primary_number) {
      stale_foreign_keys_.insert(child);
    } else {
      content_->foreign_keys.Set(child, std::move(set));
    }
  }
}

Status DictionaryLoader::ReadDropOrBuild(Bytes key, std::set<IndexId>* indexes) {
  IndexId index;
  BASALT_RETURN_IF_ERROR(DecodeIndexKey(key, &index));
  NoteNumber(index.number);
  indexes->insert(index);
  return {};
}

void DictionaryLoader::NoteNumber(uint32_t number) {
  content_->maximum_index_number = std::max(content_->maximum_index_number, number);
}

Status DictionaryLoader::AssembleTables() {
  for (const auto& [name, ids] : table_indexes_) {
    auto table = std::make_shared<TableRecord>();
    table->name = name;
    for (const IndexId id : ids) BASALT_RETURN_IF_ERROR(AssembleIndex(name, id, table.get()));
    if (table->Primary() == nullptr) {
      return Status(Code::kCorruption, "dictionary: table " + name + " has no primary key");
    }
    content_->tables.emplace(name, std::move(table));
  }
  return {};
}

Status DictionaryLoader::AssembleIndex(const std::string& table, IndexId id, TableRecord* record) {
  NoteNumber(id.number);
  const auto index = indexes_.find(id);
  if (index == indexes_.end()) return Contradiction(table, id, "the index has no record");
  if (!in_tables_.insert(id).second) return Contradiction(table, id, "two tables have this index");
  if (content_->dropped.contains(id)) {
    return Contradiction(table, id, "the index is marked as dropped, its rows may be gone");
  }
  if (id.number < kFirstUserIndexNumber) return Contradiction(table, id, "the number is reserved");
  BASALT_RETURN_IF_ERROR(CheckColumnFamily(table, id));
  record->indexes.push_back(index->second);
  return {};
}

Status DictionaryLoader::CheckColumnFamily(const std::string& table, IndexId id) {
  const auto name = source_.column_families.find(id.column_family);
  if (name == source_.column_families.end()) {
    return Contradiction(table, id, "there is no such column family");
  }
  const auto flags = content_->column_family_flags.find(id.column_family);
  if (flags != content_->column_family_flags.end()) {
    const bool reverse = (flags->second & kColumnFamilyReverse) != 0;
    if (reverse != store::IsReverse(name->second)) {
      return Contradiction(table, id,
                           "the record of the column family contradicts its name, " + name->second);
    }
  }
  column_families_in_use_.insert(id.column_family);
  return {};
}

void DictionaryLoader::Summarize() {
  DictionarySummary& summary = content_->summary;
  summary.tables = content_->tables.size();
  for (const auto& [name, table] : content_->tables) {
    summary.indexes += table->indexes.size();
    for (const IndexRecord& index : table->indexes) {
      ++summary.indexes_by_format_version[index.key_value_format_version];
      if ((index.flags & kIndexHasTtl) != 0) ++summary.indexes_with_ttl;
    }
  }
  summary.dropped_indexes = content_->dropped.size();
  for (const IndexId index : built_) {
    if (in_tables_.contains(index)) continue;
    ++summary.builds_cut_off;
    if (!content_->dropped.contains(index)) ++summary.dropped_indexes;
  }
}

void DictionaryLoader::Repair(uint32_t default_family, CatalogChange* change) {
  change->frees_space = true;  // a start must not fail because the disk is nearly full
  for (const IndexId index : built_) {
    change->Delete(IndexKey(RecordType::kIndexBuild, index));
    // The old engine removes the record only after the table has the index; that is no rollback.
    if (!in_tables_.contains(index)) change->DropIndex(index);
  }
  // The old engine does not start without these, and the way back is to stay open.
  column_families_in_use_.insert(default_family);
  column_families_in_use_.insert(source_.system->GetID());
  for (const uint32_t id : column_families_in_use_) {
    if (content_->column_family_flags.contains(id)) continue;
    const bool reverse = store::IsReverse(source_.column_families.at(id));
    change->PutColumnFamily(id, reverse ? kColumnFamilyReverse : 0);
    ++content_->summary.column_family_records_added;
  }
  for (const std::string& name : stale_definitions_) change->PutDefinition(name, nullptr);
  for (const std::string& child : stale_foreign_keys_) change->PutForeignKeys(child, nullptr);
  NoteNumber(recorded_maximum_);
  if (content_->maximum_index_number > recorded_maximum_ &&
      content_->maximum_index_number >= kFirstUserIndexNumber) {
    change->Put(TypeKey(RecordType::kMaximumIndexNumber),
                EncodeMaximumIndexNumber(content_->maximum_index_number));
  }
}

}  // namespace basalt::catalog
