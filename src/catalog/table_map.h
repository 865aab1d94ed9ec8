// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "catalog/table_record.h"

namespace basalt::catalog {

class CatalogChange;

using TableRecordPointer = std::shared_ptr<const TableRecord>;
using TablesByName = std::map<std::string, TableRecordPointer, std::less<>>;

// Whether there are partitions of the table `name` among these.
bool HasPartitions(const TablesByName& tables, Bytes name);

// The tables of the dictionary in memory, by TableRecord::name. A part of the catalog: everybody
// looks, only the catalog's changes change it.
//
// Thread-safety: any thread. A look takes a shared lock, or needs it where that is said.
class TableMap {
 public:
  explicit TableMap(TablesByName tables) : tables_(std::move(tables)) {}
  TableMap(const TableMap&) = delete;
  TableMap& operator=(const TableMap&) = delete;

  // Null when there is none.
  TableRecordPointer Find(Bytes name) const;
  // In the order of their names.
  std::vector<TableRecordPointer> All() const;
  // The partitions that `whole`, as by WholeOf, stands for, in the order of their names.
  std::vector<TableRecordPointer> Partitions(Bytes whole) const;
  // The table an index belongs to, and its position there; null when no table has it.
  TableRecordPointer FindIndex(IndexId index, size_t* position) const;
  // Whether `name` is that of a partition, and its table has another one.
  bool HasOtherPartition(Bytes name) const;
  // Whether there is a table or a partitioned table of this name.
  bool IsTable(Bytes name) const;
  // The tables of a database, in the order of their names, without it and without partitions.
  std::vector<std::string> NamesIn(Bytes database) const;

  // --- For parts of the catalog whose content belongs to that of the tables at one moment: the
  // mutex guards them, too. It is taken after the catalog's own. ---
  SharedMutex& mutex() const BASALT_RETURNS_MUTEX(mutex_) { return mutex_; }
  const TablesByName& records() const BASALT_REQUIRES_SHARED(mutex_) { return tables_; }
  // Takes over what a change that is on disk says of tables.
  void TakeOver(CatalogChange* change) BASALT_REQUIRES(mutex_);

 private:
  mutable SharedMutex mutex_;
  TablesByName tables_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::catalog
