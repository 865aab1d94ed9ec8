// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "catalog/foreign_key.h"
#include "engine/database.h"
#include "server/foreign_keys/foreign_key_validation.h"
#include "server/server_headers.h"

namespace basalt::server {

// Does a table that takes a name go with the foreign keys that the dictionary has already? It is
// one that is created or renamed, or the copy of an ALTER. ValidateForeignKeys is for those that a
// statement defines.
//
// Both functions return 0 when all goes together. With foreign_key_checks=0 all does, as in InnoDB.
// HA_ERR_CANNOT_ADD_FOREIGN is left to the server to tell: 1005 for CREATE, 1025 for a rename, both
// with errno 150. Of another handler error the client has been told.
//
// They take shared metadata locks of the tables that they look at, until the statement ends. The
// statement's thread only, and not while the server recovers from a crash.

// Looks at the table as the child of `own` and as the parent of others: at columns, types, NULL and
// indexes. Of a child whose parent does not exist, at its index.
int ValidateRelatives(THD* thd, engine::Database* database, const NewChild& table,
                      const catalog::ForeignKeySet& own);

// Looks at a table of the dictionary that is going to have the name `to`. Its own foreign keys
// are those that it has under its name of now.
int ValidateRelativesOfRename(THD* thd, engine::Database* database, const std::string& from,
                              const std::string& to);

// May a statement drop the table, as far as others refer to it? DROP DATABASE drops children of the
// same database, too. HA_ERR_ROW_IS_REFERENCED is left to the server to tell.
int ValidateDrop(THD* thd, const catalog::Catalog& catalog, const std::string& table);

}  // namespace basalt::server
