// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/table_definition.h"
#include "catalog/table_map.h"
#include "catalog/table_record.h"
#include "store/store.h"

namespace basalt::catalog {

class CatalogChange;

// The server's definitions of tables, one for each: their identities in memory, the files in the
// dictionary. They follow their tables through renames, truncates and drops. A part of the catalog:
// everybody reads, the catalog's changes write (Catalog::StoreDefinition for a definition alone).
//
// A partition's name, or that of all of them as by WholeOf, stands for its table. A table's name
// means the partitions only when there is no table of that name itself.
//
// Thread-safety: any thread. What is read is that of the tables at one moment: both have one mutex.
class StoredDefinitions {
 public:
  using Identities = std::map<std::string, std::string, std::less<>>;

  // `identities` by table or WholeOf its partitions. Borrows the store and the tables.
  StoredDefinitions(store::Store* store, const TableMap* tables, Identities identities)
      : store_(store), tables_(tables), identities_(std::move(identities)) {}
  StoredDefinitions(const StoredDefinitions&) = delete;
  StoredDefinitions& operator=(const StoredDefinitions&) = delete;

  // kNotFound when there is none, or only one of an earlier table of that name.
  Status Read(Bytes name, TableDefinition* definition) const;
  // Whether the definition that is kept has this identity. No I/O.
  bool Has(Bytes name, Bytes identity) const;
  // Whether this identity is that of another table's definition: a crash has mixed up the files. No
  // I/O; looks through all definitions.
  bool IsOfAnother(Bytes name, Bytes identity) const;
  // The identity of each definition that is kept, by table or WholeOf its partitions.
  std::map<std::string, std::string> All() const;
  // Whether a definition with this TableDefinition::primary_number is that of the table, or of the
  // partitions, `whole` among these tables, and not of an earlier one.
  static bool Belongs(uint32_t primary_number, Bytes whole, const TablesByName& tables);

  // --- What a change does to definitions, added to the change; one change at a time. What is wrong
  // with the record on disk only means that there is none. ---
  // A definition for a table that is there, else kNotFound.
  Status AppendStore(Bytes name, const TableDefinition& definition, CatalogChange* change) const;
  // A definition for `table`, the record that `name` will have; null for a partitioned table.
  // kInvalidArgument when it cannot be kept. Without a definition nothing is added.
  Status AppendPut(Bytes name, const TableRecord* table, const TableDefinition* definition,
                   CatalogChange* change) const;
  // A truncate: the same definition, another primary key.
  void AppendRebind(const TableRecord& table, CatalogChange* change) const;
  // A rename: a table takes its definition along.
  void AppendMove(Bytes from, Bytes to, CatalogChange* change) const;
  // A drop: the definition goes with the table, or with its last partition.
  void AppendDrop(Bytes name, CatalogChange* change) const;
  // Takes over what a change that is on disk says of definitions. The caller holds the mutex of the
  // tables, alone.
  void TakeOver(CatalogChange* change);

 private:
  store::Store* const store_;
  const TableMap* const tables_;
  Identities identities_ BASALT_GUARDED_BY(tables_->mutex());
};

}  // namespace basalt::catalog
