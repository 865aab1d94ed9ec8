// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/column_plan.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/tables/default_value.h"

namespace basalt::server {

namespace {

Status MustCopy(const char* why) { return Status(Code::kNotSupported, why); }

// What the rows that are there get in a new column has to be one value, and known.
Status CheckNewColumn(const Field& field) {
  if (field.vcol_info != nullptr) return MustCopy("a generated column that is stored");
  if (field.unireg_check == Field::NEXT_NUMBER) return MustCopy("a new AUTO_INCREMENT");
  return Status::Ok();
}

Status OriginOf(const TABLE& altered, const Create_field& definition, uint position,
                const codec::Column& column, codec::ColumnOrigin* origin) {
  if (definition.field != nullptr) {
    origin->column = definition.field->field_index;
    return Status::Ok();
  }
  if (!column.stored) return Status::Ok();  // not in rows
  BASALT_RETURN_IF_ERROR(CheckNewColumn(*altered.field[position]));
  const uint8_t* record = nullptr;
  BASALT_RETURN_IF_ERROR(FindDefaultValue(altered, position, &record));
  *origin = codec::NewColumn(column, record);
  return Status::Ok();
}

// History and the life of rows hang on columns of their own.
Status CheckTraits(const engine::Table& table, const TABLE& altered,
                   const codec::TableDescriptor& target,
                   const std::vector<codec::ColumnOrigin>& origins) {
  if (altered.versioned() || table.traits().row_end.has_value()) {
    return MustCopy("columns of a table with system versioning");
  }
  return CheckLifeColumn(table, target, origins);
}

// What an ALTER TABLE does to columns that stay.
constexpr alter_table_operations kValues =
    ALTER_COLUMN_TYPE_CHANGE_BY_ENGINE | ALTER_COLUMN_NULLABLE;

bool IsSameInRows(const codec::Column& before, const codec::Column& after) {
  return codec::SlotOf(before) == codec::SlotOf(after);
}

bool AnyConverted(const codec::TableDescriptor& before, const codec::TableDescriptor& target,
                  const std::vector<codec::ColumnOrigin>& origins) {
  for (uint32_t i = 0; i < origins.size(); ++i) {
    const std::optional<uint32_t> origin = origins[i].column;
    if (origin.has_value() && !IsSameInRows(before.columns[*origin], target.columns[i])) {
      return true;
    }
  }
  return false;
}

bool SameLayouts(const codec::RowLayout* one, const codec::RowLayout* other) {
  return one == other || (one != nullptr && other != nullptr && *one == *other);
}

}  // namespace

Status FindColumnOrigins(const TABLE& altered, const Alter_inplace_info& info,
                         const codec::TableDescriptor& target,
                         std::vector<codec::ColumnOrigin>* origins) {
  List_iterator_fast<Create_field> definitions(info.alter_info->create_list);
  while (const Create_field* definition = definitions++) {
    const auto position = static_cast<uint>(origins->size());
    if (position >= target.columns.size()) return MustCopy("columns that are not in the statement");
    codec::ColumnOrigin origin;
    BASALT_RETURN_IF_ERROR(
        OriginOf(altered, *definition, position, target.columns[position], &origin));
    origins->push_back(std::move(origin));
  }
  if (origins->size() != target.columns.size()) {
    return MustCopy("columns that are not in the statement");
  }
  return Status::Ok();
}

Status CheckLifeColumn(const engine::Table& table, const codec::TableDescriptor& target,
                       const std::vector<codec::ColumnOrigin>& origins) {
  const std::optional<uint32_t> life = table.traits().ttl_column;
  if (!life.has_value()) return Status::Ok();
  for (size_t i = 0; i < origins.size(); ++i) {
    if (origins[i].column == life && !target.columns[i].nullable) return Status::Ok();
  }
  return MustCopy("the column that rows live by");
}

Status PlanColumns(const engine::Table& table, const TABLE& altered, const Alter_inplace_info& info,
                   codec::TableDescriptor* target) {
  const codec::TableDescriptor& before = table.descriptor();
  target->row_layout = before.row_layout;
  if (!(info.handler_flags & kColumnOperations)) return Status::Ok();
  if (info.error_if_not_empty) return MustCopy("a new column whose default is no valid value");
  std::vector<codec::ColumnOrigin> origins;
  BASALT_RETURN_IF_ERROR(FindColumnOrigins(altered, info, *target, &origins));
  if (!AnyConverted(before, *target, origins) &&
      !(info.handler_flags & kColumnOperations & ~kValues)) {
    return Status::Ok();
  }
  BASALT_RETURN_IF_ERROR(CheckTraits(table, altered, *target, origins));
  std::shared_ptr<const codec::RowLayout> layout;
  if (!codec::ChangeRowLayout(before, *target, origins, &layout)) {
    return MustCopy("columns that rows cannot be read as");
  }
  if (!SameLayouts(layout.get(), before.row_layout.get())) target->row_layout = std::move(layout);
  return Status::Ok();
}

}  // namespace basalt::server
