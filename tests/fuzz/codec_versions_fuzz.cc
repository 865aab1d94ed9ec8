// SPDX-License-Identifier: GPL-2.0-only
//
// Layouts of rows. Any bytes as one: what is accepted comes back as the same bytes. And a table
// whose definition the input changes over its rows: each row reads as the definitions say, and a
// row with changed bytes is read or refused without harm.
#include "codec/row_layout_record.h"
#include "fuzz/fuzz_input.h"
#include "unit/codec/random_alters.h"

using basalt::Bytes;
using basalt::codec::ColumnSet;
using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;
using basalt::test::RandomAlters;
using basalt::test::ReadRow;
using basalt::test::TestTable;

namespace {

constexpr unsigned kMostSteps = 24;

void ReadLayout(Bytes bytes) {
  basalt::codec::RowLayout layout;
  if (!basalt::codec::DecodeRowLayout(bytes, &layout).ok()) return;
  Require(basalt::codec::EncodeRowLayout(layout) == bytes, "a layout comes back");
}

void RequireRow(const TestTable& table, const RandomAlters::Row& row) {
  const size_t columns = table.descriptor().columns.size();
  std::vector<std::string> expected;
  for (size_t i = 0; i < columns; ++i) {
    expected.push_back(row.values.at(table.column_name(i)));
    ColumnSet one(columns);
    one.Add(static_cast<uint32_t>(i));
    Require(ReadRow(table, row.entry.key, row.entry.value, one) == std::vector{expected[i]},
            "a column comes back");
  }
  Require(ReadRow(table, row.entry.key, row.entry.value, ColumnSet::All(columns)) == expected,
          "a row comes back");
  size_t stored = 0;
  Require(table.rows().StoredBytes(row.entry.value, &stored) && stored == row.entry.value.size(),
          "a row ends where it ends");
}

void ReadDamaged(FuzzInput* input, const TestTable& table, const RandomAlters::Row& row) {
  std::vector<uint8_t> value(row.entry.value.begin(), row.entry.value.end());
  value.resize(input->Number() % (value.size() + 8), 4);
  for (unsigned edits = input->Byte() % 4; edits > 0 && !value.empty(); --edits) {
    const uint32_t at = input->Number();
    value[at % value.size()] = input->Byte();
  }
  value.shrink_to_fit();
  const ColumnSet all = ColumnSet::All(table.descriptor().columns.size());
  static_cast<void>(ReadRow(table, row.entry.key, BytesOf(value), all));
  size_t stored = 0;
  if (table.rows().StoredBytes(BytesOf(value), &stored)) {
    Require(stored <= value.size(), "bytes of a row");
  }
  static_cast<void>(table.rows().HasChecksumChunk(BytesOf(value)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  if (input.Byte() % 4 == 0) {
    ReadLayout(BytesOf(input.Rest()));
    return 0;
  }
  RandomAlters random([&input] { return input.Number(); });
  for (unsigned step = 0; step < kMostSteps && input.left() > 0; ++step) {
    if (input.Byte() % 3 == 0) {
      random.Alter();
    } else {
      random.AddRow();
    }
  }
  for (const RandomAlters::Row& row : random.rows()) {
    RequireRow(random.table(), row);
    ReadDamaged(&input, random.table(), row);
  }
  return 0;
}
