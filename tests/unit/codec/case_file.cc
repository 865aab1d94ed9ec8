// SPDX-License-Identifier: GPL-2.0-only
#include "unit/codec/case_file.h"

#include <gtest/gtest.h>

#include <fstream>

namespace basalt::test {

bool rewrite_case_files = false;

namespace {

std::string WithoutSeparators(const std::string& line) {
  std::string bare;
  for (const char c : line) {
    if (c != ' ' && c != '|') bare.push_back(c);
  }
  return bare;
}

bool SameOutput(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  if (expected.size() != actual.size()) return false;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (WithoutSeparators(expected[i]) != WithoutSeparators(actual[i])) return false;
  }
  return true;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The lines of a file, read case by case.
class Lines {
 public:
  explicit Lines(const std::string& path) : file_(path) {}

  bool opened() const { return file_.is_open(); }
  int number() const { return number_; }

  bool Next(std::string* line) {
    if (!std::getline(file_, *line)) return false;
    ++number_;
    return true;
  }

 private:
  std::ifstream file_;
  int number_ = 0;
};

}  // namespace

void RunCaseFile(const std::string& path,
                 const std::function<std::vector<std::string>(const Case&)>& run) {
  Lines lines(path);
  ASSERT_TRUE(lines.opened()) << path;
  std::string text;
  std::string line;
  int cases = 0;
  while (lines.Next(&line)) {
    text += line + "\n";
    if (line.empty() || line[0] == '#') continue;
    Case one{line, {}};
    const int at = lines.number();
    bool separated = false;
    while (lines.Next(&line)) {
      text += line + "\n";
      separated = line == "----";
      if (separated) break;
      one.input.push_back(line);
    }
    ASSERT_TRUE(separated) << path << ":" << at << ": no ---- line";
    std::vector<std::string> expected;
    while (lines.Next(&line) && !line.empty()) expected.push_back(line);
    const std::vector<std::string> actual = run(one);
    ++cases;
    const bool same = SameOutput(expected, actual);
    text += Join(same ? expected : actual) + "\n";
    if (!rewrite_case_files) {
      EXPECT_TRUE(same) << path << ":" << at << ": expected\n"
                        << Join(expected) << "but got\n"
                        << Join(actual);
    }
  }
  EXPECT_GT(cases, 0) << path << " holds no case";
  while (text.ends_with("\n\n")) text.pop_back();
  if (rewrite_case_files) std::ofstream(path) << text;
}

}  // namespace basalt::test
