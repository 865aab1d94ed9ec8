// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/table_descriptor_builder.h"

#include <string>
#include <utility>

#include "codec/column.h"
#include "codec/kv_format.h"
#include "server/tables/collation_adapter.h"

namespace basalt::server {

namespace {

using codec::Column;
using codec::ColumnKind;

bool IsBinary(const Field& field) { return field.charset() == &my_charset_bin; }

Status Unsupported(const Field& field, std::string_view what) {
  return Status(Code::kNotSupported, "column '" + std::string(field.field_name.str) + "': " +
                                         std::string(what) + " is not supported by ROCKSDB");
}

std::string TypeName(const Field& field) {
  const Name name = field.type_handler()->name();
  return std::string(name.ptr(), name.length());
}

// UUID, INET6 and INET4 are plugins of the server: all claim the type of CHAR, none has a class
// in the headers. Their bytes are of fixed size and compare as bytes.
bool IsFixedBinaryType(const Field& field) {
  const std::string name = TypeName(field);
  return name == "uuid" || name == "inet6" || name == "inet4";
}

Status DescribeCharacterColumn(const Field& field, ColumnKind text, ColumnKind binary,
                               Column* column) {
  column->field_length = field.field_length;
  if (IsBinary(field)) {
    column->kind = binary;
    return Status::Ok();
  }
  column->kind = text;
  return CollationOf(field.charset(), &column->collation);
}

Status DescribeFixedString(const Field& field, Column* column) {
  if (IsFixedBinaryType(field)) {
    column->kind = ColumnKind::kFixedBinary;
    return Status::Ok();
  }
  if (field.type_handler() != &type_handler_string) {
    return Unsupported(field, "the type " + TypeName(field));
  }
  return DescribeCharacterColumn(field, ColumnKind::kChar, ColumnKind::kBinary, column);
}

// Compressed columns hold the server's own compressed image; nothing may look into it, and the
// server lets no index use it.
void DescribeCompressed(const Field& field, ColumnKind kind, Column* column) {
  column->kind = kind;
  column->field_length = field.field_length;
}

Status DescribeKind(const Field& field, Column* column) {
  const bool is_unsigned = (field.flags & UNSIGNED_FLAG) != 0;
  const bool has_fraction = field.decimals() > 0;
  switch (field.real_type()) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
      column->kind = is_unsigned ? ColumnKind::kUnsigned : ColumnKind::kSigned;
      return Status::Ok();
    case MYSQL_TYPE_FLOAT:
      column->kind = ColumnKind::kFloat;
      return Status::Ok();
    case MYSQL_TYPE_DOUBLE:
      column->kind = ColumnKind::kDouble;
      return Status::Ok();
    case MYSQL_TYPE_NEWDECIMAL:
      column->kind = ColumnKind::kDecimal;
      return Status::Ok();
    case MYSQL_TYPE_NEWDATE:
      column->kind = ColumnKind::kDate;
      return Status::Ok();
    case MYSQL_TYPE_YEAR:
      column->kind = ColumnKind::kYear;
      return Status::Ok();
    case MYSQL_TYPE_TIME2:
    case MYSQL_TYPE_DATETIME2:
    case MYSQL_TYPE_TIMESTAMP2:
      column->kind = ColumnKind::kTemporal;
      return Status::Ok();
    case MYSQL_TYPE_TIME:
      column->kind = has_fraction ? ColumnKind::kOldTimeHires : ColumnKind::kOldTime;
      return Status::Ok();
    case MYSQL_TYPE_DATETIME:
      column->kind = has_fraction ? ColumnKind::kOldTemporalHires : ColumnKind::kOldDatetime;
      return Status::Ok();
    case MYSQL_TYPE_TIMESTAMP:
      column->kind = has_fraction ? ColumnKind::kOldTemporalHires : ColumnKind::kOldTimestamp;
      return Status::Ok();
    case MYSQL_TYPE_BIT:
      column->kind = ColumnKind::kBit;
      return Status::Ok();
    case MYSQL_TYPE_ENUM:
      column->kind = ColumnKind::kEnum;
      return Status::Ok();
    case MYSQL_TYPE_SET:
      column->kind = ColumnKind::kSet;
      return Status::Ok();
    case MYSQL_TYPE_STRING:
      return DescribeFixedString(field, column);
    case MYSQL_TYPE_VARCHAR:
      return DescribeCharacterColumn(field, ColumnKind::kVarchar, ColumnKind::kVarbinary, column);
    case MYSQL_TYPE_VARCHAR_COMPRESSED:
      DescribeCompressed(field, ColumnKind::kVarbinary, column);
      return Status::Ok();
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_GEOMETRY:
      return DescribeCharacterColumn(field, ColumnKind::kText, ColumnKind::kBlob, column);
    case MYSQL_TYPE_BLOB_COMPRESSED:
      DescribeCompressed(field, ColumnKind::kBlob, column);
      return Status::Ok();
    default:
      return Unsupported(field, "the type " + TypeName(field));
  }
}

Status DescribeColumn(const TABLE& table, const Field& field, Column* column) {
  BASALT_RETURN_IF_ERROR(DescribeKind(field, column));
  column->offset = static_cast<uint32_t>(field.ptr - table.record[0]);
  column->pack_length = field.pack_length();
  if (codec::IsVariableLength(column->kind)) {
    column->length_bytes = static_cast<const Field_varstring&>(field).length_bytes;
  } else if (codec::IsBlob(column->kind)) {
    column->length_bytes =
        static_cast<uint8_t>(static_cast<const Field_blob&>(field).pack_length_no_ptr());
  }
  column->nullable = field.real_maybe_null();
  if (column->nullable) {
    column->null_mask = field.null_bit;
    column->null_offset = static_cast<uint32_t>(field.null_ptr - table.record[0]);
  }
  column->stored = field.stored_in_db();
  return Status::Ok();
}

// A part of a descriptor must have a length; in a FULLTEXT index it says nothing.
constexpr uint32_t kWordPartLength = 1;

codec::IndexDescriptor DescribeIndex(const TABLE& table, uint position) {
  const KEY& key = table.key_info[position];
  codec::IndexDescriptor index;
  index.name.assign(key.name.str, key.name.length);
  const bool primary = position == table.s->primary_key;
  index.kind = primary ? codec::IndexKind::kPrimary : codec::IndexKind::kSecondary;
  index.unique = (key.flags & HA_NOSAME) != 0;
  const bool full_text = (key.flags & HA_FULLTEXT) != 0;
  for (uint part = 0; part < key.user_defined_key_parts; ++part) {
    const KEY_PART_INFO& info = key.key_part[part];
    if (full_text) {
      // Of whole columns, whatever length the server gives them.
      codec::KeyPart words{static_cast<uint32_t>(info.fieldnr - 1), kWordPartLength};
      words.full_text = true;
      index.parts.push_back(words);
      continue;
    }
    index.parts.push_back({static_cast<uint32_t>(info.fieldnr - 1), info.length,
                           (info.key_part_flag & HA_REVERSE_SORT) != 0,
                           (key.flags & HA_SPATIAL) != 0});
  }
  return index;
}

}  // namespace

bool IndexGivesColumnBack(const TABLE_SHARE& share, const KEY& key, uint part, uint16_t version) {
  Column columns[MAX_REF_PARTS];
  codec::KeyPart parts[MAX_REF_PARTS];
  for (uint i = 0; i <= part; ++i) {
    const KEY_PART_INFO& info = key.key_part[i];
    const Field& field = *share.field[info.fieldnr - 1];
    if (!DescribeKind(field, &columns[i]).ok()) return false;
    columns[i].pack_length = field.pack_length();
    parts[i].length = info.length;
  }
  return codec::IsLastReadable(columns, parts, part + 1, version);
}

Status BuildTableDescriptor(const TABLE& table, std::string_view name,
                            codec::TableDescriptor* descriptor) {
  descriptor->name = name;
  descriptor->record_length = static_cast<uint32_t>(table.s->reclength);
  descriptor->default_record.assign(reinterpret_cast<const char*>(table.s->default_values),
                                    table.s->reclength);
  for (uint i = 0; i < table.s->fields; ++i) {
    Column column;
    BASALT_RETURN_IF_ERROR(DescribeColumn(table, *table.field[i], &column));
    descriptor->columns.push_back(column);
  }
  for (uint i = 0; i < table.s->keys; ++i) {
    descriptor->indexes.push_back(DescribeIndex(table, i));
  }
  descriptor->hidden_primary = table.s->primary_key == MAX_KEY;
  descriptor->primary = table.s->primary_key;
  if (descriptor->hidden_primary) {
    codec::IndexDescriptor hidden;
    hidden.name = "HIDDEN_PK_ID";
    hidden.kind = codec::IndexKind::kHiddenPrimary;
    hidden.unique = true;
    descriptor->primary = static_cast<uint32_t>(descriptor->indexes.size());
    descriptor->indexes.push_back(std::move(hidden));
  }
  return Status::Ok();
}

}  // namespace basalt::server
