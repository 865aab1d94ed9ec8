// SPDX-License-Identifier: GPL-2.0-only
#include "codec/kv_format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/key_codec.h"
#include "unit/codec/fake_collation.h"
#include "unit/codec/test_table.h"

namespace basalt::codec {
namespace {

using test::FakeCollationByName;
using test::TestTable;

// The versions that the indexes of a table get when it is made.
std::vector<int> Versions(std::vector<std::string> lines) {
  lines.back() += " version=new";
  const TestTable table(lines, FakeCollationByName);
  std::vector<int> versions;
  for (const IndexDescriptor& index : table.descriptor().indexes) {
    versions.push_back(index.kv_format_version);
  }
  return versions;
}

using V = std::vector<int>;

TEST(KvFormat, WhatTheOldVersionExpressesKeepsIt) {
  EXPECT_EQ(
      Versions({"column a int", "column b varchar(5) letters_ci null", "column e enum(1)",
                "column s varchar(9) latin2_bin", "primary 1 a", "index 2 b e s(3)", "index 3 s"}),
      (V{13, 13, 13}));
  EXPECT_EQ(Versions({"column a varchar(4) three_byte", "primary 1 a"}), V{13});
}

TEST(KvFormat, EachReasonForTheNewest) {
  const std::string primary = "primary 1 a";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"int", "-b"},
      {"varchar(5) letters_nopad_ci", "b"},
      {"varchar(5) two_level", "b(2)"},
      {"char(5) expanding_ci", "b(2)"},
      {"varchar(5) spaces_ci", "b"},
      {"blob(2)", "b(3)"},
      {"text(2) letters_ci", "b(3)"},
      {"float", "b"},
      {"oldtimehires(5)", "b"},
      {"varchar(5) three_byte", "b"}};
  for (const auto& [type, part] : cases) {
    SCOPED_TRACE(type + " " + part);
    EXPECT_EQ(
        Versions({"column a int", "column b " + type, primary, "index 2 " + part, "index 3 a"}),
        (V{13, 14, 13}));
  }
  // A prefix could not be read alone anyway.
  EXPECT_EQ(Versions({"column a int", "column b varchar(5) three_byte", primary, "index 2 b(2)"}),
            (V{13, 13}));
}

TEST(KvFormat, ThePrimaryKeyBindsTheOthers) {
  EXPECT_EQ(Versions({"column a int", "column b int", "primary 1 -a", "index 2 b"}), (V{14, 14}));
  EXPECT_EQ(
      Versions({"column a varchar(4) three_byte", "column b int", "primary 1 a", "index 2 b"}),
      (V{13, 14}));
}

// What an index that is not open is believed to give back is what its codec gives back.
TEST(KvFormat, ReadabilityIsTheCodecs) {
  const std::vector<std::string> types = {"int",
                                          "double",
                                          "char(3) letters_ci",
                                          "varchar(5) letters_ci",
                                          "varchar(300) latin1_bin",
                                          "char(4) spaces_ci",
                                          "varchar(9) spaces_ci",
                                          "varchar(5) three_byte",
                                          "varchar(5) latin2_bin",
                                          "varbinary(5)",
                                          "enum(1)",
                                          "char(4) two_level"};
  for (const std::string& first : types) {
    for (const std::string& second : types) {
      for (const char* version : {" version=11", " version=13", " version=14"}) {
        SCOPED_TRACE(first + ", " + second + version);
        const TestTable table({"column p int", "column a " + first, "column b " + second,
                               "primary 1 p version=13", "index 2 a b" + std::string(version)},
                              FakeCollationByName);
        const TableDescriptor& descriptor = table.descriptor();
        for (unsigned part = 0; part < 2; ++part) {
          EXPECT_EQ(IsLastReadable(&descriptor.columns[1], descriptor.indexes[1].parts.data(),
                                   part + 1, descriptor.indexes[1].kv_format_version),
                    table.key(1).IsPartDecodable(part));
        }
      }
    }
  }
}

Status CompileStatus(const TableDescriptor& table, size_t index) {
  std::unique_ptr<KeyCodec> codec;
  return KeyCodec::Compile(table, index, &codec);
}

TEST(KvFormat, MixturesThatCannotBe) {
  const TestTable source(
      {"column a int", "column b int", "primary 1 a version=14", "index 2 b version=14"},
      FakeCollationByName);
  TableDescriptor table = source.descriptor();
  EXPECT_TRUE(CompileStatus(table, 1).ok());
  table.indexes[1].kv_format_version = 13;
  EXPECT_EQ(CompileStatus(table, 1).code(), Code::kNotSupported);  // older than the primary key
  table.indexes[0].kv_format_version = 13;
  EXPECT_TRUE(CompileStatus(table, 1).ok());
  table.indexes[1].parts[0].descending = true;
  const Status refused = CompileStatus(table, 1);
  EXPECT_EQ(refused.code(), Code::kNotSupported);
  EXPECT_NE(refused.ToString().find("descending"), std::string::npos);
}

}  // namespace
}  // namespace basalt::codec
