// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/find_column.h"

namespace basalt::server {

std::optional<uint32_t> FindColumn(const TABLE& table, const std::string& name) {
  for (uint i = 0; i < table.s->fields; ++i) {
    const char* field = table.field[i]->field_name.str;
    if (my_strcasecmp(system_charset_info, field, name.c_str()) == 0) return i;
  }
  return std::nullopt;
}

}  // namespace basalt::server
