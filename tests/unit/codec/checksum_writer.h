// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "codec/checksum_chunk.h"

namespace basalt::test {

// Appends the chunk to a finished value, as MyRocks does when it is asked for checksums. Basalt
// itself writes none.
inline void AppendChecksumChunk(Bytes key, std::string* value) {
  const uint32_t value_crc = codec::Crc32(*value);
  value->push_back(static_cast<char>(codec::kChecksumTag));
  AppendBigEndian32(value, codec::Crc32(key));
  AppendBigEndian32(value, value_crc);
}

}  // namespace basalt::test
