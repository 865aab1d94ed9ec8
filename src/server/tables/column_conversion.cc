// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/column_conversion.h"

#include <cstring>

namespace basalt::server {

namespace {

constexpr uint32_t kLongestOfOneByte = 255;  // of a VARCHAR whose length takes one byte

bool IsInteger(enum_field_types type) {
  return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 ||
         type == MYSQL_TYPE_LONG || type == MYSQL_TYPE_LONGLONG;
}

bool IsBlob(enum_field_types type) {
  return type == MYSQL_TYPE_TINY_BLOB || type == MYSQL_TYPE_BLOB ||
         type == MYSQL_TYPE_MEDIUM_BLOB || type == MYSQL_TYPE_LONG_BLOB;
}

// ZEROFILL is part of the value where it is a text: in a generated column, say.
bool IsWiderInteger(const Field& field, const Column_definition& wanted) {
  if ((field.flags & ZEROFILL_FLAG) || (wanted.flags & ZEROFILL_FLAG)) return false;
  const bool to_unsigned = (wanted.flags & UNSIGNED_FLAG) != 0;
  if (!(field.flags & UNSIGNED_FLAG) && to_unsigned) return false;
  return wanted.pack_length > field.pack_length();
}

bool IsLongerVarchar(const Field& field, const Column_definition& wanted) {
  return field.type_handler() == wanted.type_handler() && wanted.compression_method() == nullptr &&
         field.charset() == wanted.charset && wanted.length >= field.field_length;
}

// In a record image each has its length, which is wider in a longer type, and a pointer.
bool IsLongerBlob(const Field& field, const Column_definition& wanted) {
  return field.charset() == wanted.charset && wanted.compression_method() == nullptr &&
         static_cast<const Field_blob&>(field).compression_method() == nullptr &&
         wanted.pack_length > field.pack_length();
}

// More digits before the point, in the bytes that there are.
bool HasMoreDigits(const Field& field, const Column_definition& wanted) {
  return ((field.flags | wanted.flags) & ZEROFILL_FLAG) == 0 &&
         (field.flags & UNSIGNED_FLAG) == (wanted.flags & UNSIGNED_FLAG) &&
         field.decimals() == wanted.decimals && wanted.length >= field.field_length &&
         wanted.pack_length == field.pack_length();
}

bool HasMoreBits(const Field& field, const Column_definition& wanted) {
  return wanted.length >= field.field_length && (wanted.length + 7) / 8 == field.pack_length();
}

// Two digits of a fraction share a byte, which has room for both from the first on. A generated
// column or a CHECK may look how many digits there are.
bool HasMoreOfSecond(const Field& field, const Column_definition& wanted) {
  return field.type_handler() == wanted.type_handler() && wanted.length >= field.field_length &&
         wanted.pack_length == field.pack_length() && field.table->vfield == nullptr &&
         field.table->check_constraints == nullptr;
}

// Members are stored as their numbers, or as bits.
bool HasMoreMembers(const Field& field, const Column_definition& wanted) {
  const TYPELIB* before = static_cast<const Field_enum&>(field).typelib;
  const TYPELIB* after = wanted.interval;
  if (after == nullptr || before->count > after->count) return false;
  if (field.charset() != wanted.charset) return false;
  for (unsigned i = 0; i < before->count; ++i) {
    const size_t length = before->type_lengths[i];
    if (length != after->type_lengths[i]) return false;
    if (std::memcmp(before->type_names[i], after->type_names[i], length) != 0) return false;
  }
  return true;
}

// The server computes partitions, and values of generated columns, by the bytes of a field.
bool OthersDependOnBytes(const Field& field, const Column_definition& wanted) {
  return field.vcol_info != nullptr || wanted.vcol_info != nullptr ||
         (field.flags & FIELD_IN_PART_FUNC_FLAG) != 0;
}

}  // namespace

bool KeepsBytes(const Field& field, const Column_definition& wanted) {
  return field.stored_in_db() && field.real_type() == MYSQL_TYPE_VARCHAR &&
         wanted.real_field_type() == MYSQL_TYPE_VARCHAR && IsLongerVarchar(field, wanted) &&
         (wanted.length <= kLongestOfOneByte) == (field.field_length <= kLongestOfOneByte);
}

bool KeepsValues(const Field& field, const Column_definition& wanted) {
  if (KeepsBytes(field, wanted)) return true;
  if (!field.stored_in_db() || OthersDependOnBytes(field, wanted)) return false;
  const enum_field_types before = field.real_type();
  const enum_field_types after = wanted.real_field_type();
  if (before == MYSQL_TYPE_VARCHAR && after == before) return IsLongerVarchar(field, wanted);
  if (IsInteger(before) && IsInteger(after)) return IsWiderInteger(field, wanted);
  if (IsBlob(before) && IsBlob(after)) return IsLongerBlob(field, wanted);
  if ((before == MYSQL_TYPE_ENUM || before == MYSQL_TYPE_SET) && after == before) {
    return HasMoreMembers(field, wanted);
  }
  if (before != after) return false;
  switch (before) {
    case MYSQL_TYPE_NEWDECIMAL:
      return HasMoreDigits(field, wanted);
    case MYSQL_TYPE_BIT:
      return HasMoreBits(field, wanted);
    case MYSQL_TYPE_TIME2:
    case MYSQL_TYPE_DATETIME2:
    case MYSQL_TYPE_TIMESTAMP2:
      return HasMoreOfSecond(field, wanted);
    default:
      return false;
  }
}

bool KeepsPart(const Field& field, const Column_definition& wanted, const KEY_PART_INFO& before,
               const KEY_PART_INFO& after) {
  const bool turns = ((before.key_part_flag ^ after.key_part_flag) & HA_REVERSE_SORT) != 0;
  if (turns || !KeepsValues(field, wanted)) return false;
  const bool whole_varchar = field.real_type() == MYSQL_TYPE_VARCHAR &&
                             before.length == field.field_length && after.length == wanted.length;
  return whole_varchar || before.length == after.length;
}

}  // namespace basalt::server
