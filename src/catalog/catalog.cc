// SPDX-License-Identifier: GPL-2.0-only

// Reading the dictionary, and the small records; catalog_ddl.cc has what changes tables.

#include "catalog/catalog.h"

#include <utility>

#include <rocksdb/iterator.h>
#include <rocksdb/write_batch.h>

#include "catalog/catalog_loader.h"
#include "catalog/dictionary_records.h"
#include "store/errors/status_map.h"

namespace basalt::catalog {

Catalog::Catalog(store::Store* store) : store_(store), temporary_tables_(store) {}

Status Catalog::Check(const DictionarySource& source, DictionarySummary* summary) {
  Catalog scratch(nullptr);
  BASALT_RETURN_IF_ERROR(Loader(&scratch, source).Read());
  *summary = scratch.summary_;
  return {};
}

Status Catalog::Load(store::Store* store, std::unique_ptr<Catalog>* catalog) {
  std::unique_ptr<Catalog> loaded(new Catalog(store));
  DictionarySource source{store->base(), store->system(), {}};
  for (rocksdb::ColumnFamilyHandle* handle : store->ColumnFamilyHandles()) {
    source.column_families[handle->GetID()] = handle->GetName();
  }
  Loader loader(loaded.get(), source);
  BASALT_RETURN_IF_ERROR(loader.Read());
  BASALT_RETURN_IF_ERROR(loader.Repair());
  *catalog = std::move(loaded);
  return {};
}

std::shared_ptr<const TableRecord> Catalog::FindTable(Bytes name) const {
  ReaderLock lock(tables_mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

uint64_t Catalog::ReadableFrom(Bytes name) const {
  ReaderLock lock(tables_mutex_);
  const auto found = readable_from_.find(name);
  return found == readable_from_.end() ? 0 : found->second;
}

uint64_t Catalog::ReadableFrom(IndexId index) const {
  ReaderLock lock(tables_mutex_);
  const auto found = index_readable_from_.find(index);
  return found == index_readable_from_.end() ? 0 : found->second;
}

std::vector<std::shared_ptr<const TableRecord>> Catalog::Tables() const {
  ReaderLock lock(tables_mutex_);
  std::vector<std::shared_ptr<const TableRecord>> tables;
  tables.reserve(tables_.size());
  for (const auto& [name, table] : tables_) tables.push_back(table);
  return tables;
}

std::shared_ptr<const TableRecord> Catalog::FindIndex(IndexId index, size_t* position) const {
  ReaderLock lock(tables_mutex_);
  for (const auto& [name, table] : tables_) {
    for (size_t i = 0; i < table->indexes.size(); ++i) {
      if (table->indexes[i].id != index) continue;
      *position = i;
      return table;
    }
  }
  return nullptr;
}

Status Catalog::Get(Bytes key, std::string* value) const {
  return store::MapStatus(store_->base()->Get(rocksdb::ReadOptions(), store_->system(),
                                              rocksdb::Slice(key.data(), key.size()), value));
}

Status Catalog::AutoIncrement(IndexId primary, uint64_t* next) const {
  *next = 0;
  const std::string key = IndexKey(RecordType::kAutoIncrement, primary);
  std::string value;
  Status status = Get(key, &value);
  if (status.code() == Code::kNotFound) return {};
  BASALT_RETURN_IF_ERROR(std::move(status));
  return DecodeAutoIncrement(key, value, next);
}

Status Catalog::AppendAutoIncrementMerge(rocksdb::WriteBatchBase* batch, IndexId primary,
                                         uint64_t next) const {
  // On the stack: this belongs to every insert into a table with an auto-increment column. The
  // bytes are those of IndexKey and EncodeAutoIncrement.
  char key[12];
  StoreBigEndian32(key, static_cast<uint32_t>(RecordType::kAutoIncrement));
  StoreBigEndian32(key + 4, primary.column_family);
  StoreBigEndian32(key + 8, primary.number);
  char value[10];
  StoreBigEndian16(value, 1);
  StoreBigEndian64(value + 2, next);
  return store::MapStatus(batch->Merge(store_->system(), rocksdb::Slice(key, sizeof(key)),
                                       rocksdb::Slice(value, sizeof(value))));
}

Status Catalog::TableVersion(Bytes name, uint64_t* version) const {
  *version = 0;
  const std::string key = TableVersionKey(VersionPathOfTable(name));
  std::string value;
  Status status = Get(key, &value);
  if (status.code() == Code::kNotFound) return {};
  BASALT_RETURN_IF_ERROR(std::move(status));
  return DecodeTableVersion(key, value, version);
}

std::map<uint32_t, uint32_t> Catalog::ColumnFamilyFlags() const {
  ReaderLock lock(tables_mutex_);
  return column_family_flags_;
}

std::vector<IndexId> Catalog::DroppedIndexes() const {
  ReaderLock lock(tables_mutex_);
  return {dropped_.begin(), dropped_.end()};
}

bool Catalog::IsDropped(IndexId index) const {
  ReaderLock lock(tables_mutex_);
  return dropped_.contains(index);
}

Status Catalog::AppendReclaimed(rocksdb::WriteBatchBase* batch, IndexId index) const {
  for (const RecordType type : {RecordType::kIndexDrop, RecordType::kIndexBuild, RecordType::kIndex,
                                RecordType::kIndexStatistics, RecordType::kAutoIncrement}) {
    BASALT_RETURN_IF_ERROR(
        store::MapStatus(batch->Delete(store_->system(), IndexKey(type, index))));
  }
  return {};
}

void Catalog::ForgetDropped(IndexId index) {
  WriterLock lock(tables_mutex_);
  dropped_.erase(index);
  index_readable_from_.erase(index);
}

void Catalog::SetDropListener(std::function<void()> listener) {
  MutexLock lock(listener_mutex_);
  drop_listener_ = std::move(listener);
}

void Catalog::NotifyDropped() {
  // Called under the mutex of the listener itself, so that it is not gone when SetDropListener has
  // removed it.
  MutexLock lock(listener_mutex_);
  if (drop_listener_) drop_listener_();
}

uint64_t Catalog::NewIngestJobNumber() { return next_ingest_job_.fetch_add(1); }

Status Catalog::AppendIngestJob(rocksdb::WriteBatchBase* batch, const IngestJob& job) const {
  for (const IngestJob::File& file : job.files) {
    if (file.name.empty() || file.name.size() > UINT16_MAX ||
        file.name.find('/') != std::string::npos) {
      return Status(Code::kInvalidArgument, "'" + file.name + "' is no name for an ingested file");
    }
  }
  return store::MapStatus(
      batch->Put(store_->system(), IngestJobKey(job.number), EncodeIngestJob(job)));
}

Status Catalog::AppendRemoveIngestJob(rocksdb::WriteBatchBase* batch, uint64_t number) const {
  return store::MapStatus(batch->Delete(store_->system(), IngestJobKey(number)));
}

Status Catalog::PendingIngestJobs(std::vector<IngestJob>* jobs) const {
  jobs->clear();
  const std::string prefix = TypeKey(RecordType::kIngestJob);
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> iterator(
      store_->base()->NewIterator(options, store_->system()));
  for (iterator->Seek(prefix); iterator->Valid() && iterator->key().starts_with(prefix);
       iterator->Next()) {
    IngestJob job;
    BASALT_RETURN_IF_ERROR(
        DecodeIngestJob(Bytes(iterator->key().data(), iterator->key().size()),
                        Bytes(iterator->value().data(), iterator->value().size()), &job));
    jobs->push_back(std::move(job));
  }
  return store::MapStatus(iterator->status(), "reading ingest jobs");
}

uint32_t Catalog::maximum_index_number() const {
  ReaderLock lock(tables_mutex_);
  return maximum_index_number_;
}

}  // namespace basalt::catalog
