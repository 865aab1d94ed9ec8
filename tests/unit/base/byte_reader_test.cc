// SPDX-License-Identifier: GPL-2.0-only
#include "base/byte_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace basalt {
namespace {

TEST(ByteReader, ReadsWhatWasAppended) {
  std::string record = "\x07";
  AppendBigEndian16(&record, 0x0102);
  AppendBigEndian32(&record, 0x01020304);
  AppendBigEndian64(&record, 0x0102030405060708);
  record += "name";
  ByteReader reader(record);
  EXPECT_EQ(reader.Read8(), 7);
  EXPECT_EQ(reader.Read16(), 0x0102);
  EXPECT_EQ(reader.Read32(), 0x01020304u);
  EXPECT_EQ(reader.Read64(), 0x0102030405060708u);
  EXPECT_FALSE(reader.AtEnd());
  EXPECT_EQ(reader.ReadBytes(4), "name");
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_FALSE(reader.failed());
}

TEST(ByteReader, NothingOfEachKindIsThereAtTheEnd) {
  EXPECT_EQ(ByteReader("").ReadBytes(0), "");
  ByteReader one("");
  EXPECT_EQ(one.Read8(), 0);
  EXPECT_TRUE(one.failed());
  ByteReader two("a");
  EXPECT_EQ(two.Read16(), 0);
  EXPECT_TRUE(two.failed());
  ByteReader four("abc");
  EXPECT_EQ(four.Read32(), 0u);
  EXPECT_TRUE(four.failed());
  ByteReader eight("abcdefg");
  EXPECT_EQ(eight.Read64(), 0u);
  EXPECT_TRUE(eight.failed());
  ByteReader run("abc");
  EXPECT_EQ(run.ReadBytes(4), "");
  EXPECT_TRUE(run.failed());
}

// What is left may be enough for the next question, but it is not at the place of its answer.
TEST(ByteReader, AfterAFailureItGivesNothing) {
  ByteReader reader("abc");
  EXPECT_EQ(reader.Read32(), 0u);
  EXPECT_EQ(reader.Read8(), 0);
  EXPECT_EQ(reader.Read16(), 0);
  EXPECT_EQ(reader.ReadBytes(2), "");
  EXPECT_TRUE(reader.failed());
  EXPECT_FALSE(reader.AtEnd());
}

}  // namespace
}  // namespace basalt
