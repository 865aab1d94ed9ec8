// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "codec/collation.h"

namespace basalt::codec {

// How a column lies in the record image and how it turns into key bytes. The names follow the
// server's types; where two types share both layouts they share a kind.
enum class ColumnKind : uint8_t {
  kSigned,            // 1, 2, 3, 4 or 8 bytes, little-endian
  kUnsigned,          // likewise
  kFloat,             // 4 bytes IEEE, little-endian
  kDouble,            // 8 bytes IEEE, little-endian
  kDecimal,           // the server's binary decimal
  kDate,              // NEWDATE, 3 bytes little-endian
  kTemporal,          // TIME2, DATETIME2, TIMESTAMP2: big-endian already
  kYear,              // 1 byte
  kOldDatetime,       // DATETIME of mysql56_temporal_format=OFF: 8 bytes little-endian
  kOldTimestamp,      // TIMESTAMP likewise: 4 bytes little-endian
  kOldTime,           // TIME likewise: 3 bytes little-endian, signed
  kOldTemporalHires,  // DATETIME(n), TIMESTAMP(n) likewise: big-endian
  kOldTimeHires,      // TIME(n) likewise: big-endian, the key flips the top bit
  kBit,               // ceil(n / 8) bytes, big-endian
  kEnum,              // 1 or 2 bytes, little-endian
  kSet,               // 1, 2, 3, 4 or 8 bytes, little-endian
  kFixedBinary,       // UUID, INET6, INET4: as the server stores them
  kChar,              // space padded to its full byte length
  kBinary,            // zero padded
  kVarchar,           // length bytes + data
  kVarbinary,         // likewise
  kText,              // length bytes + pointer to the data; JSON too
  kBlob,              // likewise, collation binary
};

// One column of a record image (the byte array the server calls table->record[0]). A plain value,
// filled in once when a table is opened.
struct Column {
  ColumnKind kind = ColumnKind::kSigned;
  uint32_t offset = 0;       // bytes from the start of the record image
  uint32_t pack_length = 0;  // bytes in the record image, length bytes and pointer included
  uint8_t length_bytes = 0;  // VARCHAR, VARBINARY: 1 or 2; TEXT, BLOB: 1..4; else 0
  // The server's field_length in bytes: characters * bytes per character for strings. A key part
  // of a string covers the whole column exactly when its length equals this. Not used for others.
  uint32_t field_length = 0;
  bool nullable = false;
  uint8_t null_mask = 0;     // the bit that is 1 for NULL ...
  uint32_t null_offset = 0;  // ... in this byte of the record image
  bool stored = true;        // false: a virtual generated column, absent from row values
  const Collation* collation = nullptr;  // kChar, kVarchar, kText; not owned, else null

  bool IsNull(const uint8_t* record) const {
    return nullable && (record[null_offset] & null_mask) != 0;
  }
};

// Bytes of the data pointer that follows the length bytes of a TEXT or BLOB in a record image.
inline constexpr uint32_t kBlobPointerBytes = 8;

inline bool IsVariableLength(ColumnKind kind) {
  return kind == ColumnKind::kVarchar || kind == ColumnKind::kVarbinary;
}

// Strings whose data, or first data, can be a whole key part.
inline bool IsPlainString(ColumnKind kind) {
  return kind == ColumnKind::kChar || kind == ColumnKind::kBinary || IsVariableLength(kind);
}

inline bool IsBlob(ColumnKind kind) {
  return kind == ColumnKind::kText || kind == ColumnKind::kBlob;
}

}  // namespace basalt::codec
