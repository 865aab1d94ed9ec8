// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of tables whose definition has changed over them: docs/format/row-versions.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "codec/checksum_chunk.h"
#include "codec/row_decoder.h"
#include "unit/codec/altered_table.h"
#include "unit/codec/checksum_writer.h"
#include "unit/codec/fake_collation.h"
#include "unit/codec/random_alters.h"

namespace basalt::test {
namespace {

using codec::ColumnSet;
using codec::RowDecoder;

constexpr uint8_t kUntouched = 0xA5;

uint32_t Tables() {
  const char* wanted = std::getenv("BASALT_RANDOM_TABLES");
  return wanted != nullptr ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10)) : 400;
}

ColumnSet Only(const TestTable& table, size_t column) {
  ColumnSet one(table.descriptor().columns.size());
  one.Add(static_cast<uint32_t>(column));
  return one;
}

std::vector<std::string> Read(const TestTable& table, const EncodedEntry& entry,
                              const ColumnSet& wanted) {
  return ReadRow(table, entry.key, entry.value, wanted);
}

// Nothing when the bytes were refused.
std::vector<std::string> ReadAll(const TestTable& table, const EncodedEntry& entry) {
  return Read(table, entry, ColumnSet::All(table.descriptor().columns.size()));
}

EncodedEntry Write(TestTable& table, const std::string& literals) {
  return EncodeRow(table, table.Record(literals).data(), 7, 9)[0];
}

std::string Number(int64_t value, unsigned bytes) {
  return std::string(reinterpret_cast<const char*>(&value), bytes);
}

const std::vector<std::string> kFirst = {"column a int", "column b int null",
                                         "column c varchar(10) latin1_bin", "primary 0100 a"};

// The table of docs/format/row-versions.md, "Examples", after all statements; rows of it when they
// were written.
class DocumentedRows : public testing::Test {
 protected:
  DocumentedRows() : table_(kFirst) {
    rows_.push_back(Write(table_.latest(), "1, 5, 'x'"));
    Alter("column d int", "column b int null", "column c varchar(10) latin1_bin", "0, 7, NULL, ''");
    rows_.push_back(Write(table_.latest(), "2, 7, NULL, 'x'"));
    rows_.push_back(Write(table_.latest(), "3, -2, NULL, 'x'"));
    Alter("column d bigint", "column b int null", "column c varchar(10) latin1_bin", "");
    Alter("column d bigint", "", "column c varchar(10) latin1_bin", "");
    rows_.push_back(Write(table_.latest(), "4, -2, 'x'"));
    Alter("column d bigint", "", "column c varchar(10) latin1_bin null", "");
    rows_.push_back(Write(table_.latest(), "5, -2, NULL"));
  }

  void Alter(const char* d, const char* b, const char* c, const char* defaults) {
    std::vector<std::string> lines = {"column a int"};
    for (const std::string line : {d, b, c, "primary 0100 a"}) {
      if (!line.empty()) lines.push_back(line);
    }
    ASSERT_TRUE(table_.Alter(lines, defaults));
  }

  AlteredTable table_;
  std::vector<EncodedEntry> rows_;
};

TEST_F(DocumentedRows, AreThoseBytes) {
  EXPECT_EQ(Hex(rows_[0].value),
            "00"
            "05000000"
            "0178");
  EXPECT_EQ(Hex(rows_[1].value),
            "01"
            "0178");
  EXPECT_EQ(Hex(rows_[2].value),
            "01"
            "0178"
            "040100"
            "feffffff");
  EXPECT_EQ(Hex(rows_[3].value),
            "01"
            "0178"
            "040201"
            "feffffffffffffff");
  EXPECT_EQ(Hex(rows_[4].value),
            "01"
            "00"
            "040305"
            "feffffffffffffff");
}

TEST_F(DocumentedRows, ReadAsDocumented) {
  const std::string seven = Number(7, 8);
  const std::string minus_two = Number(-2, 8);
  const std::pair<std::string, std::string> expected[] = {
      {seven, "x"}, {seven, "x"}, {minus_two, "x"}, {minus_two, "x"}, {minus_two, "NULL"}};
  for (size_t i = 0; i < rows_.size(); ++i) {
    SCOPED_TRACE(i);
    const std::vector<std::string> values = {Number(static_cast<int64_t>(i) + 1, 4),
                                             expected[i].first, expected[i].second};
    EXPECT_EQ(ReadAll(table_.latest(), rows_[i]), values);
    for (size_t column = 0; column < 3; ++column) {
      EXPECT_EQ(Read(table_.latest(), rows_[i], Only(table_.latest(), column)),
                std::vector{values[column]});
    }
  }
}

TEST_F(DocumentedRows, MayHaveAChecksumChunk) {
  for (EncodedEntry row : rows_) {
    const std::vector<std::string> values = ReadAll(table_.latest(), row);
    size_t stored;
    ASSERT_TRUE(table_.latest().rows().StoredBytes(row.value, &stored));
    EXPECT_EQ(stored, row.value.size());
    EXPECT_FALSE(table_.latest().rows().HasChecksumChunk(row.value));
    AppendChecksumChunk(row.key, &row.value);
    EXPECT_TRUE(table_.latest().rows().HasChecksumChunk(row.value));
    EXPECT_EQ(ReadAll(table_.latest(), row), values);
  }
}

TEST_F(DocumentedRows, WithAWrongExtensionAreRefused) {
  const auto refused = [&](const std::string& value) {
    EncodedEntry row = rows_[4];
    row.value = Unhex(value);
    size_t stored;
    return ReadAll(table_.latest(), row).empty() &&
           !table_.latest().rows().StoredBytes(row.value, &stored);
  };
  EXPECT_FALSE(refused("0100040305feffffffffffffff"));
  EXPECT_TRUE(refused("010004"));
  EXPECT_TRUE(refused("01000400"));
  EXPECT_TRUE(refused("0100040405feffffffffffffff"));  // more slots than there are
  EXPECT_TRUE(refused("0100040305feffffffffffff"));
  EXPECT_TRUE(refused("01000403"));
  // NULL for a column that has none
  EncodedEntry row = rows_[4];
  row.value = Unhex("0100040307");
  EXPECT_TRUE(ReadAll(table_.latest(), row).empty());
}

TEST(RowVersions, NewColumnsCostNothingUntilTheyAreUsed) {
  AlteredTable table(kFirst);
  const EncodedEntry before = Write(table.latest(), "1, 5, 'x'");
  std::vector<std::string> lines = kFirst;
  lines.push_back("column n int null");
  lines.push_back("column t varchar(300) latin1_bin");
  lines.push_back("column m text(2) latin1_bin");
  ASSERT_TRUE(table.Alter(lines, "0, NULL, '', NULL, 'new', 'long'"));
  EXPECT_EQ(Hex(Write(table.latest(), "1, 5, 'x', NULL, 'new', 'long'").value), Hex(before.value));
  EXPECT_EQ(Hex(Write(table.latest(), "1, 5, 'x', 3, 'new', 'long'").value), Hex(before.value) +
                                                                                 "040100"
                                                                                 "03000000");
  EXPECT_EQ(Hex(Write(table.latest(), "1, 5, 'x', NULL, '', 'long'").value), Hex(before.value) +
                                                                                 "040201"
                                                                                 "0000");
  EXPECT_EQ(ReadAll(table.latest(), before)[5], "long");
}

TEST(RowVersions, ANullInTheBaseNeedsNoSecondPlace) {
  AlteredTable table(kFirst);
  ASSERT_TRUE(table.Alter({"column a int", "column b bigint null",
                           "column c varchar(10) latin1_bin", "primary 0100 a"}));
  EXPECT_EQ(Hex(Write(table.latest(), "1, NULL, 'x'").value),
            "01"
            "0178");
  EXPECT_EQ(Hex(Write(table.latest(), "1, 5, 'x'").value),
            "01"
            "0178"
            "040100"
            "0500000000000000");
}

// An old value may end in any bytes, also in those of an extension.
TEST(RowVersions, WhatLooksLikeAnExtensionInAValueIsNone) {
  AlteredTable table({"column a int", "column b blob(1)", "primary 0100 a"});
  const EncodedEntry row = Write(table.latest(), "1, x'040100feffffff'");
  ASSERT_TRUE(table.Alter({"column a int", "column b blob(1)", "column d int", "primary 0100 a"},
                          "0, '', 7"));
  EXPECT_EQ(ReadAll(table.latest(), row)[2], Number(7, 4));
  EXPECT_EQ(Hex(ReadAll(table.latest(), row)[1]), "040100feffffff");
}

TEST(RowVersions, TimestampsAndUnpackInfoStayInFront) {
  AlteredTable table({"column a varchar(10) latin1_bin", "column b int", "primary 0100 a ttl"});
  const EncodedEntry old_row = Write(table.latest(), "'ab', 5");
  ASSERT_TRUE(table.Alter(
      {"column d int null", "column a varchar(10) latin1_bin", "primary 0100 a ttl"}, "NULL, ''"));
  EXPECT_EQ(Hex(old_row.value),
            "0000000000000009"
            "02000402"
            "05000000");
  EXPECT_EQ(ReadAll(table.latest(), old_row), (std::vector<std::string>{"NULL", "ab"}));
  const EncodedEntry new_row = Write(table.latest(), "6, 'ab'");
  EXPECT_EQ(Hex(new_row.value),
            "0000000000000009"
            "02000402"
            "00000000"
            "040100"
            "06000000");
  EXPECT_EQ(ReadAll(table.latest(), new_row)[0], Number(6, 4));
  uint64_t seconds;
  ASSERT_TRUE(codec::ReadTtl(new_row.value, &seconds));
  EXPECT_EQ(seconds, 9u);
}

TEST(RowVersions, ColumnsOfOtherNullsGetTheDefaultRecordsBytes) {
  AlteredTable table(kFirst);
  const EncodedEntry row = Write(table.latest(), "1, 5, 'x'");
  std::vector<std::string> lines = kFirst;
  lines.push_back("column n int null");
  ASSERT_TRUE(table.Alter(lines, "0, NULL, '', NULL"));
  codec::TableDescriptor descriptor = table.latest().descriptor();
  const std::vector<uint8_t> defaults = table.latest().Record("0, 0, '', 1234");
  descriptor.default_record.assign(defaults.begin(), defaults.end());
  RowDecoder decoder;
  decoder.Compile(descriptor, table.latest().primary(), table.latest().rows(), ColumnSet::All(4));
  std::vector<uint8_t> record(descriptor.record_length, kUntouched);
  ASSERT_TRUE(decoder.Decode(row.key, row.value, record.data()));
  EXPECT_TRUE(descriptor.columns[3].IsNull(record.data()));
  EXPECT_EQ(record[descriptor.columns[3].offset], 1234 & 0xFF);
}

// Bytes in memory of exactly their size, so that a sanitizer sees each step outside.
std::vector<std::string> ReadExact(const TestTable& table, const std::string& key,
                                   const std::string& value) {
  const std::vector<uint8_t> exact(value.begin(), value.end());
  return ReadRow(table, key, MakeBytes(exact.data(), exact.size()),
                 ColumnSet::All(table.descriptor().columns.size()));
}

// A table whose integer was widened twice, with a row of each definition: the value is in the base,
// in the first added slot, in the second.
class WidenedRows : public testing::Test {
 protected:
  WidenedRows() : table_(Lines("smallint")) {
    rows_.push_back(Write(table_.latest(), "1, 9, -2, 'x'"));
    for (const char* type : {"int", "bigint"}) {
      EXPECT_TRUE(table_.Alter(Lines(type)));
      rows_.push_back(Write(table_.latest(), "1, 9, -2, 'x'"));
    }
  }

  static std::vector<std::string> Lines(const std::string& type) {
    return {"column a int", "column f int", "column k " + type, "column c varchar(10) latin1_bin",
            "primary 0100 a"};
  }
  // Nothing when the bytes were refused.
  std::vector<std::string> ReadHex(const std::string& value) {
    return ReadExact(table_.latest(), rows_[0].key, Unhex(value));
  }
  std::vector<std::string> Values(int64_t k) {
    return {Number(1, 4), Number(9, 4), Number(k, 8), "x"};
  }

  AlteredTable table_;
  std::vector<EncodedEntry> rows_;
};

TEST_F(WidenedRows, AreThoseBytes) {
  EXPECT_EQ(Hex(rows_[0].value), "09000000feff0178");
  EXPECT_EQ(Hex(rows_[1].value), "0900000000000178040100feffffff");
  EXPECT_EQ(Hex(rows_[2].value), "0900000000000178040201feffffffffffffff");
}

TEST_F(WidenedRows, AreReadWhereTheyHaveTheColumn) {
  for (const EncodedEntry& row : rows_) {
    SCOPED_TRACE(Hex(row.value));
    EXPECT_EQ(ReadAll(table_.latest(), row), Values(-2));
    for (size_t column = 0; column < 4; ++column) {
      EXPECT_EQ(Read(table_.latest(), row, Only(table_.latest(), column)),
                std::vector{Values(-2)[column]});
    }
  }
}

TEST_F(WidenedRows, OnlyTheSlotWithTheValueCounts) {
  EXPECT_EQ(ReadHex("09000000feff0178040100fdffffff"), Values(-3));
  EXPECT_EQ(ReadHex("09000000feff0178040201fcffffffffffffff"), Values(-4));
  EXPECT_EQ(ReadHex("09000000feff0178040200fdfffffffcffffffffffffff"), Values(-4));
}

TEST_F(WidenedRows, CutOffAnywhereAreRefused) {
  const size_t base = Unhex("09000000feff0178").size();
  for (const EncodedEntry& row : rows_) {
    for (size_t bytes = 0; bytes < row.value.size(); ++bytes) {
      SCOPED_TRACE(Hex(row.value) + " " + std::to_string(bytes));
      const std::vector<std::string> read =
          ReadExact(table_.latest(), row.key, row.value.substr(0, bytes));
      // Without its extension a row is one of the first definition.
      EXPECT_EQ(read, bytes == base ? Values(0) : std::vector<std::string>());
    }
  }
}

TEST_F(WidenedRows, WithAWrongExtensionAreRefused) {
  EXPECT_EQ(ReadHex("09000000feff0178"), Values(-2));
  for (const char* extension : {
           "0400",                        // no slots
           "040001",                      // no slots, and a bitmap
           "040301feffffffffffffff",      // more slots than there are
           "04ff01feffffffffffffff",      // likewise
           "040203",                      // NULL in a column that has none
           "040101",                      // likewise in a slot before the last
           "040200fdfffffffcffffffffff",  // the second value is cut off
       }) {
    EXPECT_TRUE(ReadHex(std::string("09000000feff0178") + extension).empty()) << extension;
  }
}

TEST(RowVersions, IntegersOfAllWidthsBecomeWider) {
  struct Case {
    const char* from;
    const char* to;
    const char* value;
    unsigned bytes;
  };
  for (const Case& one : {
           Case{"tinyint", "smallint", "-3", 2},
           Case{"tinyint", "mediumint", "-3", 3},
           Case{"smallint", "mediumint", "-300", 3},
           Case{"smallint", "int", "300", 4},
           Case{"mediumint", "int", "-70000", 4},
           Case{"mediumint", "bigint", "-70000", 8},
           Case{"int", "bigint", "-70000000", 8},
           Case{"tinyint unsigned", "smallint", "250", 2},
           Case{"mediumint unsigned", "bigint unsigned", "16000000", 8},
           Case{"int unsigned", "bigint", "4000000000", 8},
       }) {
    const std::string from = one.from;
    const std::string to = one.to;
    for (const std::string null : {"", " null"}) {
      SCOPED_TRACE(from + " " + to + null);
      AlteredTable table({"column a int", "column k " + from, "column f int", "primary 0100 a"});
      const EncodedEntry before = Write(table.latest(), std::string("1, ") + one.value + ", 9");
      ASSERT_TRUE(
          table.Alter({"column a int", "column k " + to + null, "column f int", "primary 0100 a"}));
      const EncodedEntry after = Write(table.latest(), std::string("1, ") + one.value + ", 9");
      const std::vector<std::string> values = {
          Number(1, 4), Number(std::stoll(one.value), one.bytes), Number(9, 4)};
      EXPECT_NE(before.value, after.value);
      EXPECT_EQ(ReadAll(table.latest(), before), values);
      EXPECT_EQ(ReadAll(table.latest(), after), values);
      if (null.empty()) continue;
      const EncodedEntry none = Write(table.latest(), "1, NULL, 9");
      EXPECT_EQ(ReadAll(table.latest(), none)[1], "NULL");
    }
  }
}

// First the column may be NULL, which an added slot tells of the one in the base; then it is wider.
TEST(RowVersions, AColumnMayBecomeNullAndThenWider) {
  AlteredTable table({"column a int", "column k int", "primary 0100 a"});
  ASSERT_TRUE(table.Alter({"column a int", "column k int null", "primary 0100 a"}));
  const EncodedEntry null_row = Write(table.latest(), "1, NULL");
  EXPECT_EQ(Hex(null_row.value), "00000000040101");
  const EncodedEntry five = Write(table.latest(), "1, 5");
  ASSERT_TRUE(table.Alter({"column a int", "column k bigint null", "primary 0100 a"}));
  EXPECT_EQ(ReadAll(table.latest(), null_row)[1], "NULL");
  EXPECT_EQ(ReadAll(table.latest(), five)[1], Number(5, 8));
  EXPECT_EQ(ReadAll(table.latest(), Write(table.latest(), "1, NULL"))[1], "NULL");
  EXPECT_EQ(ReadAll(table.latest(), Write(table.latest(), "1, 6"))[1], Number(6, 8));
}

// The layout by itself is valid, and only this column is too short for its default.
TEST(RowVersions, ADefaultThatDoesNotFitIsRefused) {
  codec::RowLayout layout;
  layout.added.push_back({{codec::SlotForm::kVarying, false, 1}, {}, false, "\x03xyz"});
  layout.added.push_back({{codec::SlotForm::kSigned, false, 4}, {}, false, Number(7, 4)});
  layout.columns = {0, 1};
  ASSERT_TRUE(Validate(layout).ok());
  TestTable table(
      {"column a int", "column b varchar(2) latin1_bin", "column c int", "primary 0100 a"},
      FakeCollationByName, std::make_shared<const codec::RowLayout>(layout));
  EncodedEntry row = Write(table, "1, 'x', 7");
  EXPECT_EQ(Hex(row.value), "0401000178");
  EXPECT_EQ(ReadAll(table, row), (std::vector<std::string>{Number(1, 4), "x", Number(7, 4)}));
  row.value.clear();
  EXPECT_TRUE(ReadAll(table, row).empty());
  EXPECT_EQ(Read(table, row, Only(table, 2)), std::vector{Number(7, 4)});
}

// One column or all but one, and nothing else is touched.
void ExpectRow(TestTable& table, const RandomAlters::Row& row) {
  const size_t columns = table.descriptor().columns.size();
  std::vector<std::string> expected;
  for (size_t i = 0; i < columns; ++i) expected.push_back(row.values.at(table.column_name(i)));
  ASSERT_EQ(ReadAll(table, row.entry), expected);
  for (size_t i = 0; i < columns; ++i) {
    ASSERT_EQ(Read(table, row.entry, Only(table, i)), std::vector{expected[i]});
    ColumnSet others(columns);
    std::vector<std::string> values = expected;
    values.erase(values.begin() + static_cast<ptrdiff_t>(i));
    for (uint32_t other = 0; other < columns; ++other) {
      if (other != i) others.Add(other);
    }
    ASSERT_EQ(Read(table, row.entry, others), values);
  }
  size_t stored;
  ASSERT_TRUE(table.rows().StoredBytes(row.entry.value, &stored));
  ASSERT_EQ(stored, row.entry.value.size());
}

TEST(RowVersions, RowsOfAllVersionsComeBack) {
  for (uint32_t seed = 0; seed < Tables() && !testing::Test::HasFailure(); ++seed) {
    RandomAlters random(seed);
    for (int alters = 0; alters < 8; ++alters) {
      for (int i = 0; i < 3; ++i) random.AddRow();
      random.Alter();
    }
    random.AddRow();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.text());
    for (const RandomAlters::Row& row : random.rows()) ExpectRow(random.table(), row);
  }
}

// Bytes outside of the column and of its NULL bit stay as they are.
void ExpectNoStrayWrites(const codec::TableDescriptor& table, const std::vector<uint8_t>& record,
                         size_t wanted) {
  const codec::Column& own = table.columns[wanted];
  for (uint32_t i = 0; i < record.size(); ++i) {
    if (i >= own.offset && i < own.offset + own.pack_length) continue;
    const uint8_t mask = own.nullable && i == own.null_offset ? own.null_mask : 0;
    ASSERT_EQ(record[i] & ~mask, kUntouched & ~mask) << "byte " << i;
  }
}

TEST(RowVersions, DamagedBytesDoNoHarm) {
  uint32_t refused = 0;
  for (uint32_t seed = 0; seed < Tables() && !testing::Test::HasFailure(); ++seed) {
    RandomAlters random(seed);
    for (int i = 0; i < 5; ++i) {
      random.Alter();
      random.AddRow();
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.text());
    std::mt19937 damage(seed);
    TestTable& table = random.table();
    for (int i = 0; i < 50; ++i) {
      const EncodedEntry& entry = random.rows()[damage() % random.rows().size()].entry;
      std::vector<uint8_t> value(entry.value.begin(), entry.value.end());
      if (damage() % 3 == 0) value.resize(damage() % (value.size() + 5), '\x04');
      for (uint32_t n = damage() % 4; n > 0 && !value.empty(); --n) {
        value[damage() % value.size()] = static_cast<uint8_t>(damage() % 8);
      }
      value.shrink_to_fit();  // so that a sanitizer sees each step outside
      const size_t column = damage() % table.descriptor().columns.size();
      RowDecoder decoder;
      decoder.Compile(table.descriptor(), table.primary(), table.rows(), Only(table, column));
      std::vector<uint8_t> record(table.descriptor().record_length, kUntouched);
      const Bytes bytes = MakeBytes(value.data(), value.size());
      if (!decoder.Decode(entry.key, bytes, record.data())) ++refused;
      ExpectNoStrayWrites(table.descriptor(), record, column);
      size_t stored = 0;
      if (table.rows().StoredBytes(bytes, &stored)) {
        EXPECT_LE(stored, value.size());
      }
      static_cast<void>(table.rows().HasChecksumChunk(bytes));
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace basalt::test
