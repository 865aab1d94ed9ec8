// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

namespace basalt::codec {

// Nine-byte chunks: how VARBINARY and multi-level VARCHAR lie in keys (docs/format/key.md,
// "Nine-byte chunks"). `legacy` selects the flags of layout versions below 12.

inline constexpr uint32_t kChunkPayload = 8;
inline constexpr uint32_t kChunkBytes = 9;

// Most bytes that chunks of `source_bytes` bytes take, in either layout.
constexpr uint32_t MaxChunkedBytes(uint32_t source_bytes) {
  return (source_bytes / kChunkPayload + 1) * kChunkBytes;
}

// Writes the chunks of the source; returns behind them. The source may lie in the same buffer if
// it starts at least (source_bytes / 8 + 1) bytes behind `to`.
uint8_t* EncodeChunks(const uint8_t* source, size_t source_bytes, bool legacy, uint8_t* to);

// Where the chunks that start at `from` end; null when they are malformed or run into `end`.
// `inverted`: 0xff when the bytes are those of a descending part, else 0.
const uint8_t* SkipChunks(const uint8_t* from, const uint8_t* end, bool legacy, uint8_t inverted);

// Puts the chunks' data to `to`, at most `room` bytes; returns behind the chunks and sets *length
// to the bytes of data. Null when malformed or when there is more data than room.
const uint8_t* DecodeChunks(const uint8_t* from, const uint8_t* end, bool legacy, uint8_t inverted,
                            uint8_t* to, size_t room, size_t* length);

}  // namespace basalt::codec
