// SPDX-License-Identifier: GPL-2.0-only
#include "engine/counted_texts.h"

#include <gtest/gtest.h>

namespace basalt::engine {
namespace {

constexpr CountedTexts::View kView = {.sequence = 500, .seconds = 1000, .changes = 70, .loads = 2};

TEST(CountedTexts, NothingIsKnownAtFirst) { EXPECT_FALSE(CountedTexts().Recall(kView)); }

TEST(CountedTexts, CountsOfFewRowsAreNotKept) {
  CountedTexts texts;
  texts.Remember({CountedTexts::kFewRows - 1, 5}, kView);
  EXPECT_FALSE(texts.Recall(kView));
  texts.Remember({CountedTexts::kFewRows, 7}, kView);
  EXPECT_EQ(texts.Recall(kView)->rows, CountedTexts::kFewRows);
  EXPECT_EQ(texts.Recall(kView)->words, 7u);
}

TEST(CountedTexts, ACountHoldsForYoungerViewsForAWhile) {
  CountedTexts texts;
  texts.Remember({20'000, 90'000}, kView);
  CountedTexts::View view = kView;
  view.sequence = 900;
  view.seconds += CountedTexts::kMostSeconds;
  view.changes += 200;
  ASSERT_TRUE(texts.Recall(view));
  EXPECT_EQ(texts.Recall(view)->words, 90'000u);
  ++view.seconds;
  EXPECT_FALSE(texts.Recall(view)) << "too old";
  --view.seconds;
  ++view.changes;
  EXPECT_FALSE(texts.Recall(view)) << "more than a change for each hundred rows";
  --view.changes;
  ++view.loads;
  EXPECT_FALSE(texts.Recall(view)) << "a bulk load has ended since";
}

TEST(CountedTexts, ViewsFromBeforeTheCountCountForThemselves) {
  CountedTexts texts;
  texts.Remember({20'000, 90'000}, kView);
  CountedTexts::View before = kView;
  --before.sequence;
  EXPECT_FALSE(texts.Recall(before));
  texts.Remember({10'000, 1}, before);
  ASSERT_TRUE(texts.Recall(kView));
  EXPECT_EQ(texts.Recall(kView)->rows, 20'000u);
}

}  // namespace
}  // namespace basalt::engine
