// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/foreign_key_lists.h"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/reference_copy.h"
#include "engine/references/reference_check.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/tables/file_names.h"
#include "server/tables/stored_table.h"
#include "server/tables/table_descriptor_builder.h"

namespace basalt::server {

namespace {

using catalog::ForeignKey;
using catalog::ReferenceAction;

LEX_CSTRING* Keep(THD* thd, std::string_view text) {
  return thd_make_lex_string(thd, nullptr, text.data(), text.size(), /*allocate_lex_string=*/1);
}

enum_fk_option OptionOf(ReferenceAction action) {
  switch (action) {
    case ReferenceAction::kCascade:
      return FK_OPTION_CASCADE;
    case ReferenceAction::kSetNull:
      return FK_OPTION_SET_NULL;
    case ReferenceAction::kNoAction:
      return FK_OPTION_NO_ACTION;
    case ReferenceAction::kRestrict:
    case ReferenceAction::kSetDefault:
      break;
  }
  return FK_OPTION_RESTRICT;
}

bool IsNullable(const TABLE& table, const std::string& column) {
  for (Field** field = table.field; *field != nullptr; ++field) {
    if (my_strcasecmp(system_charset_info, (*field)->field_name.str, column.c_str()) == 0) {
      return (*field)->real_maybe_null();
    }
  }
  return false;
}

struct Sides {
  const TABLE* child;   // null: not known
  const TABLE* parent;  // null: there is none
};

// The name of the parent's index that a foreign key goes by. Null when there is none, or when the
// parent is not one that the foreign key can have: it may have come later than the child.
LEX_CSTRING* KeyNameOf(THD* thd, const Sides& sides, const ForeignKey& foreign) {
  if (sides.child == nullptr || sides.parent == nullptr) return nullptr;
  codec::TableDescriptor child;
  codec::TableDescriptor parent;
  const auto own = FindColumns(*sides.child, foreign, &ForeignKey::Columns::child);
  const auto other = FindColumns(*sides.parent, foreign, &ForeignKey::Columns::parent);
  if (!own || !other || !BuildTableDescriptor(*sides.child, "child", &child).ok() ||
      !BuildTableDescriptor(*sides.parent, foreign.parent, &parent).ok()) {
    return nullptr;
  }
  if (!codec::TypesMatch(child, parent, codec::MakePairs(*own, *other))) return nullptr;
  const std::optional<size_t> index = engine::FindReferenceIndex(parent, *other);
  if (!index) return nullptr;
  const LEX_CSTRING& name = sides.parent->key_info[*index].name;
  return Keep(thd, std::string_view(name.str, name.length));
}

FOREIGN_KEY_INFO* Describe(THD* thd, std::string_view child_name, const ForeignKey& foreign,
                           const Sides& sides) {
  void* room = thd->alloc(sizeof(FOREIGN_KEY_INFO));
  if (room == nullptr) return nullptr;
  auto* info = new (room) FOREIGN_KEY_INFO();
  const DisplayNames child = DisplayNamesOf(child_name);
  const DisplayNames parent = DisplayNamesOf(foreign.parent);
  info->foreign_id = Keep(thd, foreign.name);
  info->foreign_db = Keep(thd, child.database);
  info->foreign_table = Keep(thd, child.table);
  info->referenced_db = Keep(thd, parent.database);
  info->referenced_table = Keep(thd, parent.table);
  info->update_method = OptionOf(foreign.on_update);
  info->delete_method = OptionOf(foreign.on_delete);
  info->referenced_key_name = KeyNameOf(thd, sides, foreign);
  const auto count = static_cast<unsigned>(foreign.columns.size());
  for (unsigned i = 0; i < count; ++i) {
    const ForeignKey::Columns& pair = foreign.columns[i];
    info->foreign_fields.push_back(Keep(thd, pair.child), thd->mem_root);
    info->referenced_fields.push_back(Keep(thd, pair.parent), thd->mem_root);
    // The server keeps a NULL of the parent from a child that has none; see KeepsNullOut.
    const bool counts = KeepsNullOut(foreign);
    if (!counts || (sides.child != nullptr && IsNullable(*sides.child, pair.child))) {
      info->set_nullable(thd, /*referenced=*/false, i, count);
    }
    if (counts && sides.parent != nullptr && IsNullable(*sides.parent, pair.parent)) {
      info->set_nullable(thd, /*referenced=*/true, i, count);
    }
  }
  return info;
}

std::vector<const ForeignKey*> InOrderOfNames(const catalog::ForeignKeySet& set) {
  std::vector<const ForeignKey*> keys;
  keys.reserve(set.keys.size());
  for (const ForeignKey& foreign : set.keys) keys.push_back(&foreign);
  std::sort(keys.begin(), keys.end(),
            [](const ForeignKey* a, const ForeignKey* b) { return a->name < b->name; });
  return keys;
}

// The definition of another table; null when there is none that can be read.
const TABLE* OpenOther(const catalog::Catalog& catalog, const std::string& name,
                       StoredTable* stored) {
  return stored->Open(catalog, name).ok() ? &stored->table() : nullptr;
}

void AppendIdentifier(THD* thd, std::string_view name, String* to) {
  append_identifier(thd, to, name.data(), name.size());
}

void AppendColumns(THD* thd, const ForeignKey& foreign, std::string ForeignKey::Columns::*side,
                   String* to) {
  to->append('(');
  for (size_t i = 0; i < foreign.columns.size(); ++i) {
    if (i != 0) to->append(STRING_WITH_LEN(", "));
    AppendIdentifier(thd, foreign.columns[i].*side, to);
  }
  to->append(')');
}

// RESTRICT is what a definition without a word means, and SET DEFAULT does the same.
void AppendAction(ReferenceAction action, const char* event, String* to) {
  const char* word = action == ReferenceAction::kCascade    ? " CASCADE"
                     : action == ReferenceAction::kSetNull  ? " SET NULL"
                     : action == ReferenceAction::kNoAction ? " NO ACTION"
                                                            : nullptr;
  if (word == nullptr) return;
  to->append(event, strlen(event));
  to->append(word, strlen(word));
}

}  // namespace

int ListForeignKeys(THD* thd, const catalog::Catalog& catalog, const std::string& name,
                    const TABLE& child, List<FOREIGN_KEY_INFO>* list) {
  const catalog::ForeignKeyMap::Keys keys = catalog.foreign_keys().OfChild(name);
  if (keys == nullptr) return 0;
  for (const ForeignKey* foreign : InOrderOfNames(*keys)) {
    StoredTable stored(thd);
    const TABLE* parent =
        foreign->parent == name ? &child : OpenOther(catalog, foreign->parent, &stored);
    FOREIGN_KEY_INFO* info = Describe(thd, name, *foreign, {&child, parent});
    if (info == nullptr || list->push_back(info, thd->mem_root)) return HA_ERR_OUT_OF_MEM;
  }
  return 0;
}

// In InnoDB's order, by database and name: the server names the first one in errors.
int ListForeignKeysTo(THD* thd, const catalog::Catalog& catalog, const std::string& name,
                      const TABLE& parent, List<FOREIGN_KEY_INFO>* list) {
  std::map<std::string, FOREIGN_KEY_INFO*> found;
  for (const std::string& child_name : catalog.foreign_keys().ChildrenOf(name)) {
    const catalog::ForeignKeyMap::Keys keys = catalog.foreign_keys().OfChild(child_name);
    if (keys == nullptr) continue;
    StoredTable stored(thd);
    const TABLE* child = child_name == name ? &parent : OpenOther(catalog, child_name, &stored);
    for (const ForeignKey& foreign : keys->keys) {
      if (foreign.parent != name) continue;
      FOREIGN_KEY_INFO* info = Describe(thd, child_name, foreign, {child, &parent});
      if (info == nullptr) return HA_ERR_OUT_OF_MEM;
      found[child_name.substr(0, child_name.find('.')) + "/" + foreign.name] = info;
    }
  }
  for (const auto& [id, info] : found) {
    if (list->push_back(info, thd->mem_root)) return HA_ERR_OUT_OF_MEM;
  }
  return 0;
}

std::string DescribeForeignKey(THD* thd, std::string_view child, const ForeignKey& foreign) {
  String text;
  text.append(STRING_WITH_LEN("CONSTRAINT "));
  AppendIdentifier(thd, foreign.name, &text);
  text.append(STRING_WITH_LEN(" FOREIGN KEY "));
  AppendColumns(thd, foreign, &ForeignKey::Columns::child, &text);
  text.append(STRING_WITH_LEN(" REFERENCES "));
  const DisplayNames own = DisplayNamesOf(child);
  const DisplayNames parent = DisplayNamesOf(foreign.parent);
  if (parent.database != own.database) {
    AppendIdentifier(thd, parent.database, &text);
    text.append('.');
  }
  AppendIdentifier(thd, parent.table, &text);
  text.append(' ');
  AppendColumns(thd, foreign, &ForeignKey::Columns::parent, &text);
  AppendAction(foreign.on_delete, " ON DELETE", &text);
  AppendAction(foreign.on_update, " ON UPDATE", &text);
  return std::string(text.ptr(), text.length());
}

std::string DescribeObstacle(THD* thd, std::string_view child, const ForeignKey& foreign) {
  const DisplayNames names = DisplayNamesOf(child);
  String text;
  AppendIdentifier(thd, names.database, &text);
  text.append('.');
  AppendIdentifier(thd, names.table, &text);
  text.append(STRING_WITH_LEN(", "));
  return std::string(text.ptr(), text.length()) + DescribeForeignKey(thd, child, foreign);
}

std::string DescribeReference(THD* thd, const catalog::Catalog& catalog, const std::string& child,
                              std::string_view parent) {
  const catalog::ForeignKeyMap::Keys keys = catalog.foreign_keys().OfChild(child);
  if (keys == nullptr) return {};
  for (const ForeignKey& foreign : keys->keys) {
    if (foreign.parent == parent) return DescribeObstacle(thd, child, foreign);
  }
  return {};
}

std::string DescribeForeignKeys(THD* thd, const catalog::Catalog& catalog,
                                const std::string& child) {
  std::string text;
  const catalog::ForeignKeyMap::Keys keys = catalog.foreign_keys().OfChild(child);
  if (keys == nullptr) return text;
  for (const ForeignKey* foreign : InOrderOfNames(*keys)) {
    text += ",\n  " + DescribeForeignKey(thd, child, *foreign);
  }
  return text;
}

}  // namespace basalt::server
