// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codec/column_set.h"
#include "codec/row_layout_change.h"
#include "unit/codec/test_table.h"

namespace basalt::test {

// A table over fake collations whose definition is changed time after time without a change of its
// rows: a TestTable for each version. Columns are told apart by their names.
class AlteredTable {
 public:
  explicit AlteredTable(const std::vector<std::string>& lines);

  // Gives the table another definition; false when that needs a copy of the rows, and then the
  // table stays as it is. `defaults`: literals for a row of the new one, of which columns that are
  // new take theirs; may be empty when none is.
  bool Alter(const std::vector<std::string>& lines, const std::string& defaults = "");
  // The same, with a record image of the new definition for `defaults`.
  bool AlterWith(const std::vector<std::string>& lines, const std::vector<uint8_t>& defaults);

  size_t versions() const { return tables_.size(); }
  TestTable& version(size_t number) { return *tables_[number]; }
  TestTable& latest() { return *tables_.back(); }

 private:
  std::vector<std::unique_ptr<TestTable>> tables_;
};

// The wanted columns of a row, in their order, as TestTable::Show has them; nothing when the bytes
// were refused.
std::vector<std::string> ReadRow(const TestTable& table, Bytes key, Bytes value,
                                 const codec::ColumnSet& wanted);

}  // namespace basalt::test
