// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/file_names.h"

#include "server/server_headers.h"

namespace basalt::server {

std::string FileNameOf(std::string_view name) {
  char encoded[FN_REFLEN];
  const uint bytes = tablename_to_filename(std::string(name).c_str(), encoded, sizeof(encoded));
  return std::string(encoded, bytes);
}

std::string DisplayNameOf(std::string_view file_name) {
  char decoded[FN_REFLEN];
  const uint bytes = filename_to_tablename(std::string(file_name).c_str(), decoded, sizeof(decoded),
                                           /*stay_quiet=*/true);
  return std::string(decoded, bytes);
}

DisplayNames DisplayNamesOf(std::string_view table) {
  const size_t dot = table.find('.');
  if (dot == std::string_view::npos) return {{}, DisplayNameOf(table)};
  return {DisplayNameOf(table.substr(0, dot)), DisplayNameOf(table.substr(dot + 1))};
}

std::string DictionaryNameOf(const DisplayNames& names) {
  return FileNameOf(names.database) + "." + FileNameOf(names.table);
}

std::string QuotedTableName(std::string_view table) {
  const DisplayNames names = DisplayNamesOf(table);
  return "`" + names.database + "`.`" + names.table + "`";
}

}  // namespace basalt::server
