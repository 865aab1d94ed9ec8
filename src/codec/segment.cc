// SPDX-License-Identifier: GPL-2.0-only
#include "codec/segment.h"

#include <cstring>

namespace basalt::codec {

namespace {

// Compares bytes [from, bytes) of the weights to endless spaces: below 0, 0 or above 0. `from` is
// a multiple of the space weight's length.
int CompareWithSpaces(const SegmentShape& shape, const uint8_t* weights, size_t from,
                      size_t bytes) {
  for (size_t at = from; at < bytes;) {
    const size_t left = bytes - at;
    const size_t run = left < SegmentShape::kSpacesBytes ? left : SegmentShape::kSpacesBytes;
    const int order = std::memcmp(weights + at, shape.spaces.data(), run);
    if (order != 0) return order;
    at += run;
  }
  return 0;
}

// Source and target may overlap; the piece is at most 9 bytes.
void MovePiece(const uint8_t* from, size_t bytes, uint8_t* to) {
  uint8_t piece[16];
  if (bytes != 0) std::memcpy(piece, from, bytes);  // nothing may be nowhere
  std::memcpy(to, piece, bytes);
}

}  // namespace

uint8_t* EncodeSegments(const SegmentShape& shape, const uint8_t* weights, size_t bytes,
                        uint8_t* to, uint32_t* filled) {
  const size_t payload = shape.payload;
  size_t at = 0;
  while (bytes - at >= payload) {
    MovePiece(weights + at, payload, to);
    at += payload;
    to += payload;
    const int order = CompareWithSpaces(shape, weights, at, bytes);
    if (order == 0) {
      *to++ = kLastSegment;
      *filled = 0;
      return to;
    }
    *to++ = order < 0 ? kRestBelowSpaces : kRestAboveSpaces;
  }
  const size_t left = bytes - at;
  MovePiece(weights + at, left, to);
  std::memcpy(to + left, shape.spaces.data(), payload - left);
  to[payload] = kLastSegment;
  *filled = static_cast<uint32_t>(payload - left);
  return to + payload + 1;
}

uint8_t* EncodeSegmentsPrefix(const SegmentShape& shape, const uint8_t* weights, size_t bytes,
                              uint8_t* to) {
  const size_t payload = shape.payload;
  size_t at = 0;
  while (bytes - at >= payload) {
    MovePiece(weights + at, payload, to);
    at += payload;
    to += payload;
    const int order = CompareWithSpaces(shape, weights, at, bytes);
    if (order == 0) return to;  // what comes later decides the marker
    *to++ = order < 0 ? kRestBelowSpaces : kRestAboveSpaces;
  }
  MovePiece(weights + at, bytes - at, to);
  return to + (bytes - at);
}

uint32_t WithoutTrailingSpaces(const SegmentShape& shape, const uint8_t* weights, uint32_t bytes) {
  const uint32_t space = shape.space_bytes;
  while (bytes >= space && std::memcmp(weights + bytes - space, shape.spaces.data(), space) == 0) {
    bytes -= space;
  }
  return bytes;
}

const uint8_t* SkipSegments(const SegmentShape& shape, uint8_t inverted, const uint8_t* from,
                            const uint8_t* end) {
  const ptrdiff_t payload = shape.payload;
  for (;;) {
    if (end - from <= payload) return nullptr;
    const uint8_t marker = from[payload] ^ inverted;
    from += payload + 1;
    if (marker == kLastSegment) return from;
    if (marker != kRestBelowSpaces && marker != kRestAboveSpaces) return nullptr;
  }
}

}  // namespace basalt::codec
