// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/word_numbers.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace basalt::engine {
namespace {

TEST(WordNumbersTest, EachWordHasItsNumber) {
  WordNumbers words;
  EXPECT_EQ(words.NumberOf("pear"), 0u);
  EXPECT_EQ(words.NumberOf("apple"), 1u);
  EXPECT_EQ(words.NumberOf("pear"), 0u);
  EXPECT_EQ(words.NumberOf("pea"), 2u);
  EXPECT_EQ(words.size(), 3u);
}

// Far more than the table begins with, twice in the same memory.
TEST(WordNumbersTest, ManyWordsAreSorted) {
  WordNumbers words;
  for (const std::string beginning : {"one", "other"}) {
    std::map<std::string, uint32_t> expected;
    for (uint32_t i = 0; i < 10'000; ++i) {
      const std::string word = beginning + std::to_string(i * 7919 % 10'000);
      ASSERT_EQ(words.NumberOf(word), i);
      expected.emplace(word, i);
    }
    for (const auto& [word, number] : expected) ASSERT_EQ(words.NumberOf(word), number);
    const std::vector<WordNumbers::Word> sorted = words.Sorted();
    ASSERT_EQ(sorted.size(), expected.size());
    auto wanted = expected.begin();
    for (const WordNumbers::Word& word : sorted) {
      ASSERT_EQ(word.bytes, wanted->first);
      ASSERT_EQ(word.number, wanted->second);
      ++wanted;
    }
    words.Clear();
    EXPECT_EQ(words.size(), 0u);
    EXPECT_TRUE(words.Sorted().empty());
  }
}

}  // namespace
}  // namespace basalt::engine
