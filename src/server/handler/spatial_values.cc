// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/spatial_values.h"

#include "codec/extent.h"

namespace basalt::server {

namespace {

Bytes ValueOf(const Field_blob& field, my_ptrdiff_t row_offset) {
  const uchar* data = nullptr;
  const uchar* const at = field.ptr + row_offset + field.pack_length_no_ptr();
  memcpy(&data, at, sizeof(data));
  return MakeBytes(data, field.get_length(row_offset));
}

int CheckValue(const Field_blob& field, my_ptrdiff_t row_offset) {
  codec::Extent extent;
  const char* fault = nullptr;
  switch (codec::ReadExtent(ValueOf(field, row_offset), &extent)) {
    case codec::GeometryState::kProper:
    case codec::GeometryState::kEmpty:
      return 0;
    case codec::GeometryState::kNotFinite:
      fault = "has a coordinate that is infinite or not a number";
      break;
    case codec::GeometryState::kMalformed:
      fault = "has bytes that are no geometry";
      break;
  }
  push_warning_printf(current_thd, Sql_condition::WARN_LEVEL_WARN, ER_CANT_CREATE_GEOMETRY_OBJECT,
                      "ROCKSDB: column '%s' %s, which its SPATIAL index cannot hold",
                      field.field_name.str, fault);
  return HA_ERR_NULL_IN_SPATIAL;
}

// 0 of an index that is not SPATIAL.
int CheckValueOf(const TABLE& table, size_t index, const uchar* record) {
  if (index >= table.s->keys) return 0;  // of rows without a primary key
  const KEY& key = table.key_info[index];
  if ((key.flags & HA_SPATIAL) == 0) return 0;
  const Field& field = *table.field[key.key_part[0].fieldnr - 1];
  return CheckValue(static_cast<const Field_blob&>(field), record - table.record[0]);
}

}  // namespace

int CheckSpatialValues(const TABLE& table, const uchar* record) {
  for (uint i = 0; i < table.s->keys; ++i) {
    if (int error = CheckValueOf(table, i, record)) return error;
  }
  return 0;
}

Status SpatialGuard::Check(size_t index) {
  if (next_ != nullptr) BASALT_RETURN_IF_ERROR(next_->Check(index));
  error_ = CheckValueOf(table_, index, record_);
  if (error_ == 0) return Status::Ok();
  return Status(Code::kInvalidArgument, "which its SPATIAL index cannot hold");
}

}  // namespace basalt::server
