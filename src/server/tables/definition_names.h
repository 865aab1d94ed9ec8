// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

#include "catalog/table_record.h"

namespace basalt::server {

// How the server names the files of a table's definition. A table is "database.table" here, as in
// the dictionary.

inline constexpr char kFrmExtension[] = ".frm";
inline constexpr char kParExtension[] = ".par";  // of a partitioned table, beside the .frm file

inline std::string_view NameInDatabase(std::string_view table) {
  return table.substr(table.find('.') + 1);
}

// The table of a catalog::WholeOf: for messages and paths.
inline std::string TableOf(const std::string& whole) {
  return std::string(catalog::TableOfPartition(whole));
}

}  // namespace basalt::server
