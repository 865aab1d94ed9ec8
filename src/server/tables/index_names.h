// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/index_id.h"
#include "engine/database.h"
#include "engine/table.h"

namespace basalt::server {

// Names of indexes for reports. Only the server's definition has them: they are noted when the
// table is opened, or read out of the definition that the dictionary keeps. Any thread.

void NoteIndexNames(const engine::Table& table);
// A definition has changed in place: names are looked up anew.
void ForgetIndexNames();
// "database.table" as the dictionary has it, and the index's name: "PRIMARY", "HIDDEN_PK_ID", the
// declared one, or its position in the table ("#1") when there is no definition that fits. Both
// empty when there is no such index.
struct IndexName {
  std::string table;
  std::string index;
};
IndexName NameOfIndex(const engine::Database& database, IndexId index);

}  // namespace basalt::server
