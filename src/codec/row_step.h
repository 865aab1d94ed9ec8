// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "codec/column.h"

namespace basalt::codec {

// What one step of a compiled row program copies between a record image and a value.
enum class RowOp : uint8_t {
  kFixed,     // the same bytes on both sides
  kVarying1,  // VARCHAR with 1 length byte
  kVarying2,  // VARCHAR with 2
  kBlob,      // 1..4 length bytes, data behind a pointer
};

// One stored column, or a run of fixed-size columns without NULL that are neighbours on both
// sides. A plain value.
struct RowStep {
  RowOp op = RowOp::kFixed;
  bool nullable = false;
  uint8_t null_mask = 0;        // in the record image
  uint8_t value_null_mask = 0;  // in the value's bitmap
  uint8_t length_bytes = 0;
  bool wanted = false;  // decoding: copy; else step over
  uint32_t column = 0;  // the first one of a run
  uint32_t record_offset = 0;
  uint32_t null_offset = 0;
  uint32_t value_null_offset = 0;  // byte of the value's bitmap
  uint32_t bytes = 0;              // fixed: bytes; VARCHAR: most data bytes; blob: 0
  uint32_t null_image_bytes = 0;   // bytes to take from the default record for a NULL

  bool IsNull(const uint8_t* record) const {
    return nullable && (record[null_offset] & null_mask) != 0;
  }
  bool IsNullInValue(const uint8_t* bitmap) const {
    return nullable && (bitmap[value_null_offset] & value_null_mask) != 0;
  }
};

// The step of a column of the table, the position being its own. Its bit in values is left open.
RowStep MakeRowStep(const Column& column, uint32_t position);

}  // namespace basalt::codec
