// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/index_id.h"
#include "engine/table.h"

namespace basalt::server {

// Names of indexes for reports. The dictionary knows the table of an index but not the index's
// name, which only the server's definition has: it is noted when the table is opened. Any thread.

void NoteIndexNames(const engine::Table& table);
// "database.table" as the dictionary has it, and the index's name: "PRIMARY", "HIDDEN_PK_ID", the
// declared one, or its position in the table ("#1") while nobody has opened the table. Both empty
// when there is no such index.
struct IndexName {
  std::string table;
  std::string index;
};
IndexName NameOfIndex(IndexId index);

}  // namespace basalt::server
