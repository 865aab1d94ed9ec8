// SPDX-License-Identifier: GPL-2.0-only
#include "codec/slot_reader.h"

namespace basalt::codec {

namespace {

// A string, or the place of a BLOB's data. Its length may have more bytes in the column.
const uint8_t* ReadVarying(const SlotStep& step, const uint8_t* from, const uint8_t* end,
                           uint8_t* column) {
  const uint32_t length = LoadLength(from, step.width);
  const uint8_t* data = from + step.width;
  if (static_cast<size_t>(end - data) < length) return nullptr;
  if (step.place.op != RowOp::kBlob && length > step.place.bytes) return nullptr;
  const unsigned length_bytes = step.place.length_bytes;
  StoreNumber(length, length_bytes, column);
  if (step.place.op == RowOp::kBlob) {
    std::memcpy(column + length_bytes, &data, sizeof(data));
  } else {
    std::memcpy(column + length_bytes, data, length);
  }
  return data + length;
}

}  // namespace

const uint8_t* ReadSlot(const SlotStep& step, const uint8_t* from, const uint8_t* end,
                        uint8_t* record) {
  if (step.IsInteger()) return ReadInteger(step, from, end, record);
  if (static_cast<size_t>(end - from) < step.width) return nullptr;
  if (step.place.nullable) {
    record[step.place.null_offset] &= static_cast<uint8_t>(~step.place.null_mask);
  }
  uint8_t* const column = record + step.place.record_offset;
  if (step.form == SlotForm::kVarying) return ReadVarying(step, from, end, column);
  // Of a kNull there is nothing.
  if (step.form == SlotForm::kBytes) CopyFixed(from, step.width, column);
  return from + step.width;
}

}  // namespace basalt::codec
