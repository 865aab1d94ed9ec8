// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <cstring>

#include "base/bytes.h"

namespace basalt::codec {

// Numbers in keys. A key is compared byte by byte from the front, so the byte that weighs most has
// to come first, and every number must turn into bytes that grow with it: big-endian, so that bytes
// sort as numbers do. `flip` is xored onto the first byte: 0x80 for signed numbers, whose sign bit
// would sort the wrong way, else 0. Record images are little-endian. No function checks bounds. See
// docs/format/key.md, "Types of fixed size".

// Between the byte order of this machine and that of keys.
template <typename Unsigned>
inline Unsigned SwapBytes(Unsigned value) {
  if constexpr (sizeof(Unsigned) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(Unsigned) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(Unsigned) == 8) return __builtin_bswap64(value);
}

// Record image to key bytes, for 2, 4 and 8 bytes. Also dates, timestamps, ENUM and SET, which are
// little-endian numbers in the record image. `from` and `to` need no alignment and must not
// overlap. One load, one swap, one xor, one store.
template <typename Unsigned>
inline void EncodeInteger(const uint8_t* from, uint8_t flip, uint8_t* to) {
  Unsigned value;
  std::memcpy(&value, from, sizeof(value));
  constexpr int kTopByte = 8 * (sizeof(Unsigned) - 1);
  value = SwapBytes<Unsigned>(value ^ static_cast<Unsigned>(Unsigned{flip} << kTopByte));
  std::memcpy(to, &value, sizeof(value));
}

// The inverse: key bytes to record image. Every input is a number, so it cannot fail.
template <typename Unsigned>
inline void DecodeInteger(const uint8_t* from, uint8_t flip, uint8_t* to) {
  Unsigned value;
  std::memcpy(&value, from, sizeof(value));
  constexpr int kTopByte = 8 * (sizeof(Unsigned) - 1);
  value = SwapBytes<Unsigned>(value) ^ static_cast<Unsigned>(Unsigned{flip} << kTopByte);
  std::memcpy(to, &value, sizeof(value));
}

// MEDIUMINT, DATE, the old TIME: no machine word has 3 bytes, so they are moved one by one.
inline void EncodeInteger24(const uint8_t* from, uint8_t flip, uint8_t* to) {
  to[0] = from[2] ^ flip;
  to[1] = from[1];
  to[2] = from[0];
}

// The inverse of EncodeInteger24.
inline void DecodeInteger24(const uint8_t* from, uint8_t flip, uint8_t* to) {
  to[0] = from[2];
  to[1] = from[1];
  to[2] = from[0] ^ flip;
}

// FLOAT (uint32_t) and DOUBLE (uint64_t), by their IEEE bits. Positive numbers get the top bit and
// an exponent one higher, negative ones all bits inverted, both zeros the key between them. The
// higher exponent has no deeper reason; it is what the format's first writer did. Minus zero comes
// back as zero, everything else as it was; NaN and infinity do not occur in columns.
template <typename Unsigned>
struct FloatingPoint {
  static constexpr int kBits = 8 * sizeof(Unsigned);
  static constexpr Unsigned kSign = Unsigned{1} << (kBits - 1);
  // The lowest bit of the exponent: FLOAT has 23 bits below it, DOUBLE 52. Adding it to the whole
  // number is the same as adding to its first 16 bits, as the format describes it.
  static constexpr Unsigned kExponentOne = Unsigned{1} << (sizeof(Unsigned) == 4 ? 23 : 52);

  // Record image to key bytes. The three cases, in ascending order of keys: inverted negative
  // numbers (top bit 0), zero (only the top bit), positive ones (top bit and an exponent above 0).
  static void Encode(const uint8_t* from, uint8_t* to) {
    Unsigned value;
    std::memcpy(&value, from, sizeof(value));
    if ((value & ~kSign) == 0) {
      value = kSign;
    } else if ((value & kSign) != 0) {
      value = ~value;
    } else {
      value = (value | kSign) + kExponentOne;
    }
    value = SwapBytes<Unsigned>(value);
    std::memcpy(to, &value, sizeof(value));
  }

  // Key bytes to record image; any input gives some number.
  static void Decode(const uint8_t* from, uint8_t* to) {
    Unsigned value;
    std::memcpy(&value, from, sizeof(value));
    value = SwapBytes<Unsigned>(value);
    if (value == kSign) {
      value = 0;
    } else if ((value & kSign) != 0) {
      value = (value - kExponentOne) & ~kSign;
    } else {
      value = ~value;
    }
    std::memcpy(to, &value, sizeof(value));
  }
};

}  // namespace basalt::codec
