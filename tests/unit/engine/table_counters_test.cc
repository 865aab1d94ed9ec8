// SPDX-License-Identifier: GPL-2.0-only
#include "engine/table_counters.h"

#include <gtest/gtest.h>

namespace basalt::engine {
namespace {

constexpr uint64_t kLargest = 127;  // a TINYINT

TEST(TableCounters, CountsUp) {
  TableCounters counters;
  counters.RaiseAutoIncrement(1);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 1, kLargest), 1u);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 3, kLargest), 2u);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 1, kLargest), 5u);
  counters.RaiseAutoIncrement(3);
  EXPECT_EQ(counters.auto_increment(), 6u);
}

TEST(TableCounters, KeepsToTheSequence) {
  TableCounters counters;
  counters.RaiseAutoIncrement(1);
  EXPECT_EQ(counters.ReserveAutoIncrement(3, 10, 1, kLargest), 3u);
  EXPECT_EQ(counters.ReserveAutoIncrement(3, 10, 2, kLargest), 13u);
  EXPECT_EQ(counters.ReserveAutoIncrement(3, 10, 1, kLargest), 33u);
  EXPECT_EQ(counters.ReserveAutoIncrement(7, 5, 1, kLargest), 36u) << "offset above increment";
}

TEST(TableCounters, StopsAtTheTypesEnd) {
  TableCounters counters;
  counters.RaiseAutoIncrement(126);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 1, kLargest), 126u);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 5, kLargest), 127u);
  EXPECT_EQ(counters.auto_increment(), 128u) << "127 is not given again";
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 1, kLargest), UINT64_MAX);
  EXPECT_EQ(counters.ReserveAutoIncrement(3, 10, 1, kLargest), UINT64_MAX);
  EXPECT_EQ(counters.auto_increment(), 128u);
  counters.SetAutoIncrement(UINT64_MAX);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 1, UINT64_MAX), UINT64_MAX);
}

TEST(TableCounters, StepsThatLeadBeyondTheType) {
  TableCounters counters;
  EXPECT_EQ(counters.ReserveAutoIncrement(300, 500, 1, kLargest), UINT64_MAX);
  counters.SetAutoIncrement(UINT64_MAX - 1);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 300, 1, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(counters.auto_increment(), UINT64_MAX - 1);
  EXPECT_EQ(counters.ReserveAutoIncrement(1, 1, 1, UINT64_MAX), UINT64_MAX - 1);
}

TEST(TableCounters, TheCommitThatFollowsIsTheLoads) {
  TableCounters counters;
  counters.NoteCommit(5);
  EXPECT_EQ(counters.loads(), 0u);
  counters.BeginLoad();
  EXPECT_EQ(counters.loads(), 0u);
  counters.NoteCommit(6);
  counters.NoteCommit(7);
  EXPECT_EQ(counters.loads(), 1u);
  EXPECT_EQ(counters.last_change(), 7);
  counters.NoteLoaded();
  EXPECT_EQ(counters.loads(), 2u);
}

}  // namespace
}  // namespace basalt::engine
