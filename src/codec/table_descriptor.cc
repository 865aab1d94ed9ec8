// SPDX-License-Identifier: GPL-2.0-only
#include "codec/table_descriptor.h"

#include <algorithm>

namespace basalt::codec {

namespace {

Status Wrong(const TableDescriptor& table, const std::string& what) {
  return Status(Code::kInvalidArgument, "table " + table.name + ": " + what);
}

bool IsIntegerWidth(uint32_t bytes) { return (bytes >= 1 && bytes <= 4) || bytes == 8; }

// Whether the bytes the column says it has can be those of its kind.
bool LengthFitsKind(const Column& column) {
  const uint32_t bytes = column.pack_length;
  switch (column.kind) {
    case ColumnKind::kSigned:
    case ColumnKind::kUnsigned:
    case ColumnKind::kSet:
      return IsIntegerWidth(bytes);
    case ColumnKind::kEnum:
      return bytes == 1 || bytes == 2;
    case ColumnKind::kFloat:
    case ColumnKind::kOldTimestamp:
      return bytes == 4;
    case ColumnKind::kDouble:
    case ColumnKind::kOldDatetime:
      return bytes == 8;
    case ColumnKind::kDate:
    case ColumnKind::kOldTime:
      return bytes == 3;
    case ColumnKind::kYear:
      return bytes == 1;
    case ColumnKind::kDecimal:
    case ColumnKind::kTemporal:
    case ColumnKind::kOldTemporalHires:
    case ColumnKind::kOldTimeHires:
    case ColumnKind::kBit:
    case ColumnKind::kFixedBinary:
      return bytes > 0;
    case ColumnKind::kChar:
    case ColumnKind::kBinary:
      return true;  // CHAR(0) has no bytes
    case ColumnKind::kVarchar:
    case ColumnKind::kVarbinary:
      return (column.length_bytes == 1 || column.length_bytes == 2) && bytes >= column.length_bytes;
    case ColumnKind::kText:
    case ColumnKind::kBlob:
      return column.length_bytes >= 1 && column.length_bytes <= 4 &&
             bytes == column.length_bytes + kBlobPointerBytes;
  }
  return false;
}

bool NeedsCollation(ColumnKind kind) {
  return kind == ColumnKind::kChar || kind == ColumnKind::kVarchar || kind == ColumnKind::kText;
}

Status ValidateColumn(const TableDescriptor& table, size_t position) {
  const Column& column = table.columns[position];
  const std::string name = "column " + std::to_string(position);
  if (!LengthFitsKind(column)) return Wrong(table, name + " has a length its type cannot have");
  const uint64_t end = uint64_t{column.offset} + column.pack_length;
  if (end > table.record_length) return Wrong(table, name + " ends behind the record");
  if (column.nullable && (column.null_mask == 0 || column.null_offset >= table.record_length)) {
    return Wrong(table, name + " has no place for its NULL bit");
  }
  if (NeedsCollation(column.kind) && column.collation == nullptr) {
    return Wrong(table, name + " has no collation");
  }
  return Status::Ok();
}

// Versions are per index, but not every mixture can hold together.
Status ValidateVersion(const TableDescriptor& table, const IndexDescriptor& index) {
  const uint16_t version = index.kv_format_version;
  const std::string name = "table " + table.name + ": index " + index.name;
  if (version < kKvFormatOldest || version > kKvFormatFullText) {
    return Status(Code::kNotSupported, name + " has format version " + std::to_string(version) +
                                           ", which this version of Basalt does not know");
  }
  if (IsSpatial(index) != (version == kKvFormatSpatial) ||
      IsFullText(index) != (version == kKvFormatFullText)) {
    return Status(Code::kNotSupported, name + " has format version " + std::to_string(version) +
                                           ", which does not go with its kind");
  }
  if (version >= kKvFormatNewest) return Status::Ok();
  for (const KeyPart& part : index.parts) {
    if (part.descending) {
      return Status(Code::kNotSupported, name + " has a descending part, which format version " +
                                             std::to_string(version) + " cannot hold");
    }
  }
  if (table.primary_index().kv_format_version >= kKvFormatNewest) {
    return Status(Code::kNotSupported, name + " has an older format version than the primary key");
  }
  return Status::Ok();
}

// Words of columns that are texts, of one collation.
Status ValidateFullText(const TableDescriptor& table, const IndexDescriptor& index) {
  const Collation* collation = table.columns[index.parts[0].column].collation;
  for (const KeyPart& part : index.parts) {
    const Column& column = table.columns[part.column];
    if (!part.full_text || part.spatial || part.descending || !NeedsCollation(column.kind) ||
        column.collation != collation || index.kind != IndexKind::kSecondary || index.unique) {
      return Wrong(table, "index " + index.name + " has an impossible full-text part");
    }
  }
  return Status::Ok();
}

Status ValidateIndex(const TableDescriptor& table, const IndexDescriptor& index) {
  for (const KeyPart& part : index.parts) {
    if (part.column >= table.columns.size()) {
      return Wrong(table, "index " + index.name + " names a column that does not exist");
    }
    const Column& column = table.columns[part.column];
    if (!column.stored && index.kind == IndexKind::kPrimary) {
      return Wrong(table, "the primary key has a virtual generated column");
    }
    if (part.length == 0 || (IsPlainString(column.kind) && part.length > column.field_length)) {
      return Wrong(table, "index " + index.name + " has a part of an impossible length");
    }
    if (part.spatial && (column.kind != ColumnKind::kBlob || column.nullable || part.descending ||
                         index.kind != IndexKind::kSecondary || index.parts.size() != 1)) {
      return Wrong(table, "index " + index.name + " has an impossible spatial part");
    }
    if (index.kind == IndexKind::kPrimary && column.nullable) {
      return Wrong(table, "the primary key has a column that can be NULL");
    }
  }
  const bool hidden = index.kind == IndexKind::kHiddenPrimary;
  if (hidden != index.parts.empty()) {
    return Wrong(table, "index " + index.name + (hidden ? " has parts" : " has no parts"));
  }
  const bool any_full_text = std::any_of(index.parts.begin(), index.parts.end(),
                                         [](const KeyPart& part) { return part.full_text; });
  return any_full_text ? ValidateFullText(table, index) : Status::Ok();
}

}  // namespace

Status Validate(const TableDescriptor& table) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    BASALT_RETURN_IF_ERROR(ValidateColumn(table, i));
  }
  if (table.primary >= table.indexes.size()) return Wrong(table, "has no primary index");
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    const IndexDescriptor& index = table.indexes[i];
    BASALT_RETURN_IF_ERROR(ValidateIndex(table, index));
    BASALT_RETURN_IF_ERROR(ValidateVersion(table, index));
    const bool is_primary = index.kind != IndexKind::kSecondary;
    if (is_primary != (i == table.primary))
      return Wrong(table, "has not exactly one primary index");
  }
  const bool hidden = table.primary_index().kind == IndexKind::kHiddenPrimary;
  if (hidden != table.hidden_primary) return Wrong(table, "disagrees about its hidden primary key");
  if (!table.default_record.empty() && table.default_record.size() != table.record_length) {
    return Wrong(table, "has a default record of another length");
  }
  return Status::Ok();
}

std::vector<KeyPart> PartsInKey(const TableDescriptor& table, const IndexDescriptor& index) {
  std::vector<KeyPart> parts = index.parts;
  if (IsFullText(index)) parts.resize(1);
  if (index.kind != IndexKind::kSecondary || table.hidden_primary) return parts;
  for (const KeyPart& part : table.primary_index().parts) {
    const bool declared =
        std::any_of(index.parts.begin(), index.parts.end(),
                    [&](const KeyPart& known) { return known.HoldsSameAs(part); });
    if (!declared) parts.push_back(part);
  }
  return parts;
}

std::vector<uint32_t> PrimaryPartPositions(const TableDescriptor& table,
                                           const std::vector<KeyPart>& parts_in_key) {
  std::vector<uint32_t> positions;
  for (const KeyPart& part : table.primary_index().parts) {
    for (size_t i = parts_in_key.size(); i-- > 0;) {
      if (parts_in_key[i].column != part.column) continue;
      positions.push_back(static_cast<uint32_t>(i));
      break;
    }
  }
  return positions;
}

}  // namespace basalt::codec
