// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <random>
#include <string>

#include "unit/codec/server_collation.h"

namespace basalt::test {

// Values in the character set of a server collation, rich in corners.

// A character in the character set; empty when it has none such.
inline std::string Character(CHARSET_INFO* charset, my_wc_t code_point) {
  uchar character[8];
  const int bytes = charset->wc_mb(code_point, character, character + sizeof(character));
  return std::string(reinterpret_cast<char*>(character), bytes > 0 ? bytes : 0);
}

// A value of at most `most` characters: letters with and without accents, letters that expand or
// contract, others that sort like spaces or below them, zero bytes, ones that a level ignores.
inline std::string RandomValue(const ServerCollation& collation, unsigned most,
                               std::mt19937* random) {
  static constexpr my_wc_t kCharacters[] = {
      'a',    'A',    'b',    'B',     'c',    'h',     'C',   'H',   ' ',   ' ',
      ' ',    '\t',   '0',    'z',     '`',    's',     'S',   0xE9,  0xE1,  0xC1,
      0xDF,   0x20AC, 0x430,  0x1F600, 0xA0,   0x301,   0x10D, 0xE01, 0xE40, 0xE48,
      0x337F, 0xFDFA, 0x3042, 0x4E00,  0x4E59, 0x10437, 0,     1};
  std::string value;
  CHARSET_INFO* charset = collation.charset();
  // Some values share their first segment, so that what follows it decides.
  if (most >= 20 && (*random)() % 2 == 0) {
    for (int i = 0; i < 8; ++i) value += Character(charset, 'a');
    most -= 8;
  }
  for (unsigned i = 0, n = (*random)() % (most + 1); i < n; ++i) {
    value += Character(charset, kCharacters[(*random)() % std::size(kCharacters)]);
  }
  return value;
}

// The first characters of a value, as the server puts them into a search tuple.
inline std::string FirstCharacters(const ServerCollation& collation, const std::string& value,
                                   unsigned characters) {
  const char* end = value.data() + value.size();
  const size_t bytes = collation.charset()->charpos(value.data(), end, characters);
  return value.substr(0, std::min(value.size(), bytes));
}

// The value as a CHAR column holds it.
inline std::string PaddedTo(const ServerCollation& collation, std::string value, size_t bytes) {
  while (value.size() < bytes) value += collation.properties().space;
  value.resize(bytes);
  return value;
}

inline int Sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

}  // namespace basalt::test
