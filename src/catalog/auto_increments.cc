// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/auto_increments.h"

#include <string>
#include <utility>

#include <rocksdb/write_batch.h>

#include "catalog/dictionary_reader.h"
#include "catalog/dictionary_records.h"
#include "store/errors/status_map.h"

namespace basalt::catalog {

Status AutoIncrements::Read(IndexId primary, uint64_t* next) const {
  *next = 0;
  const std::string key = IndexKey(RecordType::kAutoIncrement, primary);
  std::string value;
  Status status = ReadRecord(store_, key, &value);
  if (status.code() == Code::kNotFound) return {};
  BASALT_RETURN_IF_ERROR(std::move(status));
  return DecodeAutoIncrement(key, value, next);
}

Status AutoIncrements::AppendMerge(rocksdb::WriteBatchBase* batch, IndexId primary,
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

Status AutoIncrements::Set(IndexId primary, uint64_t next) const {
  rocksdb::WriteBatch batch;
  BASALT_RETURN_IF_ERROR(store::MapStatus(batch.Put(
      store_->system(), IndexKey(RecordType::kAutoIncrement, primary), EncodeAutoIncrement(next))));
  return store_->Write(&batch, /*sync=*/true);
}

}  // namespace basalt::catalog
