// SPDX-License-Identifier: GPL-2.0-only
// The macro as builds with a sanitizer have it, whatever this build is.
#define BASALT_ASSERTIONS
#include "base/assert.h"

#include <gtest/gtest.h>

namespace basalt {
namespace {

TEST(AssertDeathTest, BrokenInvariantEndsTheProcessWithItsText) {
  EXPECT_DEATH(BASALT_ASSERT(1 > 2, "W9: one is more than two"),
               "assert_test.cc:[0-9]+: invariant broken: W9: one is more than two");
}

TEST(AssertTest, TrueConditionIsEvaluatedOnce) {
  int asked = 0;
  BASALT_ASSERT(++asked > 0, "W9: one is more than none");
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace basalt
