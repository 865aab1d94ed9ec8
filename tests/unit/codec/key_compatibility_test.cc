// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_compatibility.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/codec/fake_collation.h"
#include "unit/codec/test_table.h"

namespace basalt::codec {
namespace {

using test::EncodedEntry;
using test::EncodeRow;
using test::FakeCollationByName;
using test::TestTable;

const std::vector<std::string> kIndexes = {"primary 0100 id", "index 0101 a"};

TestTable TableOf(const std::string& column, std::vector<std::string> indexes = kIndexes) {
  std::vector<std::string> lines = {"column id int", "column a " + column};
  lines.insert(lines.end(), indexes.begin(), indexes.end());
  return {lines, FakeCollationByName};
}

bool Keeps(const std::string& before, const std::string& after,
           const std::vector<std::string>& indexes = kIndexes, size_t index = 1) {
  const TestTable one = TableOf(before, indexes);
  const TestTable other = TableOf(after, indexes);
  return KeepsEntries(one.key(index), other.key(index));
}

TEST(KeyCompatibility, LongerStringsKeepTheirEntries) {
  EXPECT_TRUE(Keeps("varbinary(10)", "varbinary(20)"));
  EXPECT_TRUE(Keeps("varbinary(10)", "varbinary(2000)"));
  EXPECT_TRUE(Keeps("varchar(10) latin1_bin", "varchar(100) latin1_bin"));
  EXPECT_TRUE(Keeps("varchar(10) letters_ci", "varchar(100) letters_ci"));
  EXPECT_TRUE(Keeps("varchar(10) utf8mb3_bin", "varchar(60) utf8mb3_bin"));
  EXPECT_TRUE(Keeps("varchar(10) latin2_bin", "varchar(100) latin2_bin"));
  EXPECT_TRUE(Keeps("varbinary(10) null", "varbinary(20) null"));
}

// The count of trailing spaces takes two bytes in a longer column.
TEST(KeyCompatibility, AnotherCountOfSpacesIsAnotherEntry) {
  EXPECT_FALSE(Keeps("varchar(100) latin1_bin", "varchar(300) latin1_bin"));
  EXPECT_FALSE(Keeps("varchar(100) letters_ci", "varchar(300) letters_ci"));
}

// Their weights take as much room as the column has characters.
TEST(KeyCompatibility, WeightsThatFillTheirRoomDoNotKeepTheirEntries) {
  EXPECT_FALSE(Keeps("varchar(10) expanding_ci", "varchar(20) expanding_ci"));
  EXPECT_FALSE(Keeps("varchar(10) two_level", "varchar(20) two_level"));
}

TEST(KeyCompatibility, NumbersOfAnotherWidthAndNullsAreOtherEntries) {
  EXPECT_TRUE(Keeps("int", "int"));
  EXPECT_FALSE(Keeps("int", "bigint"));
  EXPECT_FALSE(Keeps("int unsigned", "bigint"));
  EXPECT_FALSE(Keeps("int", "int null"));
  EXPECT_FALSE(Keeps("varbinary(10)", "varbinary(20) null"));
  EXPECT_FALSE(Keeps("char(3) latin1_bin", "char(4) latin1_bin"));
  EXPECT_FALSE(Keeps("varbinary(20)", "varbinary(10)"));
}

TEST(KeyCompatibility, PrefixesKeepTheirEntries) {
  const std::vector<std::string> prefix = {"primary 0100 id", "index 0101 a(4)"};
  EXPECT_TRUE(Keeps("varchar(10) latin1_bin", "varchar(300) latin1_bin", prefix));
  EXPECT_TRUE(Keeps("varbinary(10)", "varbinary(300)", prefix));
  // A whole column is no prefix of a longer one.
  EXPECT_FALSE(Keeps("varbinary(4)", "varbinary(10)", prefix));
  // The length of the value is in the key, in as many bytes as the column has for it.
  EXPECT_FALSE(Keeps("blob(1)", "blob(2)", prefix));
  const std::vector<std::string> newest = {"primary 0100 id", "index 0101 a(4) version=14"};
  EXPECT_TRUE(Keeps("blob(1)", "blob(2)", newest));
}

// What the primary key is made of stands in every entry.
TEST(KeyCompatibility, PrimaryKeysCountInEachEntry) {
  const std::vector<std::string> indexes = {"primary 0100 a", "index 0101 id"};
  for (const size_t index : {size_t{0}, size_t{1}}) {
    EXPECT_TRUE(Keeps("varbinary(10)", "varbinary(20)", indexes, index));
    EXPECT_FALSE(Keeps("int", "bigint", indexes, index));
    EXPECT_FALSE(Keeps("varchar(100) latin1_bin", "varchar(300) latin1_bin", indexes, index));
  }
}

// What is promised: the same bytes for the same values.
TEST(KeyCompatibility, KeptEntriesAreTheSame) {
  for (const std::string collation :
       {"latin1_bin", "letters_ci", "utf8mb3_bin", "latin2_bin", "three_byte", "spaces_ci",
        "latin2_nopad_bin", "letters_nopad_ci", "two_level_nopad", "two_level"}) {
    for (const std::string version : {"", " version=14"}) {
      const std::vector<std::string> indexes = {"primary 0100 id", "index 0101 a" + version};
      TestTable before = TableOf("varchar(9) " + collation, indexes);
      TestTable after = TableOf("varchar(40) " + collation, indexes);
      if (!KeepsEntries(before.key(1), after.key(1))) continue;
      for (const std::string value : {"", "a", "Abc", "abc   ", "abcdefgh ", "abcdefghi", "  "}) {
        const std::string row = "7, '" + value + "'";
        const EncodedEntry old_entry = EncodeRow(before, before.Record(row).data(), 0, 0)[1];
        const EncodedEntry new_entry = EncodeRow(after, after.Record(row).data(), 0, 0)[1];
        EXPECT_EQ(old_entry.key, new_entry.key) << collation << version << " '" << value << "'";
        EXPECT_EQ(old_entry.value, new_entry.value) << collation << version << " " << value;
      }
    }
  }
}

}  // namespace
}  // namespace basalt::codec
