// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "engine/database.h"
#include "server/ddl_recovery_notes.h"

namespace basalt::server {

// At start: the dictionary compared with the server's .frm files in `folder`, the server's data
// directory. docs/ddl.md says what is done when. Nobody is connected yet. One thread.
//
//   DefinitionReader ---> DefinitionState ---> DefinitionReconciler ---> DefinitionRepairer
//   reads                                      decides                   changes, logs

// What is wrong in words, one line each; empty when all is well. Changes nothing.
std::vector<std::string> DefinitionFindings(const catalog::Catalog& catalog,
                                            const std::string& folder);

// After the server's recovery of DDL statements: repairs what can be repaired and logs each step.
// What cannot be repaired concerns its table only.
void RepairDefinitions(engine::Database& database, const std::string& folder,
                       const DdlRecoveryNotes& notes);

// Before the server's recovery, which needs them to finish or undo a statement on a partitioned
// table: writes .par files that are lost or empty, and the .frm file with them. Returns the tables
// (catalog::WholeOf) that had no .frm file either.
std::set<std::string> WriteLostParFiles(const catalog::Catalog& catalog, const std::string& folder);

}  // namespace basalt::server
