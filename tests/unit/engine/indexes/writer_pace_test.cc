// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/writer_pace.h"

#include <gtest/gtest.h>

namespace basalt::engine {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(WriterPaceTest, PassesThatShrinkNeedNoPause) {
  WriterPace pace;
  for (const microseconds took : {microseconds(60'000'000), microseconds(20'000'000),
                                  microseconds(9'000'000), microseconds(3'000)}) {
    EXPECT_EQ(pace.AfterPass(took).count(), 0);
  }
}

TEST(WriterPaceTest, ShortPassesNeedNotShrink) {
  WriterPace pace;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pace.AfterPass(milliseconds(15)).count(), 0);
}

TEST(WriterPaceTest, ThePauseDoublesWhilePassesDoNotShrinkAndStaysUntilOneIsShort) {
  WriterPace pace;
  EXPECT_EQ(pace.AfterPass(seconds(10)).count(), 0);
  EXPECT_EQ(pace.AfterPass(seconds(9)), WriterPace::kFirst);
  EXPECT_EQ(pace.AfterPass(seconds(12)), 2 * WriterPace::kFirst);
  EXPECT_EQ(pace.AfterPass(seconds(4)), 2 * WriterPace::kFirst) << "it shrinks";
  for (int i = 0; i < 20; ++i) pace.AfterPass(seconds(4));
  EXPECT_EQ(pace.AfterPass(seconds(4)), WriterPace::kLongest);
  EXPECT_EQ(pace.AfterPass(milliseconds(20)).count(), 0);
}

// Writers that make twice as much as is applied, as long as they do not wait.
TEST(WriterPaceTest, FastWritersAreCaughtUpWith) {
  constexpr double kApplied = 10;  // microseconds for each change
  constexpr double kMade = 5;
  WriterPace pace;
  double took = 60e6;
  int passes = 0;
  for (double pause = 0; took > 20'000 && passes < 100; ++passes) {
    took = took / (kMade + pause) * kApplied;
    pause = static_cast<double>(pace.AfterPass(microseconds(static_cast<int64_t>(took))).count());
  }
  EXPECT_LT(passes, 10);
}

}  // namespace
}  // namespace basalt::engine
