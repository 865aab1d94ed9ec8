// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/statement_foreign_keys.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/table_map.h"

namespace basalt::server {

namespace {

std::string ToString(const LEX_CSTRING& text) { return std::string(text.str, text.length); }

catalog::ReferenceAction ActionOf(enum_fk_option option) {
  switch (option) {
    case FK_OPTION_CASCADE:
      return catalog::ReferenceAction::kCascade;
    case FK_OPTION_SET_NULL:
      return catalog::ReferenceAction::kSetNull;
    case FK_OPTION_NO_ACTION:
      return catalog::ReferenceAction::kNoAction;
    case FK_OPTION_SET_DEFAULT:
      return catalog::ReferenceAction::kSetDefault;
    case FK_OPTION_UNDEF:
    case FK_OPTION_RESTRICT:
      break;
  }
  return catalog::ReferenceAction::kRestrict;
}

void ShowNoAction(enum_fk_option option, catalog::ReferenceAction* action) {
  if (option == FK_OPTION_RESTRICT || option == FK_OPTION_SET_DEFAULT) {
    *action = catalog::ReferenceAction::kNoAction;
  }
}

// Behind a column REFERENCES may leave the parent's column out: it has the name of the child's.
std::vector<catalog::ForeignKey::Columns> ColumnsOf(const Foreign_key& foreign) {
  std::vector<catalog::ForeignKey::Columns> columns;
  List_iterator_fast<Key_part_spec> own(const_cast<List<Key_part_spec>&>(foreign.columns));
  List_iterator_fast<Key_part_spec> other(const_cast<List<Key_part_spec>&>(foreign.ref_columns));
  while (const Key_part_spec* child = own++) {
    const Key_part_spec* parent = other++;
    if (parent == nullptr) parent = child;
    columns.push_back({ToString(child->field_name), ToString(parent->field_name)});
  }
  return columns;
}

catalog::ForeignKey Translate(const Foreign_key& foreign, const DisplayNames& child) {
  catalog::ForeignKey translated;
  translated.name = ToString(foreign.constraint_name);
  const std::string database =
      foreign.ref_db.str == nullptr ? child.database : ToString(foreign.ref_db);
  translated.parent = DictionaryNameOf({database, ToString(foreign.ref_table)});
  translated.columns = ColumnsOf(foreign);
  translated.on_delete = ActionOf(foreign.delete_opt);
  translated.on_update = ActionOf(foreign.update_opt);
  return translated;
}

template <typename Visit>
void ForEachForeignKey(const Alter_info& alter, const Visit& visit) {
  List_iterator_fast<Key> keys(const_cast<List<Key>&>(alter.key_list));
  while (const Key* key = keys++) {
    if (key->type == Key::FOREIGN_KEY) visit(static_cast<const Foreign_key&>(*key));
  }
}

uint32_t LastNumber(const DisplayNames& child, const catalog::ForeignKeySet& set) {
  uint32_t last = 0;
  for (const catalog::ForeignKey& foreign : set.keys) {
    last = std::max(last, catalog::NumberOfGeneratedName(child.table, foreign.name));
  }
  return last;
}

void MakeNames(const DisplayNames& child, uint32_t last, std::vector<catalog::ForeignKey>* keys) {
  for (catalog::ForeignKey& foreign : *keys) {
    if (foreign.name.empty()) foreign.name = catalog::GeneratedName(child.table, ++last);
  }
}

// As the statement knows the table; it may give it another name. None when it names no table.
std::optional<DisplayNames> NamesOfAlteredTable(THD* thd) {
  const TABLE_LIST* altered = thd->lex->query_tables;
  if (altered == nullptr) return std::nullopt;
  return DisplayNames{ToString(altered->db), ToString(altered->table_name)};
}

}  // namespace

std::string NameOfAlteredTable(THD* thd) {
  const std::optional<DisplayNames> altered = NamesOfAlteredTable(thd);
  return altered ? DictionaryNameOf(*altered) : std::string();
}

DisplayNames NamesOfNewTable(THD* thd, const TABLE& form, const std::string& name) {
  const bool is_copy = catalog::IsTemporaryName(name);
  const std::optional<DisplayNames> altered = is_copy ? NamesOfAlteredTable(thd) : std::nullopt;
  if (!altered) return {ToString(form.s->db), ToString(form.s->table_name)};
  DisplayNames names = *altered;
  if (!(thd->lex->alter_info.flags & ALTER_RENAME)) return names;
  const SELECT_LEX* select = thd->lex->first_select_lex();
  if (select->db.str != nullptr) names.database = ToString(select->db);
  names.table = ToString(thd->lex->name);
  return names;
}

// The server does not tell SET DEFAULT from RESTRICT, so the dictionary says what is kept.
std::vector<catalog::ForeignKey> KeptForeignKeys(const Alter_info& alter,
                                                 const catalog::ForeignKeySet& before) {
  std::vector<catalog::ForeignKey> kept;
  ForEachForeignKey(alter, [&](const Foreign_key& foreign) {
    if (!foreign.old) return;
    for (const catalog::ForeignKey& each : before.keys) {
      if (each.name == ToString(foreign.constraint_name)) kept.push_back(each);
    }
  });
  return kept;
}

std::vector<catalog::ForeignKey> ReadAddedForeignKeys(const Alter_info& alter,
                                                      const DisplayNames& child, bool in_place) {
  std::vector<catalog::ForeignKey> added;
  ForEachForeignKey(alter, [&](const Foreign_key& foreign) {
    if (foreign.old) return;
    added.push_back(Translate(foreign, child));
    if (!in_place) return;
    ShowNoAction(foreign.delete_opt, &added.back().on_delete);
    ShowNoAction(foreign.update_opt, &added.back().on_update);
  });
  return added;
}

void NameAddedForeignKeys(const DisplayNames& child, const catalog::ForeignKeySet& before,
                          std::vector<catalog::ForeignKey>* added) {
  MakeNames(child, LastNumber(child, before), added);
}

}  // namespace basalt::server
