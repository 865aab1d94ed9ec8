// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <cstring>

#include "codec/table_descriptor.h"

namespace basalt::codec {

// The bytes under a NULL. The server does not look at them to show a row, but hashes and compares
// whole records in places, so that they must be the same for every NULL of a column: those of the
// table's default record, or zeros.

inline const uint8_t* DefaultRecordOf(const TableDescriptor& table) {
  if (table.default_record.empty()) return nullptr;
  return reinterpret_cast<const uint8_t*>(table.default_record.data());
}

// Makes a column NULL in the record image. `Place` says where it is: RecordColumn or RowStep.
template <typename Place>
inline void SetNull(const Place& place, const uint8_t* default_record, uint8_t* record) {
  record[place.null_offset] |= place.null_mask;
  uint8_t* column = record + place.record_offset;
  if (default_record == nullptr) {
    std::memset(column, 0, place.null_image_bytes);
  } else {
    std::memcpy(column, default_record + place.record_offset, place.null_image_bytes);
  }
}

}  // namespace basalt::codec
