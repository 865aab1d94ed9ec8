// SPDX-License-Identifier: GPL-2.0-only
//
// Phrases and distances, against all choices of places.
#include "engine/full_text/phrase_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace basalt::engine {
namespace {

using codec::WordPosition;

// Tries all choices of one place a word.
bool AnyChoice(const PhrasePlaces& places, std::vector<WordPosition>* chosen,
               const std::function<bool(const std::vector<WordPosition>&)>& holds) {
  if (chosen->size() == places.size()) return holds(*chosen);
  for (const WordPosition& place : places[chosen->size()]) {
    chosen->push_back(place);
    const bool any = AnyChoice(places, chosen, holds);
    chosen->pop_back();
    if (any) return true;
  }
  return false;
}

bool StandTogetherByScan(const PhrasePlaces& places) {
  std::vector<WordPosition> chosen;
  return AnyChoice(places, &chosen, [](const std::vector<WordPosition>& choice) {
    for (size_t i = 1; i < choice.size(); ++i) {
      if (choice[i].column != choice[0].column) return false;
      if (choice[i].ordinal != choice[0].ordinal + i) return false;
    }
    return true;
  });
}

bool StandWithinByScan(const PhrasePlaces& places, uint32_t distance) {
  std::vector<WordPosition> chosen;
  return AnyChoice(places, &chosen, [&](const std::vector<WordPosition>& choice) {
    const auto [low, high] = std::minmax_element(choice.begin(), choice.end());
    return low->column == high->column && high->ordinal - low->ordinal + 1 <= distance;
  });
}

TEST(PhraseMatch, Examples) {
  const PhrasePlaces places = {{{0, 1}, {1, 4}}, {{0, 3}, {1, 5}}};
  EXPECT_TRUE(StandTogether(places));
  EXPECT_TRUE(StandWithin(places, 2));
  EXPECT_FALSE(StandWithin(places, 1)) << "two words are two words";
  EXPECT_FALSE(StandTogether({{{0, 9}}, {{1, 10}}})) << "no phrase goes on in the next column";
  EXPECT_FALSE(StandWithin({{{0, 9}}, {{1, 10}}}, 100));
  EXPECT_FALSE(StandTogether({{{0, 1}}, {}}));
  EXPECT_FALSE(StandWithin({{{0, 1}}, {}}, 9));
  EXPECT_TRUE(StandTogether({{{0, 1}}}));
}

TEST(PhraseMatch, IsWhatAllChoicesGive) {
  std::mt19937 random(3);
  int together = 0;
  int within = 0;
  for (int round = 0; round < 5000; ++round) {
    PhrasePlaces places(1 + random() % 4);
    for (std::vector<WordPosition>& list : places) {
      std::set<WordPosition> set;
      for (size_t i = 0, n = random() % 5; i < n; ++i) {
        set.insert({static_cast<uint32_t>(random() % 2), static_cast<uint32_t>(1 + random() % 12)});
      }
      list.assign(set.begin(), set.end());
    }
    const auto distance = static_cast<uint32_t>(1 + random() % 6);
    ASSERT_EQ(StandTogether(places), StandTogetherByScan(places));
    ASSERT_EQ(StandWithin(places, distance), StandWithinByScan(places, distance));
    together += StandTogether(places) ? 1 : 0;
    within += StandWithin(places, distance) ? 1 : 0;
  }
  EXPECT_GT(together, 100);
  EXPECT_GT(within, 100);
}

}  // namespace
}  // namespace basalt::engine
