// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/bytes.h"
#include "codec/row_codec.h"
#include "codec/row_step.h"
#include "codec/unpack_block.h"

namespace basalt::codec {

// Pieces that building and reading a row's value share (docs/format/value.md, "Rows"). They are in
// the inner loops of both, so they are inline. None of them allocates but AppendColumn, when the
// value has to grow. Those that read the bytes of a value say what their caller has checked of
// them, or check themselves and return false.

// Length of a VARCHAR or BLOB in bytes: 1 to 4 bytes, little-endian, in the record image and in the
// value alike. The caller has checked that they are there.
inline uint32_t LoadLength(const uint8_t* from, unsigned length_bytes) {
  switch (length_bytes) {
    case 1:
      return from[0];
    case 2:
      return from[0] | uint32_t{from[1]} << 8;
    case 3:
      return from[0] | uint32_t{from[1]} << 8 | uint32_t{from[2]} << 16;
    default:
      return from[0] | uint32_t{from[1]} << 8 | uint32_t{from[2]} << 16 | uint32_t{from[3]} << 24;
  }
}

// Copies the bytes of a column of fixed size, from the value into the record image or the other way
// round; the caller has checked that there are so many on both sides. The two do not overlap. Most
// columns have 4 or 8, which are moved by an instruction: a call of memcpy costs more. Other
// lengths are for memcpy, as each comparison in front of it is paid by all columns that are longer:
// a run of joined neighbours (JoinRecordNeighbours) is mostly longer, and so is a CHAR. `bytes` may
// be 0.
inline void CopyFixed(const uint8_t* from, uint32_t bytes, uint8_t* to) {
  switch (bytes) {
    case 1:
      *to = *from;
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, bytes);
  }
}

// The data of a column of varying size in a record image. Borrowed: of a VARCHAR from the record,
// of a BLOB from where it points to.
inline Bytes VaryingData(const RowStep& step, const uint8_t* record) {
  const uint8_t* at = record + step.record_offset;
  const uint32_t length = LoadLength(at, step.length_bytes);
  if (step.op != RowOp::kBlob) {
    return MakeBytes(at + step.length_bytes, std::min(length, step.bytes));
  }
  const uint8_t* data;
  std::memcpy(&data, at + step.length_bytes, sizeof(data));
  return length == 0 ? Bytes() : MakeBytes(data, length);
}

// Adds a column that is not NULL to a value, in the form that values have for its type: what has a
// length brings it along.
inline void AppendColumn(const RowStep& step, const uint8_t* record, std::string* out) {
  const char* column = reinterpret_cast<const char*>(record) + step.record_offset;
  if (step.op == RowOp::kFixed) {
    out->append(column, step.bytes);
    return;
  }
  const Bytes data = VaryingData(step, record);
  out->append(column, step.length_bytes);
  out->append(data);
}

// Makes one step of two when both are of fixed size, cannot be NULL and lie side by side in the
// record image as they do in the value. True when `last` now does both; else it is unchanged. Most
// tables begin with a run of numbers, and one memcpy for all costs what one for each costs.
inline bool JoinRecordNeighbours(const RowStep& next, RowStep* last) {
  if (next.op != RowOp::kFixed || last->op != RowOp::kFixed) return false;
  if (next.nullable || last->nullable) return false;
  if (last->record_offset + last->bytes != next.record_offset) return false;
  last->bytes += next.bytes;
  return true;
}

// Cuts everything in front of the columns off a row's value: timestamp, NULL bitmap, unpack block.
// *bitmap and *unpack_content point into the value; the latter is left alone when rows of the table
// have no block. False when the value is too short or its block malformed.
[[nodiscard]] inline bool TakeRowHead(bool has_ttl, uint32_t null_bitmap_bytes,
                                      bool has_unpack_block, Bytes* value, const uint8_t** bitmap,
                                      Bytes* unpack_content) {
  const size_t head = (has_ttl ? kTtlBytes : 0) + null_bitmap_bytes;
  if (value->size() < head) return false;
  *bitmap = Unsigned(*value) + (head - null_bitmap_bytes);
  value->remove_prefix(head);
  return !has_unpack_block || TakeRowUnpackBlock(value, unpack_content);
}

}  // namespace basalt::codec
