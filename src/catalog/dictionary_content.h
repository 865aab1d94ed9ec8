// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "base/index_id.h"
#include "catalog/dictionary_summary.h"
#include "catalog/foreign_key_map.h"
#include "catalog/stored_definitions.h"
#include "catalog/table_map.h"

namespace basalt::catalog {

// What the records of a whole dictionary say, as its loader has read it and before the parts of the
// catalog have got it.
struct DictionaryContent {
  TablesByName tables;
  StoredDefinitions::Identities definitions;
  ForeignKeyMap foreign_keys;
  std::map<uint32_t, uint32_t> column_family_flags;  // by the column family's id
  std::set<IndexId> dropped;
  uint32_t maximum_index_number = kFirstUserIndexNumber - 1;  // ever given out
  uint64_t next_ingest_job = 1;                               // IngestJob::number
  DictionarySummary summary;
};

}  // namespace basalt::catalog
