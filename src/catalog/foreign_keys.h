// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/foreign_key.h"
#include "catalog/foreign_key_map.h"
#include "catalog/table_map.h"
#include "catalog/table_record.h"

namespace basalt::catalog {

class CatalogChange;

// The constraints that some children are to have: by child, all of each; an empty set for none.
using NewForeignKeys = std::map<std::string, ForeignKeySet>;

// The names of a child before and after a rename, without databases, in UTF-8: constraints whose
// names were made from one are given names made from the other.
struct ChildNames {
  std::string before;
  std::string after;
};

// The foreign keys of all tables. They follow their children through renames, truncates and drops,
// and their parents through renames. A part of the catalog: everybody reads, the catalog's changes
// write.
//
// Tables with temporary names (IsTemporaryName) are copies in the making, or what they have
// replaced: what they have counts for nobody but themselves.
//
// Thread-safety: any thread. What is read is that of the tables at one moment: both have one mutex.
class ForeignKeys {
 public:
  // Borrows the tables.
  ForeignKeys(const TableMap* tables, ForeignKeyMap map)
      : tables_(tables), map_(std::move(map)), empty_(map_.empty()) {}
  ForeignKeys(const ForeignKeys&) = delete;
  ForeignKeys& operator=(const ForeignKeys&) = delete;

  // Null when the table has none.
  ForeignKeyMap::Keys OfChild(Bytes child) const;
  // The tables with constraints to this one, which need not exist, in the order of their names.
  std::vector<std::string> ChildrenOf(Bytes parent) const;
  // Is there such a table? No lock where no table has constraints.
  bool IsParent(Bytes name) const;
  // The child that has a constraint of this name in this database; empty when there is none. Case
  // does not count.
  std::string OwnerOfName(Bytes database, Bytes name) const;
  // All children, in the order of their names.
  std::vector<std::string> Children() const;
  // Another number after each change of any constraint. No lock: what was looked up under one
  // number holds as long as it stays.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // --- What a change does to constraints, added to the change; one change at a time ---
  // The constraints of a child whose record will be `child`; null or empty: none. kInvalidArgument
  // when they cannot be kept, kDuplicateKey when another table has one of that name: the message is
  // the name.
  Status AppendPut(const TableRecord& child, const ForeignKeySet* set, CatalogChange* change) const;
  // As AppendPut, for children that exist; kNotFound when one does not.
  Status AppendPut(const NewForeignKeys& sets, CatalogChange* change) const;
  // A truncate: the same constraints, another primary key.
  void AppendRebind(const TableRecord& child, CatalogChange* change) const;
  // A rename, of a child or a parent or both. kDuplicateKey as in AppendPut.
  Status AppendMove(Bytes from, Bytes to, const ChildNames& names, CatalogChange* change) const;
  // A drop of a child. Constraints to a table that is dropped stay.
  void AppendDrop(Bytes child, CatalogChange* change) const;
  // Takes over what a change that is on disk says of constraints. The caller holds the mutex of the
  // tables, alone.
  void TakeOver(CatalogChange* change);

 private:
  Status CheckNames(Bytes child, Bytes former, const ForeignKeySet& set) const;
  Status AppendMoveOfChild(Bytes from, Bytes to, const ChildNames& names,
                           CatalogChange* change) const;
  void AppendMoveOfParent(Bytes from, Bytes to, CatalogChange* change) const;

  const TableMap* const tables_;
  ForeignKeyMap map_ BASALT_GUARDED_BY(tables_->mutex());
  std::atomic<uint64_t> generation_{1};
  std::atomic<bool> empty_;  // as map_ is, for who takes no lock
};

}  // namespace basalt::catalog
