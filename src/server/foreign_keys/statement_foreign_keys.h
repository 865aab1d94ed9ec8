// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "catalog/foreign_key.h"
#include "server/server_headers.h"
#include "server/tables/file_names.h"

namespace basalt::server {

// The foreign keys of a statement: what CREATE TABLE and ALTER TABLE say of them. The server leaves
// them to the engine; its definition of a table has no place for them.

// The table that `form` is made for under this name of the dictionary. The server makes the copy of
// an ALTER under a temporary name; what it will be called the running statement says.
DisplayNames NamesOfNewTable(THD* thd, const TABLE& form, const std::string& name);

// The table that the running ALTER copies, as in the dictionary; empty when there is none.
std::string NameOfAlteredTable(THD* thd);

// Of those that an altered table has had, the ones that a copying ALTER keeps.
std::vector<catalog::ForeignKey> KeptForeignKeys(const Alter_info& alter,
                                                 const catalog::ForeignKeySet& before);
// Those that the statement adds to a child, in its order; names are empty where it has none.
// Nothing is checked. What an ALTER adds in place InnoDB shows with NO ACTION, where it says
// RESTRICT or SET DEFAULT.
std::vector<catalog::ForeignKey> ReadAddedForeignKeys(const Alter_info& alter,
                                                      const DisplayNames& child, bool in_place);
// Gives names to those without one. As in InnoDB numbers are higher than those that the table has
// had before the statement; names in the statement do not count.
void NameAddedForeignKeys(const DisplayNames& child, const catalog::ForeignKeySet& before,
                          std::vector<catalog::ForeignKey>* added);

}  // namespace basalt::server
