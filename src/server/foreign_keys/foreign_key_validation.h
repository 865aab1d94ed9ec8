// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "catalog/foreign_key.h"
#include "engine/database.h"
#include "server/server_headers.h"

namespace basalt::server {

// The table that is to have foreign keys.
struct NewChild {
  std::string name;   // as in the dictionary; of a copying ALTER the name that the copy will get
  const TABLE* form;  // what the table will be
  bool temporary = false;
  bool in_place = false;  // the foreign keys are added to a table that stays as it is
  // Others may write to the parents until the foreign keys are there: who adds them sees to it.
  bool under_writers = false;
};

// Checks the names of foreign keys that CREATE TABLE or a copying ALTER adds. Results as those of
// ValidateForeignKeys; 121 after a warning where another table has one of that name.
int ValidateNames(THD* thd, const catalog::Catalog& catalog, const NewChild& child,
                  std::vector<catalog::ForeignKey>* added);
// A name that was made may be too long: returns a handler error after it has told the client.
int CheckLengthOfName(const std::string& name);

// Checks what a statement defines, as InnoDB does: columns that exist, types that match, an index
// on each side that begins with the columns, no SET NULL on a column that cannot be. Takes the
// metadata locks of the parents, until the statement ends. With foreign_key_checks=0 a parent may
// be missing.
//
// Gives the columns the names that their tables have for them, which differ in the case of letters.
//
// Returns 0, or HA_ERR_CANNOT_ADD_FOREIGN after it has given a warning (150) with the reason, or
// another handler error after it has told the client.
int ValidateForeignKeys(THD* thd, engine::Database* database, const NewChild& child,
                        std::vector<catalog::ForeignKey>* added);

// Tells the client, with MyRocks' own error, that rocksdb_myrocks_compatible_format=ON keeps
// foreign keys out. Returns the handler error.
int RefuseForeignKeysForMyRocks(THD* thd);

// Warns that another foreign key of the database has the name. Returns the handler error, 121.
int WarnOfForeignKeyName(THD* thd, const std::string& name);

}  // namespace basalt::server
