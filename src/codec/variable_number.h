// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace basalt::codec {

// Unsigned numbers in as few bytes as hold them: 7 bits a byte, the highest first, and the top bit
// set in all bytes but the last (docs/format/full-text.md). 0 is one byte `00`; no other number
// begins with `00` or ends a longer form of itself: each number has one form.

// Most bytes that a number of 64 bits takes.
inline constexpr size_t kMaxVariableNumberBytes = 10;

// Adds the number to the end of `to`.
inline void AppendVariableNumber(uint64_t number, std::string* to) {
  char bytes[kMaxVariableNumberBytes];
  size_t at = sizeof(bytes) - 1;
  bytes[at] = static_cast<char>(number & 0x7f);
  while ((number >>= 7) != 0) bytes[--at] = static_cast<char>(0x80 | (number & 0x7f));
  to->append(bytes + at, sizeof(bytes) - at);
}

// Takes a number from the front of `*from`. False when the bytes end within it, when it has more
// than 64 bits, and when fewer bytes would hold it; `*from` is then as good as lost.
[[nodiscard]] inline bool TakeVariableNumber(Bytes* from, uint64_t* number) {
  constexpr uint64_t kHighestBits = uint64_t{0x7f} << 57;
  if (from->empty() || static_cast<uint8_t>(from->front()) == 0x80) return false;
  *number = 0;
  while (!from->empty()) {
    const auto byte = static_cast<uint8_t>(from->front());
    if ((*number & kHighestBits) != 0) return false;
    *number = *number << 7 | (byte & 0x7f);
    from->remove_prefix(1);
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace basalt::codec
