// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace basalt::codec {

// What a text's characters are. The border implements it with the server's character sets, tests
// with their own. Immutable: any number of threads.
class CharacterTypes {
 public:
  virtual ~CharacterTypes() = default;

  // The character that the text, which is not empty, begins with: its bytes, at least 1 and at most
  // all of the text, and whether it is a letter or a digit. A byte that begins no character counts
  // as one that is neither.
  virtual size_t Read(Bytes text, bool* is_letter_or_digit) const = 0;

 protected:
  CharacterTypes() = default;
  CharacterTypes(const CharacterTypes&) = delete;
  CharacterTypes& operator=(const CharacterTypes&) = delete;
};

// A word of a text; borrows the text's bytes.
struct ScannedWord {
  Bytes bytes;
  size_t characters = 0;
};

// Finds the words of a text: runs of letters, digits and `_`. All else is between words, an
// apostrophe too: "don't" is two words. These are InnoDB's words. Borrows its arguments.
class WordScanner {
 public:
  WordScanner(const CharacterTypes* characters, Bytes text)
      : characters_(characters), rest_(text) {}

  // Gives the next word. False at the end of the text.
  [[nodiscard]] bool Next(ScannedWord* word);

 private:
  // Bytes of the character in front, and whether words consist of it.
  size_t Look(bool* in_word) const;

  const CharacterTypes* characters_;
  Bytes rest_;
};

}  // namespace basalt::codec
