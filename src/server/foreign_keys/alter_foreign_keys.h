// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "catalog/foreign_keys.h"
#include "engine/database.h"
#include "server/server_headers.h"

namespace basalt::server {

// What an ALTER TABLE in place does to foreign keys: those that it adds and drops, and those whose
// columns it renames, of its own table and of the children of that. The statement's thread only.

// A table that is being altered. Borrows all but the name.
struct AlteredTable {
  std::string name;  // as in the dictionary
  const TABLE& before;
  const TABLE& after;
  const Alter_inplace_info& info;
};

// What the dictionary is to have after the statement: all foreign keys of the table itself, and of
// each child that names one of its columns by a name that changes. Empty when nothing changes.
// Foreign keys that are added without a name get one. Nothing is checked.
catalog::NewForeignKeys ForeignKeysAfter(const catalog::ForeignKeys& existing,
                                         const AlteredTable& table);

// Does the statement add foreign keys that its rows are checked for? Not with foreign_key_checks=0.
bool ChecksAddedForeignKeys(const THD* thd, const Alter_inplace_info& info);
// Those that the statement adds, with their names.
std::vector<catalog::ForeignKey> AddedForeignKeys(const catalog::ForeignKeys& existing,
                                                  const AlteredTable& table);

// Takes metadata locks on the tables that the statement changes something for, until it ends: of
// parents that get a child, nobody may write to them, or, with ChecksAddedForeignKeys, alter them;
// of children that follow a column's new name, nobody may alter them. What is locked already costs
// nothing. The first call is to be made while others may still use the altered table, else two
// statements wait for each other. Returns 0, or a handler error after the client has been told.
int LockRelatives(THD* thd, const catalog::ForeignKeys& existing, const AlteredTable& table);

// Can the statement do without a copy, as far as foreign keys are concerned? Locks the relatives.
// HA_ALTER_INPLACE_INSTANT says that nothing is against it; HA_ALTER_INPLACE_NOT_SUPPORTED comes
// with a reason, which lives as long as the server, or null; HA_ALTER_ERROR: the client has been
// told. Errors are those of InnoDB for what it does in place, though here it may need a copy. With
// foreign_key_checks=1 InnoDB copies a table for what it adds: what is wrong then, the copy tells.
enum_alter_inplace_result CheckForeignKeysInPlace(THD* thd, engine::Database* database,
                                                  const AlteredTable& table, const char** reason);

// Refuses a statement that takes from a foreign key, which it does not drop, a column or the last
// index, or that changes a column's type. Indexes may go with foreign_key_checks=0. To be asked
// again when nobody else can use the table any more. Returns 0, or a handler error after the client
// has been told.
int RefuseLosses(THD* thd, const catalog::ForeignKeys& existing, const AlteredTable& table);

// Tells the client that a name of a foreign key is in use. Returns a handler error.
int RefuseForeignKeyName(THD* thd, const std::string& child, const std::string& name);

}  // namespace basalt::server
