// SPDX-License-Identifier: GPL-2.0-only
//
// Layouts of rows by themselves: how a change makes one, what is refused, and their bytes. Rows of
// them: row_versions_test.cc.
#include "codec/row_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/row_layout_record.h"
#include "unit/codec/altered_table.h"
#include "unit/codec/fake_collation.h"

namespace basalt::codec {
namespace {

using test::AlteredTable;
using test::Hex;
using test::TestTable;
using test::Unhex;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kFirst = {"column a int", "column b int null",
                                         "column c varchar(10) latin1_bin", "primary 0100 a"};

// The statements of docs/format/row-versions.md, "Examples".
AlteredTable Documented() {
  AlteredTable table(kFirst);
  EXPECT_TRUE(table.Alter({"column a int", "column d int", "column b int null",
                           "column c varchar(10) latin1_bin", "primary 0100 a"},
                          "0, 7, NULL, ''"));
  EXPECT_TRUE(table.Alter({"column a int", "column d bigint", "column b int null",
                           "column c varchar(10) latin1_bin", "primary 0100 a"}));
  EXPECT_TRUE(table.Alter(
      {"column a int", "column d bigint", "column c varchar(10) latin1_bin", "primary 0100 a"}));
  EXPECT_TRUE(table.Alter({"column a int", "column d bigint",
                           "column c varchar(10) latin1_bin null", "primary 0100 a"}));
  return table;
}

const RowLayout& LatestLayout(AlteredTable& table) {
  return *table.latest().descriptor().row_layout;
}

// The kinds of a table whose one column is widened.
bool CanChange(const std::string& from, const std::string& to) {
  AlteredTable table({"column a int", "column b " + from, "primary 0100 a"});
  return table.Alter({"column a int", "column b " + to, "primary 0100 a"});
}

TEST(RowLayout, OfTheDocumentedStatements) {
  AlteredTable table = Documented();
  EXPECT_EQ(table.version(0).descriptor().row_layout, nullptr);
  EXPECT_THAT(table.version(1).descriptor().row_layout->columns, ElementsAre(2, 0, 1));
  EXPECT_THAT(table.version(2).descriptor().row_layout->columns, ElementsAre(3, 0, 1));
  EXPECT_THAT(table.version(3).descriptor().row_layout->columns, ElementsAre(3, 1));
  EXPECT_THAT(LatestLayout(table).columns, ElementsAre(3, 4));
  EXPECT_EQ(Hex(EncodeRowLayout(LatestLayout(table))),
            "0002"
            "020100000004"
            "030000000001"
            "03"
            "0200000000040000000407000000"
            "0201000000080002"
            "0401000000000001"
            "000200030004");
}

TEST(RowLayout, ComesBackFromItsBytes) {
  AlteredTable table = Documented();
  for (size_t i = 1; i < table.versions(); ++i) {
    const RowLayout& layout = *table.version(i).descriptor().row_layout;
    RowLayout decoded;
    ASSERT_TRUE(DecodeRowLayout(EncodeRowLayout(layout), &decoded).ok());
    EXPECT_EQ(decoded, layout);
  }
}

TEST(RowLayout, IsOnlyMadeWhenRowsNeedIt) {
  AlteredTable table(kFirst);
  // A longer VARCHAR with one length byte, and a virtual column, are nothing to rows.
  ASSERT_TRUE(table.Alter({"column a int", "column v int virtual null", "column b int null",
                           "column c varchar(200) latin1_bin", "primary 0100 a"}));
  EXPECT_EQ(table.latest().descriptor().row_layout, nullptr);
  // Another order is, until it is the first one again.
  ASSERT_TRUE(table.Alter(
      {"column c varchar(200) latin1_bin", "column a int", "column b int null", "primary 0100 a"}));
  EXPECT_THAT(LatestLayout(table).columns, ElementsAre(1, 0));
  EXPECT_TRUE(LatestLayout(table).added.empty());
  ASSERT_TRUE(table.Alter(
      {"column b int null", "column c varchar(200) latin1_bin", "column a int", "primary 0100 a"}));
  EXPECT_EQ(table.latest().descriptor().row_layout, nullptr);
}

TEST(RowLayout, ColumnsThatTheKeyGivesBackHaveNoSlot) {
  AlteredTable table(
      {"column k int", "column p varchar(9) three_byte", "column b int", "primary 0100 k p"});
  EXPECT_THAT(RowColumns(table.latest().descriptor()), ElementsAre(1, 2));
  ASSERT_TRUE(table.Alter(
      {"column b int", "column p varchar(9) three_byte", "column k int", "primary 0100 k p"}));
  EXPECT_THAT(LatestLayout(table).columns, ElementsAre(1, 0));
}

TEST(RowLayout, WidensWhatKeepsItsMeaning) {
  EXPECT_TRUE(CanChange("tinyint", "smallint"));
  EXPECT_TRUE(CanChange("mediumint unsigned", "bigint unsigned"));
  EXPECT_TRUE(CanChange("int unsigned", "bigint"));
  EXPECT_TRUE(CanChange("int", "int null"));
  EXPECT_TRUE(CanChange("int", "bigint null"));
  EXPECT_TRUE(CanChange("enum(1)", "enum(2)"));
  EXPECT_TRUE(CanChange("set(1)", "set(8)"));
  EXPECT_TRUE(CanChange("varchar(20) latin1_bin", "varchar(300) latin1_bin"));
  EXPECT_TRUE(CanChange("blob(1)", "blob(4)"));
}

TEST(RowLayout, CopiesTheRest) {
  EXPECT_FALSE(CanChange("bigint", "int"));
  EXPECT_FALSE(CanChange("int", "int unsigned"));
  EXPECT_FALSE(CanChange("int unsigned", "int"));
  EXPECT_FALSE(CanChange("int", "bigint unsigned"));
  EXPECT_FALSE(CanChange("int null", "int"));
  EXPECT_FALSE(CanChange("float", "double"));
  EXPECT_FALSE(CanChange("binary(4)", "binary(6)"));
  EXPECT_FALSE(CanChange("varchar(300) latin1_bin", "varchar(20) latin1_bin"));
  EXPECT_FALSE(CanChange("int virtual null", "int null"));
}

TEST(RowLayout, NewColumnsOfRowsThatAreThere) {
  AlteredTable table(kFirst);
  const auto with = [](const std::string& column) {
    std::vector<std::string> lines = kFirst;
    lines.insert(lines.begin(), "column z " + column);
    return lines;
  };
  ASSERT_TRUE(table.Alter(with("varchar(300) latin1_bin null"), "'abc', 0, NULL, ''"));
  EXPECT_EQ(Hex(LatestLayout(table).added[0].absent), "0300616263");
  // What has a value may become NULL later; the slot has a bit already.
  AlteredTable other(kFirst);
  ASSERT_TRUE(other.Alter(with("int"), "5, 0, NULL, ''"));
  ASSERT_TRUE(other.Alter(with("int null")));
  EXPECT_EQ(LatestLayout(other).added.size(), 1u);
}

TEST(RowLayout, EndsAtSoManySlots) {
  AlteredTable table(kFirst);
  const auto width = [](size_t columns) {
    std::vector<std::string> lines = kFirst;
    for (size_t i = 0; i < columns; ++i) {
      lines.push_back("column n" + std::to_string(i) + " int null");
    }
    return lines;
  };
  EXPECT_TRUE(table.Alter(width(RowLayout::kMostAdded)));
  EXPECT_FALSE(table.Alter(width(RowLayout::kMostAdded + 1)));
  EXPECT_TRUE(table.Alter(kFirst));
  EXPECT_FALSE(table.Alter(width(1)));  // dropped ones count, too
}

TEST(RowLayout, OfAnotherTableIsRefused) {
  AlteredTable table = Documented();
  const auto layout = table.latest().descriptor().row_layout;
  for (const char* wrong :
       {"column d bigint null", "column d int", "column d bigint unsigned", "column d double"}) {
    TestTable definition(
        {"column a int", wrong, "column c varchar(10) latin1_bin null", "primary 0100 a"},
        test::FakeCollationByName);
    const Status status = CheckLayoutOf(definition.descriptor(), *layout);
    const bool may_differ = std::string(wrong) == "column d bigint null";  // the slot has a bit
    EXPECT_EQ(status.code(), may_differ ? Code::kOk : Code::kCorruption) << wrong;
  }
  EXPECT_EQ(CheckLayoutOf(table.version(0).descriptor(), *layout).code(), Code::kCorruption);
  EXPECT_TRUE(CheckLayoutOf(table.latest().descriptor(), *layout).ok());
}

TEST(RowLayoutRecord, RefusesWhatBreaksARule) {
  // base: an INT that can be NULL, a VARCHAR; added: an INT, a BIGINT behind it; one column
  const std::string good =
      "0002010100000004030000000001"
      "02"
      "0200000000040000000407000000"
      "0201000000080002"
      "0001"
      "0003";
  RowLayout layout;
  ASSERT_TRUE(DecodeRowLayout(Unhex(good), &layout).ok());
  const auto refused = [&](size_t at, const std::string& bytes, const std::string& why) {
    std::string damaged = good;
    damaged.replace(2 * at, bytes.size(), bytes);
    const Status status = DecodeRowLayout(Unhex(damaged), &layout);
    EXPECT_EQ(status.code(), Code::kCorruption) << damaged;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why)) << damaged;
  };
  refused(2, "05", "unknown form");
  refused(2, "04", "impossible form");
  refused(3, "02", "unknown form");
  refused(4, "00000005", "impossible form");
  refused(15, "0204", "damaged");       // an unknown flag
  refused(15, "0202", "another form");  // NULL and a default
  refused(15, "0300", "another form");  // seven of a string that has four bytes
  refused(29, "0201000000080003", "follows a later one");
  refused(29, "0201000000080009", "follows a later one");
  refused(29, "0201000000020002", "no wider");
  refused(29, "0101000000080002", "no wider");
  refused(29, "0401000000000000", "tells itself");
  refused(29, "0401000000000002", "tells itself");
  refused(39, "0002", "is not the column's alone");
  refused(39, "0004", "has no slot");
  refused(37, "0002", "cut off");
  EXPECT_FALSE(DecodeRowLayout(Unhex(good + "00"), &layout).ok());
  for (size_t bytes = 0; bytes < good.size() / 2; ++bytes) {
    EXPECT_FALSE(DecodeRowLayout(Unhex(good).substr(0, bytes), &layout).ok()) << bytes;
  }
}

}  // namespace
}  // namespace basalt::codec
