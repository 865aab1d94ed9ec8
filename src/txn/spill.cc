// SPDX-License-Identifier: GPL-2.0-only
#include "txn/spill.h"

#include <rocksdb/convenience.h>
#include <rocksdb/write_batch.h>

#include "store/errors/status_map.h"
#include "store/store.h"

namespace basalt::txn {
namespace {

void AppendLayer(const SpillLayer& layer, uint32_t family, std::string* out) {
  AppendBigEndian64(out, layer.number);
  AppendBigEndian32(out, family);
}

}  // namespace

void Spill::MakeKey(const SpillLayer& layer, uint32_t family, Bytes key, std::string* out) {
  out->clear();
  AppendLayer(layer, family, out);
  out->append(key);
}

Status Spill::Reset() {
  rocksdb::ColumnFamilyHandle* family =
      store_->FindColumnFamily(std::string_view(kColumnFamilyName));
  if (family == nullptr) return Status::Ok();
  // Emptied, not dropped: handles of the store live until it closes.
  const std::string past_all(kHeaderBytes, '\xff');
  rocksdb::WriteBatch batch;
  batch.DeleteRange(family, rocksdb::Slice(), past_all);
  BASALT_RETURN_IF_ERROR(Write(&batch));
  rocksdb::Slice begin;
  rocksdb::Slice end(past_all);
  const rocksdb::Status deleted =
      rocksdb::DeleteFilesInRange(store_->base(), family, &begin, &end, true);
  family_.store(family, std::memory_order_release);
  return store::MapStatus(deleted, "emptying the spill space");
}

Status Spill::EnsureFamily() {
  if (family() != nullptr) return Status::Ok();
  MutexLock guard(mutex_);
  if (family() != nullptr) return Status::Ok();
  rocksdb::ColumnFamilyHandle* created;
  BASALT_RETURN_IF_ERROR(store_->families().GetOrCreate(kColumnFamilyName, &created));
  family_.store(created, std::memory_order_release);
  return Status::Ok();
}

Status Spill::NewLayer(SpillLayer* layer) {
  BASALT_RETURN_IF_ERROR(EnsureFamily());
  *layer = {next_layer_.fetch_add(1), 0};
  return Status::Ok();
}

Status Spill::Write(rocksdb::WriteBatch* batch) { return store_->WriteUnlogged(batch); }

void Spill::Drop(const SpillLayer& layer) {
  std::string begin;
  std::string end;
  AppendBigEndian64(&begin, layer.number);
  AppendBigEndian64(&end, layer.number + 1);
  const rocksdb::Slice begin_slice(begin);
  const rocksdb::Slice end_slice(end);
  // Whole files first, without reading them; the tombstone covers the rest. Space that an error
  // keeps comes back when the store opens next, so there is nobody to tell.
  (void)rocksdb::DeleteFilesInRange(store_->base(), family(), &begin_slice, &end_slice, false);
  rocksdb::WriteBatch batch;
  batch.DeleteRange(family(), begin, end);
  (void)Write(&batch);
}

Status Spill::Get(const SpillLayer& layer, uint32_t family_id, Bytes key, std::string* value) {
  std::string spill_key;
  MakeKey(layer, family_id, key, &spill_key);
  const rocksdb::Status found =
      store_->base()->Get(rocksdb::ReadOptions(), family(), spill_key, value);
  if (found.IsNotFound()) return Status(Code::kNotFound);
  return store::MapStatus(found, "reading spilled changes");
}

std::unique_ptr<rocksdb::Iterator> Spill::NewIterator(const SpillLayer& layer, uint32_t family_id,
                                                      Bounds* bounds) {
  bounds->lower.clear();
  bounds->upper.clear();
  AppendLayer(layer, family_id, &bounds->lower);
  AppendLayer(layer, family_id + 1, &bounds->upper);
  bounds->lower_slice = bounds->lower;
  bounds->upper_slice = bounds->upper;
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  options.iterate_lower_bound = &bounds->lower_slice;
  options.iterate_upper_bound = &bounds->upper_slice;
  return std::unique_ptr<rocksdb::Iterator>(store_->base()->NewIterator(options, family()));
}

}  // namespace basalt::txn
