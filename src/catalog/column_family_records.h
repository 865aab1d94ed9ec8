// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "catalog/table_record.h"
#include "store/store.h"

namespace basalt::catalog {

class CatalogChange;

// The dictionary's records of column families: for each that indexes are or were in, its flags
// (kColumnFamilyReverse and the others of dictionary_records.h). A part of the catalog: everybody
// reads, the catalog's changes write (Catalog::DropColumnFamily).
//
// Thread-safety: any thread. Its lock is the last one that is taken.
class ColumnFamilyRecords {
 public:
  // `flags` by the column family's id. Borrows the store.
  ColumnFamilyRecords(store::Store* store, std::map<uint32_t, uint32_t> flags)
      : store_(store), flags_(std::move(flags)) {}
  ColumnFamilyRecords(const ColumnFamilyRecords&) = delete;
  ColumnFamilyRecords& operator=(const ColumnFamilyRecords&) = delete;

  // The flags of each column family that has a record, by its id.
  std::map<uint32_t, uint32_t> All() const;

  // Gives the id of the column family that an index asks for. Makes it when missing, and adds its
  // record to the change when it has none. kInvalidArgument when the name is reserved.
  Status Prepare(const IndexRequest& request, CatalogChange* change, uint32_t* id) const;
  // Takes over what a change that is on disk says of column families.
  void TakeOver(const CatalogChange& change);

 private:
  store::Store* const store_;
  mutable SharedMutex mutex_;
  std::map<uint32_t, uint32_t> flags_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::catalog
