// SPDX-License-Identifier: GPL-2.0-only

// Estimates of a part of an index against what is really there, for each thing memory can hold.

#include "engine/range_estimate.h"

#include <gtest/gtest.h>

namespace basalt::engine {
namespace {

double Estimate(const StoredAmount& part, const StoredAmount& all, double found, double deletions,
                double deleted_here) {
  return EstimatePart(part, all, found, EffectOf(all, found, deletions), deleted_here);
}

TEST(RangeEstimateTest, FilesAlone) {
  EXPECT_EQ(Estimate({10, 0}, {100, 0}, 100, 0, 0), 10);
  // Half of what files hold is older versions.
  EXPECT_EQ(Estimate({10, 0}, {200, 0}, 100, 0, 0), 5);
  EXPECT_EQ(Estimate({0, 0}, {0, 0}, 0, 0, 0), 0);
}

TEST(RangeEstimateTest, NewEntriesInMemory) {
  EXPECT_EQ(Estimate({10, 30}, {100, 50}, 150, 0, 0), 40);
  EXPECT_EQ(Estimate({0, 30}, {0, 50}, 50, 0, 0), 30);
}

TEST(RangeEstimateTest, OtherVersionsInMemory) {
  EXPECT_EQ(Estimate({10, 10}, {100, 50}, 100, 0, 0), 10);
  // Of fifty writes ten were new.
  EXPECT_EQ(Estimate({10, 10}, {100, 50}, 110, 0, 0), 12);
}

TEST(RangeEstimateTest, DeletionsInMemory) {
  EXPECT_EQ(Estimate({30, 20}, {100, 50}, 50, 1, 1), 10);
  // Thirty of fifty writes are deletions, all of them elsewhere.
  EXPECT_EQ(Estimate({30, 20}, {100, 50}, 70, 0.6, 0), 30);
  EXPECT_EQ(Estimate({40, 30}, {100, 50}, 70, 0.6, 1), 10);
}

// What memory has deleted was there: only of the rest it is unknown how much is old. Half of what
// files hold is; all of that elsewhere leaves 20, a part like the others 10 or none.
TEST(RangeEstimateTest, DeletionsInMemoryAmongOldVersions) {
  EXPECT_NEAR(Estimate({40, 20}, {200, 20}, 80, 1, 1), 20 * 80.0 / 180, 1e-9);
  EXPECT_NEAR(Estimate({200, 20}, {200, 20}, 80, 1, 1), 80, 1e-9);
}

TEST(RangeEstimateTest, StaysWithinWhatIsStored) {
  EXPECT_EQ(Estimate({20, 100}, {100, 100}, 50, 1, 1), 2);    // never less than a tenth
  EXPECT_EQ(Estimate({10, 0}, {100, 0}, 1, 0, 0), 1);         // the same for the whole
  EXPECT_EQ(Estimate({10, 5}, {100, 10}, 100000, 0, 0), 15);  // never more than there is
}

}  // namespace
}  // namespace basalt::engine
