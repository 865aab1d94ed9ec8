// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/column_sources.h"

#include <algorithm>

namespace basalt::server {

namespace {

// What the table as it is has in the place of a column; null: nothing.
const Field* OriginOf(const Field& field, const std::vector<const Create_field*>& definitions) {
  return field.field_index < definitions.size() ? definitions[field.field_index]->field : nullptr;
}

}  // namespace

std::vector<Field*> FieldsOf(const Virtual_column_info& expression) {
  List<Item_field> items;
  expression.expr->walk(&Item::collect_item_field_processor, false, &items);
  std::vector<Field*> fields;
  List_iterator_fast<Item_field> item(items);
  while (const Item_field* field = item++) fields.push_back(field->field);
  return fields;
}

std::vector<const Create_field*> DefinitionsOf(const Alter_inplace_info& info) {
  std::vector<const Create_field*> definitions;
  List_iterator_fast<Create_field> definition(info.alter_info->create_list);
  while (const Create_field* each = definition++) definitions.push_back(each);
  return definitions;
}

// Expressions refer to earlier generated columns only, so this ends.
bool IsComputedFromOthers(const Field& field, const std::vector<const Create_field*>& definitions) {
  const Field* origin = OriginOf(field, definitions);
  if (field.vcol_info == nullptr || origin == nullptr || origin->vcol_info == nullptr) return false;
  const std::vector<Field*> before = FieldsOf(*origin->vcol_info);
  const std::vector<Field*> after = FieldsOf(*field.vcol_info);
  return !std::equal(before.begin(), before.end(), after.begin(), after.end(),
                     [&](const Field* one, const Field* other) {
                       const Field* source = OriginOf(*other, definitions);
                       return source != nullptr && source->field_index == one->field_index &&
                              !IsComputedFromOthers(*other, definitions);
                     });
}

}  // namespace basalt::server
