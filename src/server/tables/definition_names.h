// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

#include "catalog/table_record.h"

namespace basalt::server {

// How the server names the files of a table's definition, and what statements work with. A table
// is "database.table" here, as in the dictionary.

inline constexpr char kFrmExtension[] = ".frm";
inline constexpr char kParExtension[] = ".par";  // of a partitioned table, beside the .frm file

// What a statement works with before the table gets its name, or after it has lost it.
inline constexpr char kLeftoverPrefix[] = "#sql";

inline std::string_view NameInDatabase(std::string_view table) {
  return table.substr(table.find('.') + 1);
}

inline bool IsLeftover(std::string_view table) {
  return NameInDatabase(table).starts_with(kLeftoverPrefix);
}

// The table of a catalog::WholeOf: for messages and paths.
inline std::string TableOf(const std::string& whole) {
  return std::string(catalog::TableOfPartition(whole));
}

}  // namespace basalt::server
