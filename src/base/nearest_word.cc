// SPDX-License-Identifier: GPL-2.0-only
#include "base/nearest_word.h"

#include <algorithm>
#include <cctype>

namespace basalt {
namespace {

bool SameLetter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Single-character changes from one word to the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t changed = diagonal + (SameLetter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, changed});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestWord(std::string_view typed, const std::vector<std::string>& words,
                        size_t tolerated) {
  const std::string* nearest = nullptr;
  size_t least = tolerated + 1;
  for (const std::string& word : words) {
    const size_t distance = Distance(typed, word);
    if (distance > least || distance > tolerated) continue;
    if (distance == least && nearest != nullptr && *nearest < word) continue;
    least = distance;
    nearest = &word;
  }
  return nearest == nullptr ? std::string() : *nearest;
}

}  // namespace basalt
