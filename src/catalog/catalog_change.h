// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/write_batch.h>

#include "base/bytes.h"
#include "base/index_id.h"
#include "catalog/dictionary_records.h"
#include "catalog/foreign_key.h"
#include "catalog/foreign_key_record.h"
#include "catalog/table_definition.h"
#include "catalog/table_record.h"

namespace basalt::catalog {

// One change of the dictionary in the making: the batch for the disk and, kept apart until the
// batch has been written, what the change means for the catalog's parts in memory. Used by one
// thread, under the catalog's mutex of changes.
class CatalogChange {
 public:
  // `system` is the column family of the dictionary; everything goes there.
  explicit CatalogChange(rocksdb::ColumnFamilyHandle* system) : system_(system) {}

  // A WriteBatch with no size limit refuses nothing; a status would only be in the way here.
  void Put(const std::string& key, const std::string& value) {
    batch.Put(system_, key, value).PermitUncheckedError();
  }
  // Deleting what is not there is allowed and does nothing.
  void Delete(const std::string& key) { batch.Delete(system_, key).PermitUncheckedError(); }

  // The table's record (type 1) with those of all its indexes (type 2); replaces an older one of
  // that name.
  void PutTable(std::shared_ptr<const TableRecord> table) {
    Put(TableKey(table->name), EncodeTable(table->indexes));
    for (const IndexRecord& index : table->indexes) PutIndex(index);
    std::string name = table->name;
    tables[std::move(name)] = std::move(table);
  }
  // Only the table's record; its indexes are dropped one by one.
  void DeleteTable(Bytes name) {
    Delete(TableKey(name));
    tables[std::string(name)] = nullptr;
  }
  // Record type 2.
  void PutIndex(const IndexRecord& index) {
    Put(IndexKey(RecordType::kIndex, index.id), EncodeIndex(index));
  }
  // Record type 5: the reclaimer will find the index. Its other records stay for it.
  void DropIndex(IndexId index) {
    Put(IndexKey(RecordType::kIndexDrop, index), EncodeMarker());
    dropped.push_back(index);
  }
  // Record type 0x40000002: the server's definition of a table; null removes it.
  void PutDefinition(Bytes name, const TableDefinition* definition) {
    if (definition == nullptr) {
      Delete(TableDefinitionKey(name));
      definitions[std::string(name)] = std::nullopt;
    } else {
      Put(TableDefinitionKey(name), EncodeTableDefinition(*definition));
      definitions[std::string(name)] = definition->identity;
    }
  }
  // Record type 0x40000003: the constraints of a child, all of them; null removes them. A second
  // one for the same child takes the place of the first, here as on disk.
  void PutForeignKeys(Bytes child, std::shared_ptr<const ForeignKeySet> keys) {
    if (keys == nullptr) {
      Delete(ForeignKeysKey(child));
    } else {
      Put(ForeignKeysKey(child), EncodeForeignKeys(*keys));
    }
    foreign_keys[std::string(child)] = std::move(keys);
  }
  // Record type 9: the first value a new table hands out; 0 = none given.
  void PutAutoIncrement(IndexId primary, uint64_t next) {
    if (next == 0) return;
    Put(IndexKey(RecordType::kAutoIncrement, primary), EncodeAutoIncrement(next));
  }
  // Record type 3.
  void PutColumnFamily(uint32_t id, uint32_t flags) {
    Put(ColumnFamilyKey(id), EncodeColumnFamily(flags));
    column_family_flags[id] = flags;
  }
  // Only the record; the caller drops the column family itself, after the change.
  void DeleteColumnFamily(uint32_t id) {
    Delete(ColumnFamilyKey(id));
    column_family_flags[id] = std::nullopt;
  }

  rocksdb::WriteBatch batch;
  // What the parts of the catalog take over when the batch is durable; null: removed.
  std::map<std::string, std::shared_ptr<const TableRecord>> tables;
  std::map<std::string, std::optional<std::string>> definitions;
  std::map<std::string, std::shared_ptr<const ForeignKeySet>> foreign_keys;
  std::map<uint32_t, std::optional<uint32_t>> column_family_flags;
  std::vector<IndexId> dropped;
  // Ends in more free space, so low space must not stop it.
  bool frees_space = false;

 private:
  rocksdb::ColumnFamilyHandle* const system_;
};

}  // namespace basalt::catalog
