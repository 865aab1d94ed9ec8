// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

namespace basalt::codec {

// Descending parts: all their bytes are inverted, so that what is greater comes first.

// What a step xors its bytes with: nothing, or everything.
inline constexpr uint8_t kAscending = 0;
inline constexpr uint8_t kDescending = 0xff;

// Inverts bytes in place.
inline void Invert(uint8_t* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(~bytes[i]);
}

// Copies bytes inverted. Source and target do not overlap.
inline void CopyInverted(const uint8_t* from, size_t count, uint8_t* to) {
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<uint8_t>(~from[i]);
}

}  // namespace basalt::codec
