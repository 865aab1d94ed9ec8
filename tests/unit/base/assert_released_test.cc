// SPDX-License-Identifier: GPL-2.0-only
// The macro as the released plugin has it, whatever this build is.
#undef BASALT_SANITIZED
#undef BASALT_ASSERTIONS
#include "base/assert.h"

#include <gtest/gtest.h>

namespace basalt {
namespace {

TEST(AssertReleasedTest, ConditionIsNotEvaluated) {
  int asked = 0;
  BASALT_ASSERT(++asked > 1, "W9: one is more than one");
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace basalt
