// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

namespace basalt::store {

// What option strings and RocksDB's OPTIONS files may have between their words.
inline constexpr std::string_view kBlanks = " \t\r\n";

// The text without the blanks at its ends: a part of it, and empty when there is nothing else.
inline std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace basalt::store
