// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

namespace basalt::server {

// Names of databases and tables are UTF-8 to a client, and in an encoding of the server's own where
// they name folders and files. The dictionary has the latter: "database.table".

// "t-odd" -> "t@002dodd".
std::string FileNameOf(std::string_view name);
// And back; bytes that are no such encoding come back as they are.
std::string DisplayNameOf(std::string_view file_name);

// What stands before and behind the first '.' of a name in the dictionary, as a client knows it.
struct DisplayNames {
  std::string database;
  std::string table;
};
DisplayNames DisplayNamesOf(std::string_view table);
// And back, of a table in a database.
std::string DictionaryNameOf(const DisplayNames& names);
// "`database`.`table`", for messages.
std::string QuotedTableName(std::string_view table);

}  // namespace basalt::server
