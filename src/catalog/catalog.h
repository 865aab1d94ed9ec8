// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/auto_increments.h"
#include "catalog/column_family_records.h"
#include "catalog/dictionary_summary.h"
#include "catalog/dropped_indexes.h"
#include "catalog/foreign_keys.h"
#include "catalog/ingest_jobs.h"
#include "catalog/stored_definitions.h"
#include "catalog/table_definition.h"
#include "catalog/table_map.h"
#include "catalog/table_record.h"
#include "catalog/table_visibility.h"
#include "catalog/temporary_tables.h"
#include "store/store.h"

namespace basalt::catalog {

class CatalogChange;
struct DictionaryContent;

// The data dictionary: which tables and indexes exist, kept in the column family `__system__` and
// mirrored in memory. Bytes: docs/format/dictionary.md. The catalog itself finds tables and makes
// the changes of the dictionary; what else the dictionary knows is asked of its parts.
//
// Every change of tables or indexes is one batch, durable when the function returns Ok; after a
// crash it has happened as a whole or not at all. When such a function fails, memory is as before;
// if what failed was the write itself, the store has stopped taking writes and only the next start
// tells whether the change reached the disk.
//
// Thread-safety: all functions, from any thread. Finding a table takes a shared lock; changes are
// serialised by one mutex, which is never held while a table is being read. The caller (the server,
// with its metadata locks) sees to it that nobody uses a table that is dropped, renamed or changed.
class Catalog {
 public:
  // Validates a dictionary without changing anything, as Load does before its first write.
  static Status Check(const DictionarySource& source, DictionarySummary* summary);
  // Reads and validates the whole dictionary. kCorruption names the record that is wrong. Index
  // builds that a crash cut off become drops. The store must outlive the catalog.
  static Status Load(store::Store* store, std::unique_ptr<Catalog>* catalog);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  // --- Tables. Names as in TableRecord::name. ---
  // Null when there is none. The record stays valid as long as the caller keeps it.
  TableRecordPointer FindTable(Bytes name) const { return tables_.Find(name); }
  // All tables in the order of their names.
  std::vector<TableRecordPointer> Tables() const { return tables_.All(); }
  // The table an index belongs to, and its position there; null when no table has it. Linear in
  // the number of tables: for statistics and messages, not for rows.
  TableRecordPointer FindIndex(IndexId index, size_t* position) const {
    return tables_.FindIndex(index, position);
  }
  // Whether there is a table or a partitioned table of this name.
  bool IsTable(Bytes name) const { return tables_.IsTable(name); }
  // The tables of a database, in the order of their names, without it and without partitions.
  std::vector<std::string> TablesOf(Bytes database) const { return tables_.NamesIn(database); }
  // How often ALTER has changed the table; 0: never. A partition's name stands for its table.
  Status TableVersion(Bytes name, uint64_t* version) const;

  // Makes a table: numbers for its indexes, missing column families, and the record. `requests` in
  // key_info order, hidden primary key last, exactly one primary or hidden primary among them.
  // `auto_increment` is the first value to hand out, 0 = none given; `definition` is kept as by
  // StoreDefinition, null = none, as `foreign_keys` are. kInvalidArgument when the table exists or
  // a column family's name is reserved; for foreign keys see ForeignKeys::AppendPut.
  Status CreateTable(Bytes name, const std::vector<IndexRequest>& requests, uint64_t auto_increment,
                     TableRecordPointer* table, const TableDefinition* definition = nullptr,
                     const ForeignKeySet* foreign_keys = nullptr);
  // Removes the record and queues the indexes for the reclaimer. kNotFound when there is none.
  Status DropTable(Bytes name);
  // kNotFound when `from` does not exist, kInvalidArgument when `to` does. The server renames a
  // partitioned table partition by partition; the first one takes all others along, so that a crash
  // finds them under one name, and renaming those is Ok without effect. `names` are those of a
  // child with foreign keys.
  Status RenameTable(Bytes from, Bytes to, const ChildNames& names = {});
  // Empties a table: gives it new, empty indexes of the same shape and queues the old ones for the
  // reclaimer, in one step. `auto_increment` as in CreateTable. `table` may be null.
  Status TruncateTable(Bytes name, uint64_t auto_increment, TableRecordPointer* table);
  // Keeps the server's definition of an existing table (else kNotFound), with `sync` durable on
  // return. A partition's name stands for its table. The primary_number in it is ignored.
  Status StoreDefinition(Bytes name, const TableDefinition& definition, bool sync);
  // Gives tables new foreign keys, and the first argument's table, unless it is null, a definition.
  // kNotFound when one of the tables does not exist; else as ForeignKeys::AppendPut.
  Status ReplaceForeignKeys(const NewForeignKeys& foreign_keys, Bytes name,
                            const TableDefinition* definition);

  // --- Adding and dropping indexes in place: Begin, fill the new indexes, then Commit or Abort ---
  // Gives numbers to indexes that are going to be built. They belong to no table yet; if the
  // process dies before the commit, they are dropped at the next start.
  Status BeginIndexBuild(const std::vector<IndexRequest>& requests,
                         std::vector<IndexRecord>* built);
  // Gives each of these tables (several: all partitions of one) the indexes in its record, kept and
  // built ones in key_info order. Those of the old record that are missing in it are queued for the
  // reclaimer; the version grows by one, and the table gets `definition` unless null. So are pure
  // drops made. `foreign_keys` as in ReplaceForeignKeys. Another primary index makes the table new.
  Status ReplaceIndexes(const std::vector<TableRecord>& replacements,
                        const TableDefinition* definition = nullptr,
                        const NewForeignKeys& foreign_keys = {});
  // Gives up a build, or indexes of it: queues them for the reclaimer.
  Status AbortIndexBuild(const std::vector<IndexRecord>& built);
  // Queues those of the indexes that no table has and that are not being built: a transaction that
  // was prepared before they were dropped has written into them after the reclaimer was there.
  Status DropLeftBehind(const std::set<IndexId>& indexes);

  // Drops a column family that no index is in, not even a dropped one whose space is not free yet.
  // No prepared transaction may have writes for it. kNotFound when there is none of that name,
  // kInvalidArgument when it is in use (the message says by what) or the engine's own.
  Status DropColumnFamily(const std::string& name);

  // --- The parts. They live as long as the catalog. ---
  const StoredDefinitions& definitions() const { return definitions_; }
  const ForeignKeys& foreign_keys() const { return foreign_keys_; }
  const TableVisibility& visibility() const { return visibility_; }
  const ColumnFamilyRecords& column_families() const { return column_families_; }
  const AutoIncrements& auto_increments() const { return auto_increments_; }
  DroppedIndexes& dropped_indexes() { return dropped_indexes_; }
  IngestJobs& ingest_jobs() { return ingest_jobs_; }
  // Tables of single connections, of which the dictionary has no record.
  TemporaryTables* temporary_tables() { return &temporary_tables_; }

  store::Store* store() const { return store_; }
  // What Load found and did.
  const DictionarySummary& summary() const { return summary_; }
  // Highest index number ever given out.
  uint32_t maximum_index_number() const { return maximum_index_number_.load(); }

 private:
  Catalog(store::Store* store, DictionaryContent content);

  Status NumberIndexes(const std::vector<IndexRequest>& requests, CatalogChange* change,
                       std::vector<IndexRecord>* indexes) BASALT_REQUIRES(ddl_mutex_);
  Status Commit(CatalogChange* change, bool sync = true) BASALT_REQUIRES(ddl_mutex_);
  Status TablesToRename(Bytes from, Bytes to, std::vector<TableRecordPointer>* tables) const
      BASALT_REQUIRES(ddl_mutex_);
  Status MoveVersion(Bytes from, Bytes to, CatalogChange* change) const BASALT_REQUIRES(ddl_mutex_);
  Status ReplaceIndexes(const TableRecord& replacement, CatalogChange* change,
                        std::vector<IndexId>* added) const BASALT_REQUIRES(ddl_mutex_);
  Status UserOfColumnFamily(uint32_t id, std::string* user) const BASALT_REQUIRES(ddl_mutex_);

  store::Store* const store_;
  TemporaryTables temporary_tables_;
  const DictionarySummary summary_;
  // One change at a time: who holds it sees no other change. Taken before the parts' locks.
  Mutex ddl_mutex_;
  TableMap tables_;
  StoredDefinitions definitions_;
  ForeignKeys foreign_keys_;
  ColumnFamilyRecords column_families_;
  TableVisibility visibility_;
  DroppedIndexes dropped_indexes_;
  AutoIncrements auto_increments_;
  IngestJobs ingest_jobs_;
  std::set<IndexId> building_ BASALT_GUARDED_BY(ddl_mutex_);  // begun here, with no table so far
  std::atomic<uint32_t> maximum_index_number_;                // changes under ddl_mutex_
};

}  // namespace basalt::catalog
