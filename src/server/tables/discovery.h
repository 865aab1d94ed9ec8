// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "catalog/table_definition.h"
#include "server/server_headers.h"

namespace basalt::server {

// Tables whose .frm file is lost are found through the definitions in the dictionary: the server
// lists them and opens them, and gets its files back. Sets the functions for that in the
// handlerton.
void SetUpDiscovery(handlerton* hton);

// The definition of the table or partition `name` that is being created, for Catalog::CreateTable.
// False when there is none to take: another partition has brought it, or the table exists and gets
// a new partition (the server writes its new definition later, and the next open keeps that).
bool DefinitionOfNewTable(const catalog::Catalog& catalog, const TABLE_SHARE& share,
                          const std::string& name, catalog::TableDefinition* definition);

// With discovery the server leaves it to the engine to write the .frm file of a new table. 0, or an
// error that the client has been told.
int WriteFrmOfNewTable(TABLE_SHARE* share);

// Before a table is renamed: the dictionary keeps the definition in the file at `path`, unless it
// is another table's. After a crash in the rename the file is found by that.
void StoreDefinitionOfFile(catalog::Catalog& catalog, const std::string& path,
                           const std::string& name);

// When a table is opened: the dictionary keeps the definition that it is opened by. Not keeping it
// is no failure of the statement; the log says why.
void StoreDefinition(catalog::Catalog& catalog, const TABLE_SHARE& share, const std::string& name);

}  // namespace basalt::server
