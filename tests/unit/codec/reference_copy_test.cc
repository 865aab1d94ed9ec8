// SPDX-License-Identifier: GPL-2.0-only
#include "codec/reference_copy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/codec/fake_collation.h"
#include "unit/codec/test_table.h"

namespace basalt::codec {
namespace {

using test::FakeCollationByName;
using test::TestTable;

TestTable OneColumn(const std::string& type) {
  return TestTable({"column a " + type, "hidden 0100"}, FakeCollationByName);
}

bool Match(const std::string& one, const std::string& other) {
  const TestTable first = OneColumn(one);
  const TestTable second = OneColumn(other);
  const Column& a = first.descriptor().columns[0];
  const Column& b = second.descriptor().columns[0];
  EXPECT_EQ(TypesMatch(a, b), TypesMatch(b, a)) << one << " and " << other;
  return TypesMatch(a, b);
}

// The value as the other column shows it, or "none".
std::string Copied(const std::string& from, const std::string& literal, const std::string& to) {
  TestTable source = OneColumn(from);
  TestTable target = OneColumn(to);
  const std::vector<uint8_t> record = source.Record(literal);
  std::vector<uint8_t> copy(target.descriptor().record_length, 0xff);
  const ReferenceCopy references(source.descriptor(), target.descriptor(), {{0, 0}});
  EXPECT_FALSE(references.HasNull(record.data()));
  if (!references.Copy(record.data(), copy.data())) return "none";
  return target.Show(copy.data(), 0);
}

TEST(ReferenceCopy, TypesMatchAsInInnoDb) {
  EXPECT_TRUE(Match("int", "int null"));
  EXPECT_FALSE(Match("int", "bigint"));
  EXPECT_FALSE(Match("int", "int unsigned"));
  EXPECT_TRUE(Match("enum(1)", "tinyint unsigned"));
  EXPECT_FALSE(Match("enum(1)", "enum(2)"));
  EXPECT_TRUE(Match("set(2)", "smallint unsigned"));
  EXPECT_FALSE(Match("float", "double"));
  EXPECT_FALSE(Match("double", "bigint"));
  EXPECT_TRUE(Match("decimal(5)", "decimal(6)"));
  EXPECT_TRUE(Match("decimal(5)", "temporal(8)"));
  EXPECT_TRUE(Match("binary(4)", "varbinary(10)"));
  EXPECT_TRUE(Match("char(4) letters_ci", "varchar(300) letters_ci"));
  EXPECT_FALSE(Match("char(4) letters_ci", "char(4) latin1_bin"));
  EXPECT_FALSE(Match("varchar(4) letters_ci", "varbinary(4)"));
  EXPECT_FALSE(Match("text(2) letters_ci", "text(2) letters_ci"));
  EXPECT_FALSE(Match("blob(2)", "varbinary(4)"));
}

TEST(ReferenceCopy, TypesOfAllPairsMatch) {
  const TestTable child({"column a int", "column b varchar(4) letters_ci", "hidden 0100"},
                        FakeCollationByName);
  const TestTable parent(
      {"column x varchar(9) letters_ci", "column y int", "column z bigint", "hidden 0100"},
      FakeCollationByName);
  const auto match = [&](const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
    return TypesMatch(child.descriptor(), parent.descriptor(), MakePairs(from, to));
  };
  EXPECT_TRUE(match({0, 1}, {1, 0}));
  EXPECT_TRUE(match({1, 0}, {0, 1}));
  EXPECT_FALSE(match({0, 1}, {0, 1}));
  EXPECT_FALSE(match({1, 0}, {0, 2}));
  EXPECT_FALSE(match({0, 1}, {2, 0}));
}

TEST(ReferenceCopy, FixedValuesAreCopiedAsTheyAre) {
  EXPECT_EQ(Copied("int", "-2", "int null"), Copied("int", "-2", "int"));
  EXPECT_EQ(Copied("enum(1)", "x'02'", "tinyint unsigned"), Copied("enum(1)", "x'02'", "enum(1)"));
  EXPECT_NE(Copied("decimal(5)", "x'8000000105'", "temporal(5)"), "none");
  EXPECT_EQ(Copied("decimal(5)", "x'8000000105'", "decimal(6)"), "none");
}

TEST(ReferenceCopy, BytesAreNeitherPaddedNorCut) {
  EXPECT_EQ(Copied("varbinary(10)", "'abc'", "binary(4)"), "none");
  EXPECT_EQ(Copied("varbinary(10)", "'abcd'", "binary(4)"), "abcd");
  EXPECT_EQ(Copied("varbinary(300)", "'abc'", "varbinary(3)"), "abc");
  EXPECT_EQ(Copied("varbinary(10)", "'abcd'", "varbinary(3)"), "none");
  EXPECT_EQ(Copied("binary(3)", "'abc'", "varbinary(300)"), "abc");
}

TEST(ReferenceCopy, SpacesAtTheEndGoWhereTheyDoNotCount) {
  const std::string padded = "varchar(10) letters_ci";
  EXPECT_EQ(Copied(padded, "'ab  '", "char(3) letters_ci"), "ab ");
  EXPECT_EQ(Copied(padded, "'abcd'", "char(3) letters_ci"), "none");
  EXPECT_EQ(Copied(padded, "'ab   '", "varchar(3) letters_ci"), "ab");
  EXPECT_EQ(Copied(padded, "'ab '", "varchar(300) letters_ci"), "ab ");
  EXPECT_EQ(Copied("char(5) letters_ci", "'ab'", "varchar(3) letters_ci"), "ab");
  EXPECT_EQ(Copied("char(5) letters_ci", "'ab'", "char(2) letters_ci"), "ab");
  EXPECT_EQ(Copied("char(5) letters_ci", "'abc'", "char(2) letters_ci"), "none");
}

TEST(ReferenceCopy, SpacesAtTheEndCountWithoutPadding) {
  const std::string nopad = "varchar(10) letters_nopad_ci";
  EXPECT_EQ(Copied(nopad, "'ab  '", "varchar(3) letters_nopad_ci"), "none");
  EXPECT_EQ(Copied(nopad, "'ab '", "varchar(3) letters_nopad_ci"), "ab ");
  EXPECT_EQ(Copied(nopad, "'ab '", "char(3) letters_nopad_ci"), "none");
  EXPECT_EQ(Copied("char(5) letters_nopad_ci", "'ab'", "varchar(3) letters_nopad_ci"), "ab");
}

TEST(ReferenceCopy, SeveralColumnsAndNull) {
  TestTable source({"column a int null", "column b varchar(5) letters_ci null", "hidden 0100"},
                   FakeCollationByName);
  TestTable target(
      {"column x varchar(5) letters_ci null", "column y int", "column z int null", "hidden 0100"},
      FakeCollationByName);
  const ReferenceCopy references(source.descriptor(), target.descriptor(), {{0, 2}, {1, 0}});
  EXPECT_TRUE(references.HasNull(source.Record("NULL, 'a'").data()));
  EXPECT_TRUE(references.HasNull(source.Record("1, NULL").data()));
  std::vector<uint8_t> record = target.Record("NULL, 7, NULL");
  ASSERT_TRUE(references.Copy(source.Record("1, 'b'").data(), record.data()));
  EXPECT_EQ(record, target.Record("'b', 7, 1"));
}

}  // namespace
}  // namespace basalt::codec
