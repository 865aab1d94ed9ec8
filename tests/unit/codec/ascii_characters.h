// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cctype>

#include "codec/word_scanner.h"

namespace basalt::test {

// One byte a character; letters and digits are those of ASCII.
class AsciiCharacters final : public codec::CharacterTypes {
 public:
  AsciiCharacters() = default;
  size_t Read(Bytes text, bool* is_letter_or_digit) const override {
    *is_letter_or_digit = std::isalnum(static_cast<unsigned char>(text.front())) != 0;
    return 1;
  }
};

}  // namespace basalt::test
