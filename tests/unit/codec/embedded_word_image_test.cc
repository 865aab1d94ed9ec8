// SPDX-License-Identifier: GPL-2.0-only
//
// Images of words with the server's own collations: equal where SQL takes words for equal, and in
// the order of the collation.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "codec/word_image.h"
#include "unit/codec/collation_values.h"
#include "unit/codec/server_collation.h"

namespace basalt::test {
namespace {

using codec::WordBeginning;
using codec::WordImages;

std::string HexOf(const char* collation, const std::string& word) {
  std::string hex;
  AppendHex(WordImages(ServerCollationByName(collation)).Of(word), &hex);
  return hex;
}

TEST(EmbeddedWordImage, IsThatOfTheDocument) {
  EXPECT_EQ(HexOf("latin1_swedish_ci", "Abc"), "4142430000");
  EXPECT_EQ(HexOf("utf8mb4_general_ci", "Abc"), "0001410001420001430000");
}

// Letters and digits in the character set, as the server's classes say; some ideographs, too.
std::string RandomWord(const ServerCollation& collation, std::mt19937* random) {
  static constexpr my_wc_t kLetters[] = {
      'a',  'A',  'b',  'c',   'C',   'h',   'H',    's',    'S', 'z',   '0', '_',    0xE9,
      0xE1, 0xC1, 0xDF, 0x10D, 0x430, 0x410, 0x3042, 0x4E00, 'l', 0x1C6, 'j', 0x4E59, 0x10437};
  std::string word;
  for (size_t i = 0, n = 1 + (*random)() % 6; i < n; ++i) {
    word += Character(collation.charset(), kLetters[(*random)() % std::size(kLetters)]);
  }
  return word;
}

const char* const kCollations[] = {"latin1_swedish_ci",
                                   "latin1_german2_ci",
                                   "latin1_bin",
                                   "latin2_czech_cs",
                                   "cp1250_czech_cs",
                                   "cp1251_ukrainian_ci",
                                   "utf8mb3_general_ci",
                                   "utf8mb3_bin",
                                   "utf8mb4_general_ci",
                                   "utf8mb4_bin",
                                   "utf8mb4_unicode_ci",
                                   "utf8mb4_czech_ci",
                                   "utf8mb4_german2_ci",
                                   "utf8mb4_croatian_ci",
                                   "utf8mb4_nopad_bin",
                                   "utf8mb4_general_nopad_ci",
                                   "utf8mb4_unicode_520_ci",
                                   "uca1400_ai_ci",
                                   "uca1400_as_cs",
                                   "sjis_japanese_ci",
                                   "gbk_chinese_ci",
                                   "big5_chinese_ci",
                                   "tis620_thai_ci",
                                   "utf8mb4_thai_520_w2"};

TEST(EmbeddedWordImage, WordsAreComparedAsSqlDoes) {
  size_t equal = 0;
  size_t tried = 0;
  for (const char* name : kCollations) {
    const ServerCollation* collation = ServerCollationByName(name);
    if (collation == nullptr) continue;
    ++tried;
    WordImages images(collation);
    std::mt19937 random(7);
    for (int i = 0; i < 3000; ++i) {
      const std::string a = RandomWord(*collation, &random);
      const std::string b = RandomWord(*collation, &random);
      // With room of its own each time: what a longer word has left must not help.
      const std::string image_a = WordImages(collation).Of(a);
      const std::string image_b = images.Of(b);
      ASSERT_EQ(codec::WordImageBytes(image_a + "row", collation->levels().size()), image_a.size())
          << name;
      const int order = Sign(collation->Compare(a, b));
      ASSERT_EQ(order == 0, image_a == image_b) << name << ": " << a << ", " << b;
      if (order == 0) ++equal;
    }
  }
  EXPECT_GE(tried, std::size(kCollations) - 2);
  EXPECT_GT(equal, 300u);
}

// A word is found by each beginning of it, unless letters weigh otherwise together.
TEST(EmbeddedWordImage, BeginningsFindTheirWords) {
  for (const char* name : {"latin1_swedish_ci", "utf8mb4_general_ci", "utf8mb4_bin",
                           "utf8mb4_unicode_ci", "utf8mb4_german2_ci", "sjis_japanese_ci"}) {
    const ServerCollation* collation = ServerCollationByName(name);
    ASSERT_NE(collation, nullptr) << name;
    WordImages images(collation);
    std::mt19937 random(8);
    for (int i = 0; i < 2000; ++i) {
      const std::string beginning = RandomWord(*collation, &random);
      const std::string word = beginning + RandomWord(*collation, &random);
      const std::string image = images.Of(word);
      const WordBeginning range(beginning, &images);
      ASSERT_TRUE(range.Matches(image)) << name << ": " << beginning << ", " << word;
      ASSERT_EQ(image.substr(0, range.range().size()), range.range());
    }
  }
}

}  // namespace
}  // namespace basalt::test
