// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/dictionary_reader.h"

#include <memory>

#include <rocksdb/iterator.h>

#include "store/errors/status_map.h"

namespace basalt::catalog {

Status ReadRecord(store::Store* store, Bytes key, std::string* value) {
  return store::MapStatus(store->base()->Get(rocksdb::ReadOptions(), store->system(), key, value));
}

Status ReadRecords(store::Store* store, RecordType type, std::string_view purpose,
                   const std::function<Status(Bytes key, Bytes value)>& visit) {
  const std::string prefix = TypeKey(type);
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> record(
      store->base()->NewIterator(options, store->system()));
  for (record->Seek(prefix); record->Valid() && record->key().starts_with(prefix); record->Next()) {
    BASALT_RETURN_IF_ERROR(visit(record->key().ToStringView(), record->value().ToStringView()));
  }
  return store::MapStatus(record->status(), purpose);
}

}  // namespace basalt::catalog
