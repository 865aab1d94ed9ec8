// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace basalt::codec {

// The optional chunk at the end of a value, which is only read: a tag byte, the CRC-32 of the key
// (index number included) and the CRC-32 of the value bytes before the chunk. Off by default; rows
// with and without it may be mixed. See docs/format/value.md, "Checksum chunk".

inline constexpr uint8_t kChecksumTag = 0x01;
inline constexpr uint32_t kChecksumChunkBytes = 9;

enum class ChecksumState : uint8_t { kMatches, kKeyDiffers, kValueDiffers };

// Compares the chunk at the end of `value` with its key and value. The caller has found out that
// there is one (at least 9 bytes, the first of the last 9 is the tag).
ChecksumState VerifyChecksumChunk(Bytes key, Bytes value);

// CRC-32 as zlib computes it, start value 0.
uint32_t Crc32(Bytes bytes);

}  // namespace basalt::codec
