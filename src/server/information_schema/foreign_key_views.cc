// SPDX-License-Identifier: GPL-2.0-only
//
// The table with rows for each foreign key: what the dictionary says of it.
#include "catalog/foreign_key.h"
#include "catalog/table_record.h"
#include "server/information_schema/view.h"

namespace basalt::server {

namespace {

constexpr uint kRuleLength = 16;
constexpr uint kYesNoLength = 3;

ST_FIELD_INFO foreign_key_fields[] = {
    Show::Column("TABLE_SCHEMA", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("TABLE_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("CONSTRAINT_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("ORDINAL_POSITION", Show::SLong(), NOT_NULL),
    Show::Column("COLUMN_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("REFERENCED_TABLE_SCHEMA", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("REFERENCED_TABLE_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("REFERENCED_COLUMN_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("DELETE_RULE", Show::Varchar(kRuleLength), NOT_NULL),
    Show::Column("UPDATE_RULE", Show::Varchar(kRuleLength), NOT_NULL),
    Show::Column("PARENT_EXISTS", Show::Varchar(kYesNoLength), NOT_NULL),
    Show::CEnd(),
};

std::string_view RuleOf(catalog::ReferenceAction action) {
  switch (action) {
    case catalog::ReferenceAction::kCascade:
      return "CASCADE";
    case catalog::ReferenceAction::kSetNull:
      return "SET NULL";
    case catalog::ReferenceAction::kNoAction:
      return "NO ACTION";
    case catalog::ReferenceAction::kSetDefault:
      return "SET DEFAULT";
    case catalog::ReferenceAction::kRestrict:
      break;
  }
  return "RESTRICT";
}

// A row for each pair of columns.
bool FillForeignKey(const engine::Database& database, THD* thd, const UserTableName& child,
                    const catalog::ForeignKey& foreign, TABLE_LIST* tables) {
  const UserTableName parent = ToUserTableName(foreign.parent);
  const bool exists = database.catalog()->FindTable(foreign.parent) != nullptr;
  uint64_t position = 0;
  for (const catalog::ForeignKey::Columns& pair : foreign.columns) {
    RowFiller row(tables->table);
    row.Text(child.schema)
        .Text(child.table)
        .Text(foreign.name)
        .Number(++position)
        .Text(pair.child)
        .Text(parent.schema)
        .Text(parent.table)
        .Text(pair.parent)
        .Text(RuleOf(foreign.on_delete))
        .Text(RuleOf(foreign.on_update))
        .Text(exists ? "YES" : "NO");
    if (row.Store(thd)) return true;
  }
  return false;
}

int FillForeignKeys(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  const catalog::ForeignKeys& all = database.catalog()->foreign_keys();
  for (const std::string& child : all.Children()) {
    if (catalog::IsTemporaryName(child)) continue;
    const catalog::ForeignKeyMap::Keys keys = all.OfChild(child);
    if (keys == nullptr) continue;  // gone meanwhile
    const UserTableName name = ToUserTableName(child);
    for (const catalog::ForeignKey& foreign : keys->keys) {
      if (FillForeignKey(database, thd, name, foreign, tables)) return 1;
    }
  }
  return 0;
}

}  // namespace

int InitForeignKeys(void* table) noexcept {
  return InitView(table, foreign_key_fields, FillForeignKeys);
}

}  // namespace basalt::server
