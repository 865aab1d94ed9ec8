// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "catalog/dictionary_content.h"
#include "catalog/dictionary_summary.h"
#include "catalog/foreign_key.h"
#include "catalog/table_definition.h"
#include "catalog/table_record.h"

namespace basalt::catalog {

class CatalogChange;

// Reads the dictionary at start: every record once, then what they say about each other, then the
// few repairs that a crash (or the old engine) makes necessary, as one change. Writes nothing
// itself.
//
// One thread. Borrows source and content.
class DictionaryLoader {
 public:
  // `content` is new and empty.
  DictionaryLoader(const DictionarySource& source, DictionaryContent* content)
      : source_(source), content_(content) {}

  // Fills the content. kCorruption names the record that is wrong; then the content is half filled
  // and must be thrown away.
  Status Read();
  // After Read: adds the repairs to the change, which has an empty batch if there are none.
  // `default_family`: the id of the column family `default`.
  void Repair(uint32_t default_family, CatalogChange* change);

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
  // Type 0x40000003. A bad one is refused: without it rows without a parent would come in.
  Status ReadForeignKeys(Bytes key, Bytes value);
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

  // Which foreign keys are those of tables; the others are removed.
  void AssignForeignKeys();

  // Counts what was read, for the log.
  void Summarize();

  const DictionarySource& source_;
  DictionaryContent* const content_;
  std::map<std::string, std::vector<IndexId>> table_indexes_;
  std::map<IndexId, IndexRecord> indexes_;
  std::map<std::string, TableDefinition> definitions_;  // without the files
  std::set<std::string> stale_definitions_;
  std::map<std::string, std::shared_ptr<ForeignKeySet>> foreign_keys_;  // by child
  std::set<std::string> stale_foreign_keys_;
  std::set<IndexId> built_;
  std::set<IndexId> in_tables_;
  std::set<uint32_t> column_families_in_use_;
  uint32_t recorded_maximum_ = 0;
  uint64_t highest_job_ = 0;
};

}  // namespace basalt::catalog
