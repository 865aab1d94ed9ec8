// SPDX-License-Identifier: GPL-2.0-only
#include "unit/codec/altered_table.h"

#include "codec/row_decoder.h"
#include "unit/codec/fake_collation.h"

namespace basalt::test {
namespace {

size_t ColumnNamed(const TestTable& table, const std::string& name) {
  size_t column = 0;
  while (column < table.descriptor().columns.size() && table.column_name(column) != name) ++column;
  return column;
}

}  // namespace

AlteredTable::AlteredTable(const std::vector<std::string>& lines) {
  tables_.push_back(std::make_unique<TestTable>(lines, FakeCollationByName));
}

bool AlteredTable::Alter(const std::vector<std::string>& lines, const std::string& defaults) {
  TestTable after(lines, FakeCollationByName);
  std::vector<uint8_t> record(after.descriptor().record_length);
  if (!defaults.empty()) record = after.Record(defaults);
  return AlterWith(lines, record);
}

bool AlteredTable::AlterWith(const std::vector<std::string>& lines,
                             const std::vector<uint8_t>& defaults) {
  const TestTable after(lines, FakeCollationByName);
  std::vector<codec::ColumnOrigin> origins;
  const TestTable& before = latest();
  for (size_t i = 0; i < after.descriptor().columns.size(); ++i) {
    const size_t column = ColumnNamed(before, after.column_name(i));
    codec::ColumnOrigin origin;
    if (column < before.descriptor().columns.size()) {
      origin.column = static_cast<uint32_t>(column);
    } else {
      origin = codec::NewColumn(after.descriptor().columns[i], defaults.data());
    }
    origins.push_back(std::move(origin));
  }
  std::shared_ptr<const codec::RowLayout> layout;
  if (!ChangeRowLayout(before.descriptor(), after.descriptor(), origins, &layout)) return false;
  tables_.push_back(std::make_unique<TestTable>(lines, FakeCollationByName, layout));
  return true;
}

std::vector<std::string> ReadRow(const TestTable& table, Bytes key, Bytes value,
                                 const codec::ColumnSet& wanted) {
  codec::RowDecoder decoder;
  decoder.Compile(table.descriptor(), table.primary(), table.rows(), wanted);
  constexpr uint8_t kOther = 0xA5;
  std::vector<uint8_t> record(table.descriptor().record_length, kOther);
  if (!decoder.Decode(key, value, record.data())) return {};
  std::vector<std::string> values;
  for (uint32_t i = 0; i < table.descriptor().columns.size(); ++i) {
    if (wanted.Contains(i)) values.push_back(table.Show(record.data(), i));
  }
  return values;
}

}  // namespace basalt::test
