// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/foreign_key_sides.h"

#include <algorithm>

namespace basalt::server {

namespace {

bool HasColumn(const catalog::ForeignKey& foreign, Side side, const char* column) {
  return std::any_of(foreign.columns.begin(), foreign.columns.end(),
                     [&](const catalog::ForeignKey::Columns& pair) {
                       return SameColumnName((pair.*side).c_str(), column);
                     });
}

}  // namespace

bool ChecksForeignKeys(const THD* thd) {
  return !thd_test_options(thd, OPTION_NO_FOREIGN_KEY_CHECKS);
}

bool SetsNull(const catalog::ForeignKey& foreign) {
  return foreign.on_delete == catalog::ReferenceAction::kSetNull ||
         foreign.on_update == catalog::ReferenceAction::kSetNull;
}

bool KeepsNullOut(const catalog::ForeignKey& foreign) {
  return foreign.on_update == catalog::ReferenceAction::kCascade &&
         (foreign.on_delete == catalog::ReferenceAction::kRestrict ||
          foreign.on_delete == catalog::ReferenceAction::kSetDefault);
}

bool SameForeignKeyName(const std::string& one, const std::string& other) {
  return catalog::FoldedName(one) == catalog::FoldedName(other);
}

bool SameColumnName(const char* one, const char* other) {
  return my_strcasecmp(system_charset_info, one, other) == 0;
}

std::optional<std::vector<uint32_t>> FindColumns(const TABLE& table,
                                                 const catalog::ForeignKey& foreign, Side side) {
  std::vector<uint32_t> positions;
  for (const catalog::ForeignKey::Columns& pair : foreign.columns) {
    const std::optional<uint32_t> position = FindColumn(table, pair.*side);
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

bool IsInForeignKey(const catalog::ForeignKeys& existing, const std::string& table,
                    const char* column) {
  using Columns = catalog::ForeignKey::Columns;
  if (const catalog::ForeignKeyMap::Keys own = existing.OfChild(table)) {
    for (const catalog::ForeignKey& foreign : own->keys) {
      if (HasColumn(foreign, &Columns::child, column)) return true;
    }
  }
  for (const std::string& child : existing.ChildrenOf(table)) {
    const catalog::ForeignKeyMap::Keys set = existing.OfChild(child);
    if (set == nullptr) continue;
    for (const catalog::ForeignKey& foreign : set->keys) {
      if (foreign.parent == table && HasColumn(foreign, &Columns::parent, column)) return true;
    }
  }
  return false;
}

}  // namespace basalt::server
