// SPDX-License-Identifier: GPL-2.0-only
//
// Images of words by collations of each kind: zeros in weights, several levels, beginnings.
#include "codec/word_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/codec/fake_collation.h"

namespace basalt::codec {
namespace {

using std::string_literals::operator""s;

std::string ImageOf(const char* collation, Bytes word) {
  return WordImages(test::FakeCollationByName(collation)).Of(word);
}

bool Begins(const char* collation, Bytes beginning, Bytes word) {
  WordImages images(test::FakeCollationByName(collation));
  const WordBeginning begin(beginning, &images);
  const std::string image = images.Of(word);
  const bool matches = begin.Matches(image);
  if (matches) {
    EXPECT_EQ(Bytes(image).substr(0, begin.range().size()), Bytes(begin.range()));
  }
  return matches;
}

TEST(WordImage, ZerosInWeightsAreTold) {
  EXPECT_EQ(ImageOf("latin2_bin", "ab"), "ab\0\0"s);
  EXPECT_EQ(ImageOf("latin2_bin", "a\0b"s), "a\0\1b\0\0"s);
  EXPECT_EQ(ImageOf("latin2_bin", "\0"s), "\0\1\0\0"s);
  EXPECT_EQ(ImageOf("latin2_bin", ""), "\0\0"s);
}

// More than are kept, each again and again.
TEST(WordImage, WhatIsKeptIsTheSame) {
  WordImages images(test::FakeCollationByName("letters_ci"));
  std::vector<std::string> words = {"", "a", std::string(24, 'x'), std::string(25, 'x')};
  for (int i = 0; i < 2000; ++i) words.push_back("word" + std::to_string(i));
  for (int turn = 0; turn < 3; ++turn) {
    for (const std::string& word : words) {
      EXPECT_EQ(images.Of(word), ImageOf("letters_ci", word));
      EXPECT_EQ(images.Of(word), ImageOf("letters_ci", word));
    }
  }
  std::string added = "before";
  images.Append("a", &added);
  EXPECT_EQ(added, "beforeA\0\0"s);
}

TEST(WordImage, SpacesAtTheEndCountAsTheCollationSays) {
  EXPECT_EQ(ImageOf("letters_ci", "Ab  "), "AB\0\0"s);
  EXPECT_EQ(ImageOf("letters_nopad_ci", "Ab "), "AB \0\0"s);
}

TEST(WordImage, LevelsFollowEachOther) {
  EXPECT_EQ(ImageOf("two_level", "aB"), "AB\0\0aB\0\0"s);
  EXPECT_LT(ImageOf("two_level", "aB"), ImageOf("two_level", "ab"));
}

// No image is the beginning of another, and their order is that of the weights.
TEST(WordImage, ImagesSortAsWeightsDo) {
  std::vector<std::string> words = {""};
  const char kBytes[] = {0, 1, 2, 'a', '\xff'};
  for (size_t i = 0; words.size() < 600; ++i) {
    for (const char byte : kBytes) words.push_back(words[i] + byte);
  }
  std::sort(words.begin(), words.end());
  std::string last;
  for (const std::string& word : words) {
    const std::string image = ImageOf("latin2_bin", word);
    EXPECT_LT(last, image);
    EXPECT_TRUE(last.empty() || image.substr(0, last.size()) != last);
    EXPECT_EQ(WordImageBytes(image + "\0row"s, 1), image.size());
    last = image;
  }
}

TEST(WordImage, WhatIsCutShortIsNone) {
  for (const std::string& bytes : {""s, "a"s, "a\0"s, "a\0\1"s, "\0\2\0\0"s}) {
    EXPECT_EQ(WordImageBytes(bytes, 1), 0u);
  }
  EXPECT_EQ(WordImageBytes("a\0\0b\0\0"s, 1), 3u);
  EXPECT_EQ(WordImageBytes("a\0\0b\0\0c"s, 2), 6u);
  EXPECT_EQ(WordImageBytes("a\0\0b\0"s, 2), 0u);
}

TEST(WordBeginning, IsThatOfEachLevel) {
  EXPECT_TRUE(Begins("letters_ci", "ab", "ABc"));
  EXPECT_TRUE(Begins("letters_ci", "ab", "aB"));
  EXPECT_TRUE(Begins("letters_ci", "", "x"));
  EXPECT_FALSE(Begins("letters_ci", "abc", "ab"));
  EXPECT_FALSE(Begins("letters_ci", "b", "ab"));
  EXPECT_TRUE(Begins("two_level", "aB", "aBc"));
  EXPECT_FALSE(Begins("two_level", "ab", "aBc"));
}

TEST(WordBeginning, AZeroIsNoEnd) {
  EXPECT_TRUE(Begins("latin2_bin", "a\0"s, "a\0b"s));
  EXPECT_FALSE(Begins("latin2_bin", "a\0"s, "a"));
  EXPECT_TRUE(Begins("latin2_bin", "a", "a\0"s));
}

}  // namespace
}  // namespace basalt::codec
