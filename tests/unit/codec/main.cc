// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <string_view>

#include "unit/codec/case_file.h"

// --rewrite: data-driven tests write what they got into their files instead of comparing.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite") basalt::test::rewrite_case_files = true;
  }
  return RUN_ALL_TESTS();
}
