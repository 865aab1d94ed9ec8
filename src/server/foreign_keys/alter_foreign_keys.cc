// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/alter_foreign_keys.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/references/reference_check.h"
#include "server/error_map.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/foreign_key_validation.h"
#include "server/foreign_keys/related_tables.h"
#include "server/foreign_keys/statement_foreign_keys.h"
#include "server/tables/file_names.h"
#include "server/tables/stored_table.h"
#include "server/tables/table_descriptor_builder.h"

namespace basalt::server {

namespace {

using catalog::ForeignKey;
using catalog::ForeignKeySet;
using Columns = ForeignKey::Columns;

std::string ToString(const LEX_CSTRING& text) { return std::string(text.str, text.length); }

ForeignKeySet SetOf(const catalog::ForeignKeys& existing, const std::string& child) {
  const catalog::ForeignKeyMap::Keys keys = existing.OfChild(child);
  return keys == nullptr ? ForeignKeySet() : *keys;
}

// As InnoDB shows them in errors of ALTER in place: "database/name".
std::string WithSlash(const std::string& table) {
  std::string text = table;
  const size_t dot = text.find('.');
  if (dot != std::string::npos) text[dot] = '/';
  return text;
}

std::string IdOf(const std::string& child, const std::string& name) {
  return child.substr(0, child.find('.')) + "/" + name;
}

// --- What becomes of columns ---

// By the name that the column has before the statement; null: it is dropped.
const Create_field* DefinitionOf(const AlteredTable& table, const std::string& column) {
  List_iterator_fast<Create_field> fields(table.info.alter_info->create_list);
  while (const Create_field* field = fields++) {
    if (field->field != nullptr && SameColumnName(field->field->field_name.str, column.c_str())) {
      return field;
    }
  }
  return nullptr;
}

// Columns that get another name, if only in the case of letters.
bool RenamesColumns(const AlteredTable& table) {
  return table.info.handler_flags & ALTER_COLUMN_NAME;
}

void FollowColumns(const AlteredTable& table, Side side, ForeignKey* foreign) {
  for (Columns& pair : foreign->columns) {
    const Create_field* field = DefinitionOf(table, pair.*side);
    if (field != nullptr && ToString(field->field->field_name) != ToString(field->field_name)) {
      pair.*side = ToString(field->field_name);
    }
  }
}

// The foreign keys of a child, or of the table itself, when columns of the table have new names.
ForeignKeySet FollowParent(const AlteredTable& table, ForeignKeySet set) {
  for (ForeignKey& foreign : set.keys) {
    if (foreign.parent == table.name) FollowColumns(table, &Columns::parent, &foreign);
  }
  return set;
}

// The positions that columns will have, by the names of now; none when one of them is dropped.
std::optional<std::vector<uint32_t>> PositionsAfter(const AlteredTable& table,
                                                    const ForeignKey& foreign, Side side) {
  std::vector<uint32_t> positions;
  for (const Columns& pair : foreign.columns) {
    const Create_field* field = DefinitionOf(table, pair.*side);
    if (field == nullptr) return std::nullopt;
    const std::optional<uint32_t> position = FindColumn(table.after, ToString(field->field_name));
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

// --- What becomes of foreign keys ---

bool IsDropped(const AlteredTable& table, const ForeignKey& foreign) {
  List_iterator_fast<Alter_drop> drops(table.info.alter_info->drop_list);
  while (const Alter_drop* drop = drops++) {
    if (drop->type == Alter_drop::FOREIGN_KEY &&
        my_strcasecmp(system_charset_info, drop->name, foreign.name.c_str()) == 0) {
      return true;
    }
  }
  return false;
}

// As the statement has them. InnoDB adds them in place only with foreign_key_checks=0.
std::vector<ForeignKey> TypedKeys(const AlteredTable& table) {
  return ReadAddedForeignKeys(*table.info.alter_info, DisplayNamesOf(table.name),
                              /*in_place=*/!ChecksForeignKeys(current_thd));
}

std::vector<ForeignKey> AddedKeys(const AlteredTable& table, const ForeignKeySet& before) {
  const DisplayNames child = DisplayNamesOf(table.name);
  std::vector<ForeignKey> added = TypedKeys(table);
  NameAddedForeignKeys(child, before, &added);
  return added;
}

ForeignKeySet OwnKeysAfter(const AlteredTable& table, const ForeignKeySet& before) {
  ForeignKeySet own = RenamesColumns(table) ? FollowParent(table, before) : before;
  std::erase_if(own.keys, [&](const ForeignKey& foreign) { return IsDropped(table, foreign); });
  if (RenamesColumns(table)) {
    for (ForeignKey& foreign : own.keys) FollowColumns(table, &Columns::child, &foreign);
  }
  for (ForeignKey& foreign : AddedKeys(table, before)) own.keys.push_back(std::move(foreign));
  return own;
}

// --- Losses ---

// A foreign key that the table is the child or the parent of, by the names that its columns have
// before the statement.
struct Use {
  std::string child;
  ForeignKey foreign;
  Side side;  // of the table

  bool OfChild() const { return side == &Columns::child; }
};

// As a child it counts for what the statement does not drop. As a parent for all: InnoDB guards the
// index that a table refers to in itself even from a statement that drops the foreign key.
std::vector<Use> UsesOf(const catalog::ForeignKeys& existing, const AlteredTable& table) {
  std::vector<Use> uses;
  const ForeignKeySet own = SetOf(existing, table.name);
  for (const ForeignKey& foreign : own.keys) {
    if (!IsDropped(table, foreign)) uses.push_back({table.name, foreign, &Columns::child});
  }
  const auto of_others = static_cast<ptrdiff_t>(uses.size());
  for (const std::string& child : existing.ChildrenOf(table.name)) {
    const ForeignKeySet set = SetOf(existing, child);
    for (const ForeignKey& foreign : set.keys) {
      if (foreign.parent == table.name) uses.push_back({child, foreign, &Columns::parent});
    }
  }
  // InnoDB's order: errors name the first one.
  const auto by_id = [](const Use& one, const Use& other) {
    return IdOf(one.child, one.foreign.name) < IdOf(other.child, other.foreign.name);
  };
  std::sort(uses.begin(), uses.begin() + of_others, by_id);
  std::sort(uses.begin() + of_others, uses.end(), by_id);
  return uses;
}

bool GoesWithItsTable(const AlteredTable& table, const Use& use) {
  return use.child == table.name && IsDropped(table, use.foreign);
}

// Both descriptions of the altered table.
struct Shapes {
  codec::TableDescriptor before;
  codec::TableDescriptor after;
};

int Describe(const AlteredTable& table, Shapes* shapes) {
  Status status = BuildTableDescriptor(table.before, table.name, &shapes->before);
  if (status.ok()) status = BuildTableDescriptor(table.after, table.name, &shapes->after);
  return ReportError(status, "ALTER TABLE");
}

bool HasIndexLike(const TABLE& table, const KEY& key) {
  for (uint i = 0; i < table.s->keys; ++i) {
    const KEY& other = table.key_info[i];
    if (SameColumnName(other.name.str, key.name.str)) {
      return other.user_defined_key_parts >= key.user_defined_key_parts;
    }
  }
  return false;
}

// Whether the index at this position serves the foreign key, and none will.
bool LosesIndex(const AlteredTable& table, const Shapes& shapes, size_t position, const Use& use) {
  const auto before = FindColumns(table.before, use.foreign, use.side);
  if (!before) return false;
  if (engine::FindReferenceIndex(shapes.before, *before) != position) return false;
  const auto after = PositionsAfter(table, use.foreign, use.side);
  // The index stays, with another column of the name, or the primary key goes with its column: what
  // is lost is the column.
  if (!after && (position == shapes.before.primary ||
                 HasIndexLike(table.after, table.before.key_info[position]))) {
    return false;
  }
  return !after || !engine::FindReferenceIndex(shapes.after, *after);
}

int RefuseLostIndexes(const AlteredTable& table, const std::vector<Use>& uses) {
  if (table.info.index_drop_count == 0) return 0;
  Shapes shapes;
  if (int error = Describe(table, &shapes)) return error;
  for (uint i = 0; i < table.info.index_drop_count; ++i) {
    const KEY* dropped = table.info.index_drop_buffer[i];
    const auto position = static_cast<size_t>(dropped - table.before.key_info);
    for (const Use& use : uses) {
      if (!LosesIndex(table, shapes, position, use)) continue;
      my_error(ER_DROP_INDEX_FK, MYF(0), dropped->name.str);
      return HA_ERR_DROP_INDEX_FK;
    }
  }
  return 0;
}

int RefuseDroppedColumn(const Use& use, const std::string& column) {
  const std::string id = IdOf(use.child, use.foreign.name);
  if (use.OfChild()) {
    my_error(ER_FK_COLUMN_CANNOT_DROP, MYF(0), column.c_str(), id.c_str());
  } else {
    my_error(ER_FK_COLUMN_CANNOT_DROP_CHILD, MYF(0), column.c_str(), id.c_str(),
             QuotedTableName(use.child).c_str());
  }
  return HA_ERR_CANNOT_ADD_FOREIGN;
}

int RefuseChangedColumn(const Use& use, const std::string& column) {
  const std::string id = IdOf(use.child, use.foreign.name);
  if (use.OfChild()) {
    my_error(ER_FK_COLUMN_CANNOT_CHANGE, MYF(0), column.c_str(), id.c_str());
  } else {
    my_error(ER_FK_COLUMN_CANNOT_CHANGE_CHILD, MYF(0), column.c_str(), id.c_str(),
             WithSlash(use.child).c_str());
  }
  return HA_ERR_CANNOT_ADD_FOREIGN;
}

int RefuseNotNull(const Use& use, const std::string& column) {
  my_error(ER_FK_COLUMN_NOT_NULL, MYF(0), column.c_str(), use.foreign.name.c_str());
  return HA_ERR_CANNOT_ADD_FOREIGN;
}

bool ChangesType(const AlteredTable& table, const Create_field& field) {
  return (table.info.handler_flags & ALTER_COLUMN_TYPE_CHANGE_BY_ENGINE) &&
         !field.field->is_equal(field);
}

bool BecomesNotNull(const Create_field& field) {
  return field.field->real_maybe_null() && (field.flags & NOT_NULL_FLAG);
}

int RefuseChangesOfColumns(const AlteredTable& table, const Use& use) {
  for (const Columns& pair : use.foreign.columns) {
    const std::optional<uint32_t> position = FindColumn(table.before, pair.*use.side);
    if (!position) continue;  // a parent that was not looked at may never have had it
    const std::string column = ToString(table.before.field[*position]->field_name);
    const Create_field* field = DefinitionOf(table, column);
    if (field == nullptr) return RefuseDroppedColumn(use, column);
    if (ChangesType(table, *field)) return RefuseChangedColumn(use, column);
    if (use.OfChild() && SetsNull(use.foreign) && BecomesNotNull(*field)) {
      return RefuseNotNull(use, column);
    }
  }
  return 0;
}

// --- Additions ---

// InnoDB's text has the child's database in front of the name.
int RefuseTakenName(const std::string& child, const std::string& name) {
  my_error(ER_DUP_CONSTRAINT_NAME, MYF(0), "FOREIGN KEY", IdOf(child, name).c_str());
  return HA_ERR_FOUND_DUPP_KEY;
}

// Names that the statement drops are still taken, as in InnoDB.
int RefuseTakenNames(THD* thd, const catalog::ForeignKeys& existing, const AlteredTable& table,
                     const ForeignKeySet& before, const std::vector<ForeignKey>& added) {
  const std::string database = table.name.substr(0, table.name.find('.'));
  for (size_t i = 0; i < added.size(); ++i) {
    const std::string& name = added[i].name;
    if (int error = CheckLengthOfName(name)) return error;
    for (const ForeignKey& own : before.keys) {
      if (own.name == name) return RefuseTakenName(table.name, name);
    }
    const bool repeated =
        std::any_of(added.begin(), added.begin() + static_cast<ptrdiff_t>(i),
                    [&](const ForeignKey& other) { return SameForeignKeyName(other.name, name); });
    if (repeated || !existing.OwnerOfName(database, name).empty()) {
      return RefuseForeignKeyName(thd, table.name, name);
    }
  }
  return 0;
}

// An addition that is checked: as the statement has it, and with its name.
struct Addition {
  const ForeignKey& typed;
  const ForeignKey& named;
};

int RefuseOption(const AlteredTable& table, const Addition& addition) {
  my_error(ER_FK_INCORRECT_OPTION, MYF(0), DisplayNamesOf(table.name).table.c_str(),
           IdOf(table.name, addition.named.name).c_str());
  return HA_ERR_CANNOT_ADD_FOREIGN;
}

int RefuseWithoutIndex(uint error, const Addition& addition, const std::string& table) {
  my_error(error, MYF(0), addition.typed.name.c_str(), DisplayNamesOf(table).table.c_str());
  return HA_ERR_CANNOT_ADD_FOREIGN;
}

bool HasIndexFor(const TABLE& table, const std::string& name, const ForeignKey& foreign,
                 Side side) {
  const auto positions = FindColumns(table, foreign, side);
  codec::TableDescriptor descriptor;
  return positions && BuildTableDescriptor(table, name, &descriptor).ok() &&
         engine::FindReferenceIndex(descriptor, *positions);
}

bool ParentHasIndex(THD* thd, const engine::Database& database, const AlteredTable& table,
                    const ForeignKey& foreign) {
  if (foreign.parent == table.name) {
    return HasIndexFor(table.before, table.name, foreign, &Columns::parent);
  }
  StoredTable stored(thd);
  return stored.Open(*database.catalog(), foreign.parent).ok() &&
         HasIndexFor(stored.table(), foreign.parent, foreign, &Columns::parent);
}

// InnoDB compares types while it looks for the parent's index, and with a child's index that is
// new later: so it answers in two ways.
int RefuseParent(THD* thd, const engine::Database& database, const AlteredTable& table,
                 const Addition& addition) {
  const bool types = ParentHasIndex(thd, database, table, addition.named);
  if (types && !HasIndexFor(table.before, table.name, addition.named, &Columns::child)) {
    return RefuseOption(table, addition);
  }
  return RefuseWithoutIndex(ER_FK_NO_INDEX_PARENT, addition, addition.named.parent);
}

bool PutsNullIntoNotNull(const AlteredTable& table, const ForeignKey& foreign) {
  return SetsNull(foreign) &&
         std::any_of(foreign.columns.begin(), foreign.columns.end(), [&](const Columns& pair) {
           const std::optional<uint32_t> column = FindColumn(table.after, pair.child);
           return column && !table.after.field[*column]->real_maybe_null();
         });
}

// InnoDB looks at the parent, if there is one, before it looks at the actions.
int RefuseActions(THD* thd, const engine::Database& database, const AlteredTable& table,
                  const Addition& addition) {
  const std::string& parent = addition.named.parent;
  const bool exists = parent == table.name || database.catalog()->FindTable(parent) != nullptr;
  if (exists && !ParentHasIndex(thd, database, table, addition.named)) {
    return RefuseWithoutIndex(ER_FK_NO_INDEX_PARENT, addition, parent);
  }
  return RefuseOption(table, addition);
}

int RefuseAddition(THD* thd, engine::Database* database, const AlteredTable& table,
                   const Addition& addition) {
  if (!HasIndexFor(table.after, table.name, addition.named, &Columns::child)) {
    return RefuseWithoutIndex(ER_FK_NO_INDEX_CHILD, addition, table.name);
  }
  if (PutsNullIntoNotNull(table, addition.named)) {
    return RefuseActions(thd, *database, table, addition);
  }
  std::vector<ForeignKey> one = {addition.named};  // keeps the names that were typed
  const bool checks = ChecksForeignKeys(thd);
  const NewChild child{
      .name = table.name, .form = &table.after, .in_place = !checks, .under_writers = checks};
  const int error = ValidateForeignKeys(thd, database, child, &one);
  return error == HA_ERR_CANNOT_ADD_FOREIGN ? RefuseParent(thd, *database, table, addition) : error;
}

int RefuseAdditions(THD* thd, engine::Database* database, const AlteredTable& table) {
  if (!(table.info.handler_flags & ALTER_ADD_FOREIGN_KEY)) return 0;
  const catalog::ForeignKeys& existing = database->catalog()->foreign_keys();
  const ForeignKeySet before = SetOf(existing, table.name);
  const std::vector<ForeignKey> typed = TypedKeys(table);
  const std::vector<ForeignKey> named = AddedKeys(table, before);
  for (size_t i = 0; i < typed.size(); ++i) {
    if (int error = RefuseAddition(thd, database, table, {typed[i], named[i]})) return error;
  }
  return RefuseTakenNames(thd, existing, table, before, named);
}

// --- Who decides ---

bool BecomesNull(const Create_field& field) {
  return !field.field->real_maybe_null() && !(field.flags & NOT_NULL_FLAG);
}

// Where ON UPDATE CASCADE may bring the parent's NULL: the server judges, when it copies. It looks
// at the other table's column, too.
bool LetsNullIn(const AlteredTable& table, const Use& use) {
  if (!KeepsNullOut(use.foreign)) return false;
  return std::any_of(use.foreign.columns.begin(), use.foreign.columns.end(), [&](const auto& pair) {
    const Create_field* field = DefinitionOf(table, pair.*use.side);
    return field != nullptr && (use.OfChild() ? BecomesNotNull(*field) : BecomesNull(*field));
  });
}

bool LetsNullIn(const catalog::ForeignKeys& existing, const AlteredTable& table) {
  const std::vector<Use> uses = UsesOf(existing, table);
  return std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return LetsNullIn(table, use); });
}

// Whether InnoDB copies the table for it, and so gives the server's errors and those of the copy.
bool InnoDbCopies(const Alter_inplace_info& info) {
  const bool without_primary =
      (info.handler_flags & ALTER_DROP_PK_INDEX) && !(info.handler_flags & ALTER_ADD_PK_INDEX);
  return without_primary ||
         (info.handler_flags & (ALTER_STORED_COLUMN_TYPE | ALTER_VIRTUAL_COLUMN_TYPE));
}

// Of a statement that adds foreign keys; null: nothing is against doing without a copy.
const char* WhyRowsAreCopied(const THD* thd, const AlteredTable& table) {
  if (!ChecksForeignKeys(thd)) return nullptr;
  const alter_table_operations flags = table.info.handler_flags;
  if (table.info.ignore) return "IGNORE, with a foreign key that rows are checked for";
  if (catalog::IsPartitionName(table.name)) return "a foreign key of a table with partitions";
  if (flags & ALTER_RENAME) return "another name of a table that gets a foreign key";
  constexpr alter_table_operations kPlain = ALTER_ADD_FOREIGN_KEY | ALTER_DROP_FOREIGN_KEY |
                                            ALTER_ADD_NON_UNIQUE_NON_PRIM_INDEX |
                                            ALTER_ADD_UNIQUE_INDEX | ALTER_INDEX_ORDER;
  if ((flags & ~kPlain) == 0) return nullptr;
  // Its parents are rows of before the statement, and found by the columns of before.
  for (const ForeignKey& foreign : TypedKeys(table)) {
    if (foreign.parent == table.name) return "a foreign key of a table to itself, and more";
  }
  if (table.before.versioned()) return "a foreign key of a table with system versioning, and more";
  return nullptr;
}

// Would a copy take what the statement adds and drops? Tells nobody.
bool AreInOrder(THD* thd, engine::Database* database, const AlteredTable& table) {
  Dummy_error_handler silence;
  thd->push_internal_handler(&silence);
  const bool in_order = RefuseLosses(thd, database->catalog()->foreign_keys(), table) == 0 &&
                        RefuseAdditions(thd, database, table) == 0;
  thd->pop_internal_handler();
  return in_order;
}

bool HasForeignKeys(const catalog::ForeignKeys& existing, const AlteredTable& table) {
  return (table.info.handler_flags & (ALTER_ADD_FOREIGN_KEY | ALTER_DROP_FOREIGN_KEY)) ||
         existing.OfChild(table.name) != nullptr || !existing.ChildrenOf(table.name).empty();
}

}  // namespace

catalog::NewForeignKeys ForeignKeysAfter(const catalog::ForeignKeys& existing,
                                         const AlteredTable& table) {
  catalog::NewForeignKeys changed;
  const ForeignKeySet before = SetOf(existing, table.name);
  ForeignKeySet own = OwnKeysAfter(table, before);
  if (own != before) changed[table.name] = std::move(own);
  if (!RenamesColumns(table)) return changed;
  for (const std::string& child : existing.ChildrenOf(table.name)) {
    if (child == table.name) continue;
    const ForeignKeySet set = SetOf(existing, child);
    ForeignKeySet followed = FollowParent(table, set);
    if (followed != set) changed[child] = std::move(followed);
  }
  return changed;
}

bool ChecksAddedForeignKeys(const THD* thd, const Alter_inplace_info& info) {
  return (info.handler_flags & ALTER_ADD_FOREIGN_KEY) && ChecksForeignKeys(thd);
}

std::vector<ForeignKey> AddedForeignKeys(const catalog::ForeignKeys& existing,
                                         const AlteredTable& table) {
  return AddedKeys(table, SetOf(existing, table.name));
}

int LockRelatives(THD* thd, const catalog::ForeignKeys& existing, const AlteredTable& table) {
  std::map<std::string, enum_mdl_type> wanted;  // in one order for all statements
  for (const auto& [child, set] : ForeignKeysAfter(existing, table)) {
    wanted[child] = MDL_SHARED_UPGRADABLE;
  }
  const enum_mdl_type of_parents =
      ChecksForeignKeys(thd) ? MDL_SHARED_UPGRADABLE : MDL_SHARED_NO_WRITE;
  for (const ForeignKey& foreign : TypedKeys(table)) wanted[foreign.parent] = of_parents;
  wanted.erase(table.name);
  for (const auto& [name, type] : wanted) {
    if (int error = LockRelatedTable(thd, name, type, MDL_STATEMENT)) return error;
  }
  return 0;
}

int RefuseLosses(THD* thd, const catalog::ForeignKeys& existing, const AlteredTable& table) {
  const std::vector<Use> uses = UsesOf(existing, table);
  if (uses.empty()) return 0;
  if (ChecksForeignKeys(thd)) {
    if (int error = RefuseLostIndexes(table, uses)) return error;
  }
  for (const Use& use : uses) {
    if (GoesWithItsTable(table, use)) continue;
    if (int error = RefuseChangesOfColumns(table, use)) return error;
  }
  return 0;
}

int RefuseForeignKeyName(THD* thd, const std::string& child, const std::string& name) {
  const int error = WarnOfForeignKeyName(thd, name);
  my_error(ER_FK_FAIL_ADD_SYSTEM, MYF(0), IdOf(child, name).c_str());
  return error;
}

enum_alter_inplace_result CheckForeignKeysInPlace(THD* thd, engine::Database* database,
                                                  const AlteredTable& table, const char** reason) {
  const catalog::ForeignKeys& existing = database->catalog()->foreign_keys();
  *reason = nullptr;
  if (!HasForeignKeys(existing, table)) return HA_ALTER_INPLACE_INSTANT;
  if (table.info.handler_flags & ALTER_ADD_FOREIGN_KEY) {
    if (table.before.s->tmp_table != NO_TMP_TABLE) return HA_ALTER_INPLACE_NOT_SUPPORTED;
    *reason = WhyRowsAreCopied(thd, table);
    if (*reason != nullptr) return HA_ALTER_INPLACE_NOT_SUPPORTED;
  }
  if (InnoDbCopies(table.info)) {
    *reason = "types of columns, or no primary key, in a table with foreign keys";
    return HA_ALTER_INPLACE_NOT_SUPPORTED;
  }
  if (LockRelatives(thd, existing, table) != 0) return HA_ALTER_ERROR;
  if (ChecksAddedForeignKeys(thd, table.info)) {
    if (!AreInOrder(thd, database, table)) {
      *reason = "a foreign key that is not in order: the copy tells what is wrong";
      return HA_ALTER_INPLACE_NOT_SUPPORTED;
    }
  } else if (RefuseLosses(thd, existing, table) != 0 ||
             RefuseAdditions(thd, database, table) != 0) {
    return HA_ALTER_ERROR;
  }
  if (LetsNullIn(existing, table)) {
    *reason = "NULL or NOT NULL of a column that a foreign key ON UPDATE CASCADE has";
    return HA_ALTER_INPLACE_NOT_SUPPORTED;
  }
  return HA_ALTER_INPLACE_INSTANT;
}

}  // namespace basalt::server
