// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "catalog/catalog.h"
#include "engine/database.h"
#include "engine/table.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/server_headers.h"

namespace basalt::server {

// A table that a foreign key ties to one that is written, and which the server has not opened: the
// parent of a child, or a child under RESTRICT. Immutable, shared by connections.
struct RelatedTable {
  catalog::TableRecordPointer record;  // what the dictionary said of it
  uint64_t generation = 0;             // of its foreign keys, see catalog::ForeignKeys
  std::shared_ptr<engine::Table> table;
  std::vector<std::string> columns;  // the names, in the order of the engine's descriptor

  // Has the dictionary still this table, with these indexes? A column that gets another name
  // changes foreign keys as well, and the names that count are those of today.
  bool IsCurrent(const catalog::Catalog& catalog, const std::string& name) const {
    return catalog.FindTable(name) == record && catalog.foreign_keys().generation() == generation;
  }
  // As FindColumns of a TABLE.
  std::optional<std::vector<uint32_t>> FindColumns(const catalog::ForeignKey& foreign,
                                                   Side side) const;
};
using RelatedTablePointer = std::shared_ptr<const RelatedTable>;

// Takes the metadata lock of a table that the statement does not name ("database.table", as in the
// dictionary). Returns 0, or a handler error after the client was told.
int LockRelatedTable(THD* thd, const std::string& name, enum_mdl_type type,
                     enum_mdl_duration duration);

// Opens the table, or finds it where another connection has it open. kNotFound when the engine has
// none. The caller has the metadata lock. Any thread of a connection.
Status FindRelatedTable(THD* thd, engine::Database* database, const std::string& name,
                        RelatedTablePointer* found);

}  // namespace basalt::server
