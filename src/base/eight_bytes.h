// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"

namespace basalt {

// The eight bytes from `depth` on as a number: it compares as they do. Zeros stand behind the end.
inline uint64_t EightBytesAt(size_t depth, Bytes bytes) {
  char first[sizeof(uint64_t)] = {};
  const Bytes rest = bytes.substr(std::min(bytes.size(), depth));
  std::memcpy(first, rest.data(), std::min(rest.size(), sizeof(first)));
  uint64_t number;
  std::memcpy(&number, first, sizeof(number));
  return __builtin_bswap64(number);
}

}  // namespace basalt
