// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/relatives_validation.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "codec/reference_copy.h"
#include "engine/references/reference_check.h"
#include "server/error_map.h"
#include "server/foreign_keys/foreign_key_lists.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/latest_foreign_key_error.h"
#include "server/foreign_keys/related_tables.h"
#include "server/tables/stored_table.h"
#include "server/tables/table_descriptor_builder.h"

namespace basalt::server {

namespace {

using catalog::ForeignKey;
using catalog::ForeignKeySet;

struct Shape {
  const TABLE* form = nullptr;
  codec::TableDescriptor descriptor;
};

int Describe(const TABLE& form, const std::string& name, Shape* shape) {
  shape->form = &form;
  return ReportError(BuildTableDescriptor(form, name, &shape->descriptor), "foreign key");
}

bool HasIndexFor(const Shape& table, const std::optional<std::vector<uint32_t>>& columns) {
  return columns && engine::FindReferenceIndex(table.descriptor, *columns);
}

bool Fits(const ForeignKey& foreign, const Shape& child, const Shape& parent) {
  const auto own = FindColumns(*child.form, foreign, &ForeignKey::Columns::child);
  const auto other = FindColumns(*parent.form, foreign, &ForeignKey::Columns::parent);
  if (!HasIndexFor(child, own) || !HasIndexFor(parent, other)) return false;
  const bool nullable = std::all_of(own->begin(), own->end(), [&](uint32_t column) {
    return child.descriptor.columns[column].nullable;
  });
  if (SetsNull(foreign) && !nullable) return false;
  return codec::TypesMatch(child.descriptor, parent.descriptor, codec::MakePairs(*own, *other));
}

int ResultOf(bool fits) { return fits ? 0 : HA_ERR_CANNOT_ADD_FOREIGN; }

// Looks at another table; 0 when there is none of the name.
template <typename Visit>
int VisitOther(THD* thd, engine::Database* database, const std::string& name, const Visit& visit) {
  if (int error = LockRelatedTable(thd, name, MDL_SHARED, MDL_STATEMENT)) return error;
  StoredTable stored(thd);
  const Status opened = stored.Open(*database->catalog(), name);
  if (opened.code() == Code::kNotFound) return 0;
  if (!opened.ok()) {
    return ReportError(opened.Clone(), "foreign key");
  }
  Shape other;
  if (int error = Describe(stored.table(), name, &other)) return error;
  return visit(other);
}

int ValidateAsChild(THD* thd, engine::Database* database, const std::string& name,
                    const Shape& table, const ForeignKeySet& own) {
  for (const ForeignKey& foreign : own.keys) {
    // Also where there is no parent yet.
    if (!HasIndexFor(table, FindColumns(*table.form, foreign, &ForeignKey::Columns::child))) {
      return HA_ERR_CANNOT_ADD_FOREIGN;
    }
    const int error = foreign.parent == name
                          ? ResultOf(Fits(foreign, table, table))
                          : VisitOther(thd, database, foreign.parent, [&](const Shape& parent) {
                              return ResultOf(Fits(foreign, table, parent));
                            });
    if (error != 0) return error;
  }
  return 0;
}

int ValidateAsParent(THD* thd, engine::Database* database, const std::string& name,
                     const Shape& table, const std::string& child) {
  const catalog::ForeignKeyMap::Keys keys = database->catalog()->foreign_keys().OfChild(child);
  if (keys == nullptr) return 0;
  return VisitOther(thd, database, child, [&](const Shape& other) {
    for (const ForeignKey& foreign : keys->keys) {
      if (foreign.parent == name && !Fits(foreign, other, table)) return HA_ERR_CANNOT_ADD_FOREIGN;
    }
    return 0;
  });
}

}  // namespace

int ValidateRelatives(THD* thd, engine::Database* database, const NewChild& table,
                      const ForeignKeySet& own) {
  if (!ChecksForeignKeys(thd) || table.temporary) return 0;
  const std::vector<std::string> children =
      database->catalog()->foreign_keys().ChildrenOf(table.name);
  if (own.keys.empty() && children.empty()) return 0;
  Shape shape;
  if (int error = Describe(*table.form, table.name, &shape)) return error;
  if (int error = ValidateAsChild(thd, database, table.name, shape, own)) return error;
  for (const std::string& child : children) {
    if (child == table.name) continue;  // looked at as a child
    if (int error = ValidateAsParent(thd, database, table.name, shape, child)) return error;
  }
  return 0;
}

int ValidateRelativesOfRename(THD* thd, engine::Database* database, const std::string& from,
                              const std::string& to) {
  const catalog::ForeignKeys& existing = database->catalog()->foreign_keys();
  const catalog::ForeignKeyMap::Keys keys = existing.OfChild(from);
  if (!ChecksForeignKeys(thd) || (keys == nullptr && existing.ChildrenOf(to).empty())) return 0;
  StoredTable stored(thd);
  const Status opened = stored.Open(*database->catalog(), from);
  if (opened.code() == Code::kNotFound) return 0;  // who renames it finds out
  if (!opened.ok()) {
    return ReportError(opened.Clone(), "foreign key");
  }
  return ValidateRelatives(thd, database, {to, &stored.table()},
                           keys == nullptr ? ForeignKeySet() : *keys);
}

int ValidateDrop(THD* thd, const catalog::Catalog& catalog, const std::string& table) {
  const catalog::ForeignKeys& existing = catalog.foreign_keys();
  if (!ChecksForeignKeys(thd) || !existing.IsParent(table)) return 0;
  if (catalog.FindTable(table) == nullptr) return 0;
  const bool drops_database = thd_sql_command(thd) == SQLCOM_DROP_DB;
  const std::string database = table.substr(0, table.find('.') + 1);
  for (const std::string& child : existing.ChildrenOf(table)) {
    if (child == table || (drops_database && child.starts_with(database))) continue;
    NoteForeignKeyError(thd, DescribeReference(thd, catalog, child, table));
    return HA_ERR_ROW_IS_REFERENCED;
  }
  return 0;
}

}  // namespace basalt::server
