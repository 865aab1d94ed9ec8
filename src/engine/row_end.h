// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace basalt::engine {

// What tells rows of today from history in a system-versioned table: the column with the end of a
// row's life, and the bytes that it has in a record image as long as the row lives. Plain data.
struct RowEnd {
  uint32_t column = 0;
  std::string alive;

  // `offset`: of the column in the record image.
  bool IsAlive(const uint8_t* record, uint32_t offset) const {
    return std::memcmp(record + offset, alive.data(), alive.size()) == 0;
  }
};

}  // namespace basalt::engine
