// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/temporary_tables.h"

#include <rocksdb/convenience.h>
#include <rocksdb/write_batch.h>

#include <limits>
#include <utility>

#include "store/errors/status_map.h"

namespace basalt::catalog {
namespace {

// Up to so many rows are deleted one by one: a range deletion costs every later read of the column
// family a little, and connections come and go with small tables.
constexpr size_t kFewTemporaryKeys = 1024;

std::string KeyOf(uint32_t number) {
  std::string key;
  AppendBigEndian32(&key, number);
  return key;
}

Status NoSuchTemporaryTable(Bytes name) {
  return Status(Code::kNotFound, "there is no temporary table " + std::string(name));
}

}  // namespace

Status TemporaryTables::Write(rocksdb::WriteBatch* batch) { return store_->WriteUnlogged(batch); }

Status TemporaryTables::Reset() {
  rocksdb::ColumnFamilyHandle* family =
      store_->FindColumnFamily(std::string_view(kColumnFamilyName));
  if (family == nullptr) return Status::Ok();
  // Emptied, not dropped: handles of the store live until it closes.
  const std::string past_all = KeyOf(std::numeric_limits<uint32_t>::max());
  rocksdb::WriteBatch batch;
  batch.DeleteRange(family, rocksdb::Slice(), past_all);
  BASALT_RETURN_IF_ERROR(Write(&batch));
  rocksdb::Slice begin;
  rocksdb::Slice end(past_all);
  const rocksdb::Status deleted =
      rocksdb::DeleteFilesInRange(store_->base(), family, &begin, &end, true);
  family_.store(family);
  return store::MapStatus(deleted, "emptying the space of temporary tables");
}

Status TemporaryTables::GetOrCreateFamily(rocksdb::ColumnFamilyHandle** family) {
  *family = family_.load();
  if (*family != nullptr) return Status::Ok();
  BASALT_RETURN_IF_ERROR(store_->families().GetOrCreate(kColumnFamilyName, family));
  family_.store(*family);
  return Status::Ok();
}

Status TemporaryTables::Number(std::vector<IndexRecord>* indexes) {
  if (std::numeric_limits<uint32_t>::max() - 1 - next_number_ < indexes->size()) {
    return Status(Code::kInternal, "all numbers of temporary tables were used; restart the server");
  }
  for (IndexRecord& index : *indexes) index.id = IndexId{family_.load()->GetID(), next_number_++};
  return Status::Ok();
}

Status TemporaryTables::Create(Bytes name, std::vector<IndexRecord> indexes) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  BASALT_RETURN_IF_ERROR(GetOrCreateFamily(&family));
  auto table = std::make_shared<TableRecord>();
  table->name = name;
  table->indexes = std::move(indexes);
  MutexLock guard(mutex_);
  if (tables_.contains(table->name)) {
    return Status(Code::kInvalidArgument, "the temporary table " + table->name + " exists already");
  }
  BASALT_RETURN_IF_ERROR(Number(&table->indexes));
  tables_.emplace(table->name, table);
  return Status::Ok();
}

std::shared_ptr<const TableRecord> TemporaryTables::Find(Bytes name) const {
  MutexLock guard(mutex_);
  const auto found = tables_.find(std::string(name));
  return found == tables_.end() ? nullptr : found->second;
}

Status TemporaryTables::Drop(Bytes name, std::shared_ptr<const TableRecord>* dropped) {
  MutexLock guard(mutex_);
  const auto found = tables_.find(std::string(name));
  if (found == tables_.end()) return NoSuchTemporaryTable(name);
  *dropped = std::move(found->second);
  tables_.erase(found);
  return Status::Ok();
}

Status TemporaryTables::Truncate(Bytes name, std::shared_ptr<const TableRecord>* dropped) {
  MutexLock guard(mutex_);
  const auto found = tables_.find(std::string(name));
  if (found == tables_.end()) return NoSuchTemporaryTable(name);
  auto emptied = std::make_shared<TableRecord>(*found->second);
  BASALT_RETURN_IF_ERROR(Number(&emptied->indexes));
  *dropped = std::exchange(found->second, std::move(emptied));
  return Status::Ok();
}

Status TemporaryTables::DeleteFewKeys(Bytes begin, Bytes end, bool* done) {
  rocksdb::ReadOptions options;
  const rocksdb::Slice upper(end);
  options.iterate_upper_bound = &upper;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> row(
      store_->base()->NewIterator(options, family_.load()));
  rocksdb::WriteBatch batch;
  for (row->Seek(begin); row->Valid() && batch.Count() < kFewTemporaryKeys; row->Next()) {
    batch.Delete(family_.load(), row->key());
  }
  BASALT_RETURN_IF_ERROR(store::MapStatus(row->status(), "reading temporary tables"));
  *done = !row->Valid();
  if (!*done || batch.Count() == 0) return Status::Ok();
  return Write(&batch);
}

Status TemporaryTables::Reclaim(const TableRecord& dropped) {
  // The numbers of one table follow each other.
  const std::string begin = KeyOf(dropped.indexes.front().id.number);
  const std::string end = KeyOf(dropped.indexes.back().id.number + 1);
  bool done = false;
  BASALT_RETURN_IF_ERROR(DeleteFewKeys(begin, end, &done));
  if (done) return Status::Ok();
  // Whole files first, without reading them; the range deletion covers the rest.
  const rocksdb::Slice from(begin);
  const rocksdb::Slice to(end);
  BASALT_RETURN_IF_ERROR(store::MapStatus(
      rocksdb::DeleteFilesInRange(store_->base(), family_.load(), &from, &to, false),
      "freeing temporary tables"));
  rocksdb::WriteBatch batch;
  batch.DeleteRange(family_.load(), begin, end);
  return Write(&batch);
}

}  // namespace basalt::catalog
