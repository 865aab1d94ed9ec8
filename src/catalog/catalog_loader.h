// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace basalt::catalog {

// Reads the dictionary at start: every record once, then what they say about each other, then the
// few repairs that a crash (or the old engine) makes necessary, in one batch. Nothing is written
// before everything has been validated.
class Catalog::Loader {
 public:
  // `catalog` is new and empty, and nobody else knows it yet: no locks are taken.
  Loader(Catalog* catalog, const DictionarySource& source) : catalog_(catalog), source_(source) {}

  // Fills the catalog and its summary; writes nothing. On failure the catalog is half filled and
  // must be thrown away.
  Status Read();
  // After Read: makes the repairs, in one batch if there are any. Needs the catalog's store.
  Status Repair();

 private:
  // One pass over the column family; afterwards the members below hold what was found.
  Status ReadRecords();
  // One record, by its type. Types nobody knows are passed over.
  Status ReadRecord(Bytes key, Bytes value);
  // Type 2.
  Status ReadIndexRecord(Bytes key, Bytes value);
  // The type of Basalt's own; a job must be possible to run.
  Status ReadIngestJob(Bytes key, Bytes value);
  // Type 0x40000002. Bad ones count as absent and are removed.
  void ReadDefinition(Bytes key, Bytes value);
  // Types 5 and 8; the value says nothing.
  Status ReadDropOrBuild(Bytes key, std::set<IndexId>* indexes);
  // This index number is taken, whatever the record of the highest one says.
  void NoteNumber(uint32_t number);

  // The tables from their records and those of their indexes.
  Status AssembleTables();
  // Adds one index to the table's record after checking what can be checked.
  Status AssembleIndex(const std::string& table, IndexId id, TableRecord* record);
  // The column family exists and runs the way its record says.
  Status CheckColumnFamily(const std::string& table, IndexId id);

  // Which definitions are those of tables; the others are removed.
  void AssignDefinitions();

  // Counts what was read, for the log.
  void Summarize();

  Catalog* const catalog_;
  const DictionarySource& source_;
  std::map<std::string, std::vector<IndexId>> table_indexes_;
  std::map<IndexId, IndexRecord> indexes_;
  std::map<std::string, TableDefinition> definitions_;  // without the files
  std::set<std::string> stale_definitions_;
  std::set<IndexId> built_;
  std::set<IndexId> in_tables_;
  std::set<uint32_t> column_families_in_use_;
  uint32_t recorded_maximum_ = 0;
  uint64_t highest_job_ = 0;
};

}  // namespace basalt::catalog
