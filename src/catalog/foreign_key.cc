// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/foreign_key.h"

#include <charconv>

namespace basalt::catalog {

std::string FoldedName(Bytes name) {
  std::string folded(name);
  for (char& letter : folded) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return folded;
}

std::string GeneratedPrefix(Bytes table) { return std::string(table) + "_ibfk_"; }

uint32_t NumberOfGeneratedName(Bytes table, Bytes name) {
  const std::string prefix = GeneratedPrefix(table);
  if (!name.starts_with(prefix)) return 0;
  const Bytes digits = name.substr(prefix.size());
  uint32_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  // A zero in front would make another name of the same number.
  return whole && digits.front() != '0' ? number : 0;
}

std::string GeneratedName(Bytes table, uint32_t number) {
  return GeneratedPrefix(table) + std::to_string(number);
}

}  // namespace basalt::catalog
