// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <set>
#include <string>

#include "engine/database.h"
#include "server/server_headers.h"

namespace basalt::server {

// The tables ("database.table", as in the dictionary) that stock MyRocks cannot open because of
// their columns, whatever their indexes are: those with generated columns, also the hidden one of a
// UNIQUE by hash, those with columns of a GEOMETRY type, and sequences.
//
// Told by the definitions in the dictionary. A definition that the server cannot make out counts
// as one to worry about. Any thread; `thd` is the statement's, which gets no errors or warnings
// from this. The first call parses every definition, later ones only those that are new.
std::set<std::string> TablesMyRocksCannotOpen(const engine::Database& database, THD* thd);

// The tables (named likewise) that have foreign keys. Stock MyRocks opens them, checks nothing and
// keeps no constraint when it renames or copies a table. Any thread.
std::set<std::string> TablesWithForeignKeys(const engine::Database& database);

}  // namespace basalt::server
