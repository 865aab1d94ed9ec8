// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/status.h"
#include "catalog/table_definition.h"
#include "server/tables/frm_header.h"

namespace basalt::server {

// The server's files of a table's definition, beside `path` ("./database/table"): .frm, and .par of
// a partitioned table. Any thread; who changes files holds the table's metadata lock, or nobody
// is connected yet.

// A definition from the bytes of a .frm file, without .par. kInvalidArgument for what is none.
Status DefinitionFromFrm(Bytes frm, catalog::TableDefinition* definition);

// Reads the files. kNotFound when there is no .frm file, kInvalidArgument when it is no definition
// of a table, kIoError when it cannot be read. A missing .par file is an empty one. `header` may
// be null.
Status ReadDefinitionFiles(const std::string& path, catalog::TableDefinition* definition,
                           FrmHeader* header);

// Writes the files anew, each whole or not at all, and durably. Without a .par file in the
// definition one that is there goes.
Status WriteDefinitionFiles(const std::string& path, const catalog::TableDefinition& definition);

// Makes durable what has happened to the files at these paths and in their folders: written,
// renamed or removed, folders that are gone included. Goes on after an error and returns the first
// one.
Status SyncDefinitionFiles(const std::set<std::string>& paths);

// Makes a file or a folder durable. kNotFound when there is none of that name, kIoError.
Status SyncFile(const std::string& path);

// Removes the files; those that are missing are no error.
Status RemoveDefinitionFiles(const std::string& path);

// How many partitions (with subpartitions: subpartitions) there are by a .par file; 0 when it is
// none.
size_t PartitionsIn(Bytes par);

// Whether this is the name of a file that WriteDefinitionFiles had not finished.
bool IsUnfinishedFile(const std::string& file);

bool HasFrmFile(const std::string& path);
// When it was last written, in seconds since 1970; 0 when there is none.
int64_t TimeOfFrmFile(const std::string& path);
bool HasParFile(const std::string& path);
// Its contents; empty when there is none or it cannot be read.
std::string ReadParFile(const std::string& path);
// Whether these are the contents of a .par file that names this engine (the server's number for it)
// for every partition.
bool AllPartitionsAreOf(Bytes par, uint8_t engine);

}  // namespace basalt::server
