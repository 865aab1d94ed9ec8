// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/write_batch_base.h>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/dictionary_summary.h"
#include "catalog/ingest_job.h"
#include "catalog/table_definition.h"
#include "catalog/table_record.h"
#include "catalog/temporary_tables.h"
#include "store/store.h"

namespace basalt::catalog {

// The data dictionary: which tables and indexes exist, kept in the column family `__system__` and
// mirrored in memory. Bytes: docs/format/dictionary.md.
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
  std::shared_ptr<const TableRecord> FindTable(Bytes name) const;
  // All tables in the order of their names.
  std::vector<std::shared_ptr<const TableRecord>> Tables() const;
  // The table an index belongs to, and its position there; null when no table has it. Linear in
  // the number of tables: for statistics and messages, not for rows.
  std::shared_ptr<const TableRecord> FindIndex(IndexId index, size_t* position) const;

  // The first sequence number of the store from which a snapshot sees the table as it is: rows of
  // indexes that are newer than a snapshot are not in it. 0 for a table that has been as it is
  // since the store was opened, for no snapshot is older. Not on disk.
  uint64_t ReadableFrom(Bytes name) const;
  // The first sequence number for an index that was built later than the rest of its table.
  uint64_t ReadableFrom(IndexId index) const;

  // Makes a table: numbers for its indexes, missing column families, and the record. `requests` in
  // key_info order, hidden primary key last, exactly one primary or hidden primary among them.
  // `auto_increment` is the first value to hand out, 0 = none given; `definition` is kept as by
  // StoreDefinition, null = none. kInvalidArgument when the table exists or a column family's name
  // is reserved.
  Status CreateTable(Bytes name, const std::vector<IndexRequest>& requests, uint64_t auto_increment,
                     std::shared_ptr<const TableRecord>* table,
                     const TableDefinition* definition = nullptr);
  // Removes the record and queues the indexes for the reclaimer. kNotFound when there is none.
  Status DropTable(Bytes name);
  // kNotFound when `from` does not exist, kInvalidArgument when `to` does. The server renames a
  // partitioned table partition by partition; the first one takes all others along, so that a crash
  // finds them under one name, and renaming those is Ok without effect.
  Status RenameTable(Bytes from, Bytes to);
  // Empties a table: gives it new, empty indexes of the same shape and queues the old ones for the
  // reclaimer, in one step. `auto_increment` as in CreateTable. `table` may be null.
  Status TruncateTable(Bytes name, uint64_t auto_increment,
                       std::shared_ptr<const TableRecord>* table);

  // --- Adding and dropping indexes in place: Begin, fill the new indexes, then Commit or Abort ---
  // Gives numbers to indexes that are going to be built. They belong to no table yet; if the
  // process dies before the commit, they are dropped at the next start.
  Status BeginIndexBuild(const std::vector<IndexRequest>& requests,
                         std::vector<IndexRecord>* built);
  // Gives each of these tables (several: all partitions of one) the indexes in its record, kept and
  // built ones in key_info order. Those of the old record that are missing in it are queued for the
  // reclaimer; the table's version grows by one and it gets `definition`, unless that is null. Also
  // right for pure drops, without BeginIndexBuild.
  Status ReplaceIndexes(const std::vector<TableRecord>& replacements,
                        const TableDefinition* definition = nullptr);
  // Gives up a build: queues its indexes for the reclaimer.
  Status AbortIndexBuild(const std::vector<IndexRecord>& built);

  // --- Auto-increment, kept under the primary or hidden primary key ---
  // The next value to hand out; 0 when the dictionary has none (derive it from the data then).
  Status AutoIncrement(IndexId primary, uint64_t* next) const;
  // Adds "the next value is at least `next`" to the batch of the rows that used the values before.
  // Works on a transaction's batch as well. Cheap; no lock.
  Status AppendAutoIncrementMerge(rocksdb::WriteBatchBase* batch, IndexId primary,
                                  uint64_t next) const;
  // Sets the value, also to a smaller one (ALTER TABLE ... AUTO_INCREMENT). Durable on return.
  Status SetAutoIncrement(IndexId primary, uint64_t next);

  // --- Versions, by table name; a partition's name stands for its table ---
  // 0 when never bumped.
  Status TableVersion(Bytes name, uint64_t* version) const;

  // --- The server's definitions; a partition's name, or that of all of them as by WholeOf, stands
  // for its table. catalog_definitions.cc. They follow their tables through renames, truncates and
  // drops. A table's name means the partitions only when there is no table of that name itself. ---
  // kNotFound when there is none, or only one of an earlier table of that name.
  Status Definition(Bytes name, TableDefinition* definition) const;
  // Keeps it for an existing table (else kNotFound), with `sync` durable on return. The
  // primary_number in it is ignored.
  Status StoreDefinition(Bytes name, const TableDefinition& definition, bool sync);
  // Whether the definition that is kept has this identity. No I/O.
  bool HasDefinition(Bytes name, Bytes identity) const;
  // Whether this identity is that of another table's definition: a crash has mixed up the files. No
  // I/O; looks through all definitions.
  bool IsDefinitionOfAnother(Bytes name, Bytes identity) const;
  // The identity of each definition that is kept, by table or WholeOf its partitions.
  std::map<std::string, std::string> DefinitionIdentities() const;
  // Whether there is a table or a partitioned table of this name.
  bool IsTable(Bytes name) const;
  // The tables of a database, in the order of their names, without it and without partitions.
  std::vector<std::string> TablesOf(Bytes database) const;

  // The flags of each column family that has a record, by its id.
  std::map<uint32_t, uint32_t> ColumnFamilyFlags() const;
  // Drops a column family that no index is in, not even a dropped one whose space is not free yet.
  // No prepared transaction may have writes for it. kNotFound when there is none of that name,
  // kInvalidArgument when it is in use (the message says by what) or the engine's own.
  Status DropColumnFamily(const std::string& name);

  // --- Dropped indexes, for the reclaimer ---
  std::vector<IndexId> DroppedIndexes() const;
  bool IsDropped(IndexId index) const;
  // Queues those of the indexes that no table has: a transaction that was prepared before they were
  // dropped has written into them after the reclaimer was there.
  Status DropLeftBehind(const std::set<IndexId>& indexes);
  // Adds the removal of every record of a dropped index to the batch; call ForgetDropped after the
  // batch has been written.
  Status AppendReclaimed(rocksdb::WriteBatchBase* batch, IndexId index) const;
  void ForgetDropped(IndexId index);
  // Called whenever indexes were queued, outside the locks of tables and changes; the listener must
  // not call SetDropListener. One listener; empty removes it, and returns when it is not running.
  void SetDropListener(std::function<void()> listener);

  // --- Ingest jobs, see IngestJob ---
  // A number no other job has, also across restarts.
  uint64_t NewIngestJobNumber();
  Status AppendIngestJob(rocksdb::WriteBatchBase* batch, const IngestJob& job) const;
  Status AppendRemoveIngestJob(rocksdb::WriteBatchBase* batch, uint64_t number) const;
  // Committed jobs that were not removed yet, by number.
  Status PendingIngestJobs(std::vector<IngestJob>* jobs) const;

  // Tables of single connections, of which the dictionary has no record.
  TemporaryTables* temporary_tables() { return &temporary_tables_; }

  store::Store* store() const { return store_; }
  // What Load found and did.
  const DictionarySummary& summary() const { return summary_; }
  // Highest index number ever given out.
  uint32_t maximum_index_number() const;

 private:
  class Loader;
  class Change;
  explicit Catalog(store::Store* store);

  // All of these need ddl_mutex_.
  Status NumberIndexes(const std::vector<IndexRequest>& requests, Change* change,
                       std::vector<IndexRecord>* indexes);
  Status PrepareColumnFamily(const IndexRequest& request, Change* change, uint32_t* id);
  Status Commit(Change* change, bool sync = true);
  bool HasOtherPartition(Bytes name) const;
  using TableRecordPointer = std::shared_ptr<const TableRecord>;
  Status TablesToRename(Bytes from, Bytes to, std::vector<TableRecordPointer>* tables) const;
  Status MoveVersion(Bytes from, Bytes to, Change* change) const;
  void NoteRename(const std::string& from, const std::string& to);
  Status ReplaceIndexes(const TableRecord& replacement, Change* change,
                        std::vector<IndexId>* added) const;
  void NoteNewIndexes(const std::vector<IndexId>& added);
  Status UserOfColumnFamily(uint32_t id, std::string* user) const;
  // With tables_mutex_ or ddl_mutex_: whether there are partitions of this table, what a name
  // stands for, and whether a definition with this number is that of the table or partitions.
  bool IsPartitioned(Bytes name) const;
  std::string DefinedAs(Bytes name) const;
  bool IsDefinitionOf(uint32_t primary_number, Bytes whole) const;
  // Definitions, as parts of a change; what is wrong with the record on disk only means that there
  // is none.
  Status PutDefinition(Bytes name, const TableRecord* table, const TableDefinition* definition,
                       Change* change) const;
  void RebindDefinition(const TableRecord& table, Change* change) const;
  void MoveDefinition(Bytes from, Bytes to, Change* change) const;
  void DropDefinition(Bytes name, Change* change) const;
  void NoteNewContent(Bytes name);
  void NotifyDropped();

  Status Get(Bytes key, std::string* value) const;

  store::Store* const store_;
  TemporaryTables temporary_tables_;
  DictionarySummary summary_;  // set once, by Load
  // One change at a time; taken before tables_mutex_. Changes take both, so that a look needs only
  // one of them. clang cannot say that: what looks under ddl_mutex_ alone, and the loader, whose
  // catalog nobody else has yet, is BASALT_UNCHECKED_LOCKS.
  Mutex ddl_mutex_;

  mutable SharedMutex tables_mutex_;
  std::map<std::string, std::shared_ptr<const TableRecord>, std::less<>> tables_
      BASALT_GUARDED_BY(tables_mutex_);
  std::map<uint32_t, uint32_t> column_family_flags_ BASALT_GUARDED_BY(tables_mutex_);
  std::set<IndexId> dropped_ BASALT_GUARDED_BY(tables_mutex_);
  std::map<std::string, uint64_t, std::less<>> readable_from_ BASALT_GUARDED_BY(tables_mutex_);
  std::map<IndexId, uint64_t> index_readable_from_ BASALT_GUARDED_BY(tables_mutex_);
  std::map<std::string, std::string, std::less<>> definitions_
      BASALT_GUARDED_BY(tables_mutex_);  // by WholeOf -> identity
  uint32_t maximum_index_number_ BASALT_GUARDED_BY(tables_mutex_) = kFirstUserIndexNumber - 1;

  Mutex listener_mutex_;
  std::function<void()> drop_listener_ BASALT_GUARDED_BY(listener_mutex_);
  std::atomic<uint64_t> next_ingest_job_{1};
};

}  // namespace basalt::catalog
