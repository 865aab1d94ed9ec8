// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>

namespace basalt {

// Identity of an index on disk: the column family that holds it and the number that every one of
// its keys begins with (4 bytes, big-endian). The number is unique over the whole store and never
// used again; see docs/format/dictionary.md. A hidden primary key is an index like any other.
struct IndexId {
  uint32_t column_family = 0;
  uint32_t number = 0;

  bool operator==(const IndexId&) const = default;
  auto operator<=>(const IndexId&) const = default;
};

// Bytes of the index number at the start of each key.
inline constexpr uint32_t kIndexNumberBytes = 4;

// Numbers below this are record types of the dictionary, not indexes.
inline constexpr uint32_t kFirstUserIndexNumber = 256;

}  // namespace basalt

template <>
struct std::hash<basalt::IndexId> {
  size_t operator()(const basalt::IndexId& id) const {
    return (static_cast<uint64_t>(id.column_family) << 32 | id.number) * 0x9E3779B97F4A7C15ull;
  }
};
