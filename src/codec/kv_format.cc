// SPDX-License-Identifier: GPL-2.0-only
#include "codec/kv_format.h"

#include <algorithm>

namespace basalt::codec {

namespace {

bool IsCharacterString(ColumnKind kind) {
  return kind == ColumnKind::kChar || kind == ColumnKind::kVarchar;
}

// The collation by which keys order the column; null when they compare bytes.
const Collation* OrderOf(const Column& column) {
  if (column.collation == nullptr) return nullptr;
  return column.collation->kind() == CollationClass::kBinary ? nullptr : column.collation;
}

// True when version 13 does not order or tell apart strings of the collation as SQL does.
bool OrdersOnlyInNewest(const Collation& collation) {
  return !collation.properties().pad_space || collation.has_levels() ||
         collation.properties().transform_multiplier != 1 || collation.space_is_ambiguous() ||
         !collation.transforms_as_it_compares();
}

bool NeedsNewest(const Column& column, const KeyPart& part) {
  if (part.descending || IsBlob(column.kind)) return true;
  if (column.kind == ColumnKind::kFloat || column.kind == ColumnKind::kOldTimeHires) return true;
  const Collation* collation = OrderOf(column);
  return collation != nullptr && OrdersOnlyInNewest(*collation);
}

bool PrimaryNeedsNewest(const TableDescriptor& table) {
  const std::vector<KeyPart>& parts = table.primary_index().parts;
  return std::any_of(parts.begin(), parts.end(), [&](const KeyPart& part) {
    return NeedsNewest(table.columns[part.column], part);
  });
}

}  // namespace

uint16_t NeededKvFormat(const TableDescriptor& table, size_t index) {
  const IndexDescriptor& descriptor = table.indexes[index];
  if (IsSpatial(descriptor)) return kKvFormatSpatial;
  if (IsFullText(descriptor)) return kKvFormatFullText;
  if (PrimaryNeedsNewest(table)) return kKvFormatNewest;
  const bool secondary = descriptor.kind == IndexKind::kSecondary;
  for (const KeyPart& part : PartsInKey(table, descriptor)) {
    const Column& column = table.columns[part.column];
    if (NeedsNewest(column, part)) return kKvFormatNewest;
    if (secondary && CoversWholeColumn(column, part) &&
        !IsReadable(column, part, kKvFormatShared)) {
      return kKvFormatNewest;
    }
  }
  return kKvFormatShared;
}

void ChooseKvFormats(TableDescriptor* table) {
  for (size_t i = 0; i < table->indexes.size(); ++i) {
    table->indexes[i].kv_format_version = NeededKvFormat(*table, i);
  }
}

uint16_t LayoutVersionOf(const TableDescriptor& table, const IndexDescriptor& index,
                         const KeyPart& part) {
  if (index.kv_format_version < kKvFormatNewest) return index.kv_format_version;
  const IndexDescriptor& primary = table.primary_index();
  const bool in_row_key =
      std::any_of(primary.parts.begin(), primary.parts.end(),
                  [&](const KeyPart& other) { return other.HoldsSameAs(part); });
  return in_row_key ? primary.kv_format_version : index.kv_format_version;
}

bool CoversWholeColumn(const Column& column, const KeyPart& part) {
  if (IsBlob(column.kind)) return false;
  return !IsPlainString(column.kind) || part.length == column.field_length;
}

bool IsDecodable(const Column& column, const KeyPart& part, uint16_t version) {
  if (!CoversWholeColumn(column, part)) return false;
  switch (column.kind) {
    case ColumnKind::kFloat:
      return version < kKvFormatNewest;
    case ColumnKind::kSigned:
    case ColumnKind::kUnsigned:
    case ColumnKind::kDouble:
    case ColumnKind::kDecimal:
    case ColumnKind::kDate:
    case ColumnKind::kTemporal:
    case ColumnKind::kYear:
    case ColumnKind::kBinary:
    case ColumnKind::kVarbinary:
      return true;
    case ColumnKind::kChar:
    case ColumnKind::kVarchar:
      if (column.collation->kind() == CollationClass::kSimple) {
        return version < kKvFormatNewest || !column.collation->space_is_ambiguous();
      }
      return column.collation->kind() == CollationClass::kExact ||
             column.collation->kind() == CollationClass::kBinary;
    default:
      return false;
  }
}

bool IsReadable(const Column& column, const KeyPart& part, uint16_t version) {
  if (!CoversWholeColumn(column, part)) return false;
  if (version >= kKvFormatNewest) return true;
  if (column.kind == ColumnKind::kFloat) return false;
  if (!IsCharacterString(column.kind) || IsDecodable(column, part, version)) return true;
  return column.collation->weight_code() != WeightCode::kLossy &&
         column.collation->properties().pad_space;
}

bool HidesUnpackInfo(const Column& column, const KeyPart& part, uint16_t version) {
  return version < kKvFormatNewest && column.kind == ColumnKind::kVarchar &&
         CoversWholeColumn(column, part) && column.collation->space_is_ambiguous();
}

bool IsLastReadable(const Column* columns, const KeyPart* parts, size_t count, uint16_t version) {
  const Column& last = columns[count - 1];
  if (!IsReadable(last, parts[count - 1], version)) return false;
  const bool from_unpack_info =
      last.kind == ColumnKind::kVarchar ||
      (last.kind == ColumnKind::kChar && last.collation->kind() == CollationClass::kSimple);
  if (!from_unpack_info) return true;
  for (size_t i = 0; i < count; ++i) {
    if (HidesUnpackInfo(columns[i], parts[i], version)) return false;
  }
  return true;
}

bool NeedsUnpackInfo(const Column& column, const KeyPart& part, uint16_t version) {
  if (!IsCharacterString(column.kind) || !IsDecodable(column, part, version)) return false;
  const CollationClass kind = column.collation->kind();
  if (kind == CollationClass::kSimple) return true;
  return kind == CollationClass::kExact && column.kind == ColumnKind::kVarchar;
}

}  // namespace basalt::codec
