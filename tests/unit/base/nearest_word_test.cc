// SPDX-License-Identifier: GPL-2.0-only
#include "base/nearest_word.h"

#include <gtest/gtest.h>

namespace basalt {
namespace {

TEST(NearestWordTest, TheOneWithTheFewestChanges) {
  const std::vector<std::string> words = {"default", "queue", "preset_small"};
  EXPECT_EQ(NearestWord("defualt", words, 3), "default");
  EXPECT_EQ(NearestWord("QUEUE", words, 0), "queue");
  EXPECT_EQ(NearestWord("", words, 3), "");
  EXPECT_EQ(NearestWord("something else", words, 3), "");
  EXPECT_EQ(NearestWord("queue", {}, 3), "");
}

TEST(NearestWordTest, OfSeveralTheFirstByTheAlphabet) {
  EXPECT_EQ(NearestWord("cf", {"cf3", "cf1", "cf2"}, 1), "cf1");
  EXPECT_EQ(NearestWord("cf", {"cf3", "xyz"}, 1), "cf3");
}

}  // namespace
}  // namespace basalt
