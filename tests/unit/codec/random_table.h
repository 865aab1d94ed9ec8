// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "unit/codec/test_table.h"

namespace basalt::test {

// A table of random columns and indexes over the fake collations, and random rows for it.
class RandomTable {
 public:
  explicit RandomTable(uint32_t seed) : RandomTable(std::mt19937(seed)) {}
  // With numbers from elsewhere: what a fuzzer has made up.
  explicit RandomTable(std::function<uint32_t()> numbers);

  TestTable& table() { return *table_; }
  const std::string& text() const { return text_; }  // for messages
  std::vector<uint8_t> RandomRow();

 private:
  std::string RandomData(size_t column);
  std::string RandomShape();
  uint32_t Below(uint32_t bound) { return numbers_() % bound; }

  std::function<uint32_t()> numbers_;
  bool newest_ = false;     // indexes of version 14 among the others
  bool has_shape_ = false;  // the last column is a geometry with a spatial index
  std::string text_;
  std::unique_ptr<TestTable> table_;
};

}  // namespace basalt::test
