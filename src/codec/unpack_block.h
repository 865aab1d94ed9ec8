// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace basalt::codec {

// The block that holds unpack info in values (docs/format/value.md, "Unpack block"): a tag, two
// bytes of length, the content.

inline constexpr uint8_t kUnpackTag = 0x02;
inline constexpr uint32_t kUnpackHeaderBytes = 3;

// Reads the block at the start of what is left of a row's value and cuts it off. The length counts
// the header. False when there is none or it does not fit.
[[nodiscard]] inline bool TakeRowUnpackBlock(Bytes* value, Bytes* content) {
  if (value->size() < kUnpackHeaderBytes) return false;
  if (static_cast<uint8_t>(value->front()) != kUnpackTag) return false;
  const uint32_t length = LoadBigEndian16(value->data() + 1);
  if (length < kUnpackHeaderBytes || length > value->size()) return false;
  *content = value->substr(kUnpackHeaderBytes, length - kUnpackHeaderBytes);
  value->remove_prefix(length);
  return true;
}

// The content in a secondary entry's value behind its timestamp, up to the end of the value: the
// length on disk says nothing. (A checksum chunk may follow the content.) Empty without a block.
inline Bytes SecondaryUnpackContent(Bytes value) {
  if (value.size() < kUnpackHeaderBytes) return Bytes();
  if (static_cast<uint8_t>(value.front()) != kUnpackTag) return Bytes();
  return value.substr(kUnpackHeaderBytes);
}

}  // namespace basalt::codec
