// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "unit/codec/altered_table.h"

namespace basalt::test {

// A random table under random changes of its definition, with rows of each version, and what each
// row is to read as in the end: worked out from the words of the definitions, not from layouts.
class RandomAlters {
 public:
  explicit RandomAlters(uint32_t seed) : RandomAlters(std::mt19937(seed)) {}
  // With numbers from elsewhere: what a fuzzer has made up.
  explicit RandomAlters(std::function<uint32_t()> numbers);

  // Changes the definition once more; rows that were made keep their bytes.
  void Alter();
  // Makes a row of the latest definition.
  void AddRow();

  struct Row {
    EncodedEntry entry;                         // of the primary index
    std::map<std::string, std::string> values;  // by column, as TestTable::Show has them
  };
  TestTable& table() { return altered_->latest(); }
  const std::vector<Row>& rows() const { return rows_; }
  const std::string& text() const { return text_; }  // all definitions, for messages

 private:
  struct ColumnWords {
    std::string name;
    size_t type;  // position in the list of types
    bool nullable;
  };

  ColumnWords RandomColumn();
  std::string RandomValue(const ColumnWords& column);
  std::vector<uint8_t> RecordOf(TestTable* table, const std::map<std::string, std::string>& values);
  std::vector<std::string> Lines() const;
  void AddColumn();
  void DropColumn(size_t column);
  void WidenColumn(size_t column);
  void LetBeNull(size_t column);
  uint32_t Below(uint32_t bound) { return numbers_() % bound; }

  std::function<uint32_t()> numbers_;
  std::vector<ColumnWords> columns_;  // those of the primary key have names that begin with k
  std::string index_;
  std::map<std::string, std::string> defaults_;  // of the columns that were added
  std::unique_ptr<AlteredTable> altered_;
  std::vector<Row> rows_;
  std::string text_;
  uint32_t names_ = 0;
};

}  // namespace basalt::test
