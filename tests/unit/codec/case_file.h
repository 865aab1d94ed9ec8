// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace basalt::test {

// Set by --rewrite on the command line.
extern bool rewrite_case_files;

// One case of a data-driven test file:
//
//   # comments and blank lines between cases stay as they are
//   directive
//   input line
//   ----
//   expected line
//   (blank line)
//
// Spaces and `|` inside expected lines are only for the eye; they are ignored in comparisons.
struct Case {
  std::string directive;
  std::vector<std::string> input;
};

// Runs every case of a file through `run`, which returns the actual output lines, and reports
// differences as test failures with file and line; or, with --rewrite, writes the file anew
// (expected lines that differ only in their separators are kept).
void RunCaseFile(const std::string& path,
                 const std::function<std::vector<std::string>(const Case&)>& run);

}  // namespace basalt::test
