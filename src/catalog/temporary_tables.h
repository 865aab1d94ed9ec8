// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/table_record.h"
#include "store/store.h"

namespace basalt::catalog {

// Temporary tables: each belongs to one connection and goes with it. Their records are in memory
// only, and their rows are in a column family of their own that is never logged and is emptied
// whenever the store opens. So a crash leaves no trace of them, and the dictionary never hears of
// them. Index numbers are of that column family alone and begin anew with each process.
//
// Thread-safety: any thread. The caller sees to it that nobody uses a table while it is dropped or
// emptied.
class TemporaryTables {
 public:
  static constexpr char kColumnFamilyName[] = "__temporary__";

  // `store` must outlive this.
  explicit TemporaryTables(store::Store* store) : store_(store) {}
  TemporaryTables(const TemporaryTables&) = delete;
  TemporaryTables& operator=(const TemporaryTables&) = delete;

  // Drops what an earlier process left behind. Called once, before the first table is made.
  Status Reset();

  // Makes a table with these indexes, in key_info order with a hidden primary key last, and gives
  // them their ids; makes the column family at first use. `name` is whatever the server calls it
  // by. kInvalidArgument when there is one of that name.
  Status Create(Bytes name, std::vector<IndexRecord> indexes);
  // Null when there is none.
  std::shared_ptr<const TableRecord> Find(Bytes name) const;
  // Forgets a table and returns its record, whose rows are still there: for Reclaim, once no
  // transaction can write any more of them. kNotFound when there is none.
  Status Drop(Bytes name, std::shared_ptr<const TableRecord>* dropped);
  // Drops a table and puts an empty one of the same shape in its place.
  Status Truncate(Bytes name, std::shared_ptr<const TableRecord>* dropped);
  // Deletes the rows of a table that was dropped or truncated. What an error keeps goes when the
  // store opens next.
  Status Reclaim(const TableRecord& dropped);

  // Is this the column family of temporary tables? Cheap.
  bool Holds(const rocksdb::ColumnFamilyHandle* family) const { return family == family_.load(); }

 private:
  Status GetOrCreateFamily(rocksdb::ColumnFamilyHandle** family);
  Status Number(std::vector<IndexRecord>* indexes) BASALT_REQUIRES(mutex_);
  Status DeleteFewKeys(Bytes begin, Bytes end, bool* done);
  Status Write(rocksdb::WriteBatch* batch);

  store::Store* const store_;
  std::atomic<rocksdb::ColumnFamilyHandle*> family_{nullptr};
  mutable Mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const TableRecord>> tables_
      BASALT_GUARDED_BY(mutex_);
  uint32_t next_number_ BASALT_GUARDED_BY(mutex_) = kFirstUserIndexNumber;
};

}  // namespace basalt::catalog
