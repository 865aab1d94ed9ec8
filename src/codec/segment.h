// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/collation.h"

namespace basalt::codec {

// Space-padded segments: how VARCHAR of single-level collations lies in keys, so that trailing
// spaces do not count (docs/format/key.md, "Padded segments").

inline constexpr uint8_t kRestBelowSpaces = 1;
inline constexpr uint8_t kLastSegment = 2;
inline constexpr uint8_t kRestAboveSpaces = 3;

// Added to the count of trailing spaces, which may be negative.
inline constexpr uint32_t kCountOffset = 8;

// Most bytes that segments of so many bytes of weights take.
inline uint32_t MaxSegmentedBytes(const SegmentShape& shape, uint32_t weight_bytes) {
  return (weight_bytes / shape.payload + 1) * (shape.payload + 1);
}

// Writes the segments of `bytes` bytes of weights; returns behind them and sets *filled to the
// padding bytes in the last one. The weights may lie in the same buffer if they start at least
// (bytes / payload + 1) bytes behind `to`.
uint8_t* EncodeSegments(const SegmentShape& shape, const uint8_t* weights, size_t bytes,
                        uint8_t* to, uint32_t* filled);

// The longest run of bytes with which the segments of every longer sequence of weights begin that
// starts with these: no padding, and a marker only where these weights decide it.
uint8_t* EncodeSegmentsPrefix(const SegmentShape& shape, const uint8_t* weights, size_t bytes,
                              uint8_t* to);

// Bytes of the weights without the weights of spaces at their end.
uint32_t WithoutTrailingSpaces(const SegmentShape& shape, const uint8_t* weights, uint32_t bytes);

// Where the segments that start at `from` end; null when malformed or when they run into `end`.
// `inverted`: 0xff when the bytes are those of a descending part, else 0.
const uint8_t* SkipSegments(const SegmentShape& shape, uint8_t inverted, const uint8_t* from,
                            const uint8_t* end);

}  // namespace basalt::codec
