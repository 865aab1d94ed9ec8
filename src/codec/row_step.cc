// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_step.h"

namespace basalt::codec {

namespace {

RowOp OpOf(const Column& column) {
  if (IsBlob(column.kind)) return RowOp::kBlob;
  if (!IsVariableLength(column.kind)) return RowOp::kFixed;
  return column.length_bytes == 1 ? RowOp::kVarying1 : RowOp::kVarying2;
}

}  // namespace

RowStep MakeRowStep(const Column& column, uint32_t position) {
  RowStep step;
  step.op = OpOf(column);
  step.nullable = column.nullable;
  step.null_mask = column.null_mask;
  step.null_offset = column.null_offset;
  step.length_bytes = column.length_bytes;
  step.column = position;
  step.record_offset = column.offset;
  step.null_image_bytes = column.pack_length;
  switch (step.op) {
    case RowOp::kFixed:
      step.bytes = column.pack_length;
      break;
    case RowOp::kVarying1:
    case RowOp::kVarying2:
      step.bytes = column.pack_length - column.length_bytes;
      step.null_image_bytes = column.length_bytes;
      break;
    case RowOp::kBlob:
      break;
  }
  return step;
}

}  // namespace basalt::codec
