// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/row_slots.h"
#include "codec/row_value.h"

namespace basalt::codec {

// Reading one slot of a row (docs/format/row-versions.md). These are in the inner loop of tables
// that were changed at once. Integers are read inline, since a call for each costs more than moving
// its bytes. Nothing here allocates, and each function checks the bytes of the value that it reads,
// unless it says what its caller has checked.

// Writes the lowest 1, 2, 3, 4 or 8 bytes of a number, little-endian as in record images. Most have
// 8 or 4, which are one instruction.
inline void StoreNumber(uint64_t number, uint32_t bytes, uint8_t* to) {
  if (bytes == 8) {
    std::memcpy(to, &number, 8);
  } else if (bytes == 4) {
    std::memcpy(to, &number, 4);
  } else {
    for (uint32_t i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(number >> 8 * i);
  }
}

// Copies an integer into its column, which may be wider: the bytes above are zeros, or copies of
// the sign if the slot has one. The caller has checked that the bytes are there.
inline void CopyInteger(const SlotStep& step, const uint8_t* from, uint8_t* column) {
  if (step.width == 8) {  // nothing is wider
    std::memcpy(column, from, 8);
    return;
  }
  uint64_t number;
  if (step.width == 4) {
    uint32_t low;
    std::memcpy(&low, from, 4);
    number =
        step.form == SlotForm::kSigned ? static_cast<uint64_t>(static_cast<int32_t>(low)) : low;
  } else {
    const bool negative = step.form == SlotForm::kSigned && (from[step.width - 1] & 0x80) != 0;
    number = negative ? ~uint64_t{0} : 0;
    for (uint32_t i = step.width; i-- > 0;) number = number << 8 | from[i];
  }
  StoreNumber(number, step.place.bytes, column);
}

// Reads the value of a slot at `from` into its column and makes that not NULL. The row has said
// that the slot is not NULL; BLOBs will point into the value. Null when the value ends before, or
// when the column cannot hold it: the column is undefined then. Else where the next slot begins.
const uint8_t* ReadSlot(const SlotStep& step, const uint8_t* from, const uint8_t* end,
                        uint8_t* record);

// Reads a slot with IsInteger(), and returns as ReadSlot does.
inline const uint8_t* ReadInteger(const SlotStep& step, const uint8_t* from, const uint8_t* end,
                                  uint8_t* record) {
  if (static_cast<size_t>(end - from) < step.width) return nullptr;
  if (step.place.nullable) {
    record[step.place.null_offset] &= static_cast<uint8_t>(~step.place.null_mask);
  }
  CopyInteger(step, from, record + step.place.record_offset);
  return from + step.width;
}

// Steps over the value of a slot that is not NULL, as readers do with dead ones and with those
// whose column nobody wants. Null when the value ends before; else where the next slot begins.
inline const uint8_t* SkipSlot(const SlotStep& step, const uint8_t* from, const uint8_t* end) {
  const auto bytes = static_cast<size_t>(end - from);
  if (bytes < step.width) return nullptr;
  size_t length = step.width;
  if (step.form == SlotForm::kVarying) length += LoadLength(from, step.width);
  return length <= bytes ? from + length : nullptr;
}

}  // namespace basalt::codec
