// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/foreign_key.h"
#include "catalog/foreign_keys.h"
#include "server/server_headers.h"
#include "server/tables/find_column.h"

namespace basalt::server {

// The two tables of a foreign key, as the server defines them. Names of tables are those of the
// dictionary.

// Which of the names of a pair of columns: &Columns::child or &Columns::parent.
using Side = std::string catalog::ForeignKey::Columns::*;

// False with foreign_key_checks=0.
bool ChecksForeignKeys(const THD* thd);
// One of the actions puts NULL into the child's columns.
bool SetsNull(const catalog::ForeignKey& foreign);

// Does a NULL of the parent, which ON UPDATE CASCADE brings, matter to the definition? InnoDB looks
// at it where nothing happens ON DELETE.
bool KeepsNullOut(const catalog::ForeignKey& foreign);

// Names of foreign keys are the same whatever the case of their ASCII letters.
bool SameForeignKeyName(const std::string& one, const std::string& other);
// Names of columns are the same whatever the case of their letters.
bool SameColumnName(const char* one, const char* other);
// Of all columns of one side, in their order; none when one is missing.
std::optional<std::vector<uint32_t>> FindColumns(const TABLE& table,
                                                 const catalog::ForeignKey& foreign, Side side);
// Does a foreign key of the table, or one to it, have the column?
bool IsInForeignKey(const catalog::ForeignKeys& existing, const std::string& table,
                    const char* column);

}  // namespace basalt::server
