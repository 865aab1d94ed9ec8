// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/table_name.h"

#include <gtest/gtest.h>

#include <string>

namespace basalt::server {
namespace {

TEST(TableNameTest, APathBecomesDatabaseAndTable) {
  std::string name;
  ASSERT_TRUE(TableNameOf("./db/t", &name).ok());
  EXPECT_EQ(name, "db.t");
  ASSERT_TRUE(TableNameOf("./db/t#P#p0#SP#p0sp0", &name).ok());
  EXPECT_EQ(name, "db.t#P#p0#SP#p0sp0");
  EXPECT_EQ(TableNameOf("t", &name).code(), Code::kInvalidArgument);
  EXPECT_EQ(TablePrefixOfDatabase("./db/"), "db.");
}

TEST(TableNameTest, APartitionIsWhatStandsBehindItsMark) {
  EXPECT_EQ(PartitionOf("db.t#P#p0#SP#p0sp0"), "p0#SP#p0sp0");
  EXPECT_EQ(PartitionOf("db.t"), "");
}

TEST(TableNameTest, APartitionThatIsBeingMadeHasItsName) {
  EXPECT_EQ(PartitionOf("db.t#P#p0#TMP#"), "p0");
  EXPECT_EQ(PartitionOf("db.t#P#p0#REN#"), "p0");
}

TEST(TableNameTest, ATemporaryTableIsNamedByItsPath) {
  std::string name;
  ASSERT_TRUE(TableNameOf("/tmp/#sql-temptable-1-2-3", &name).ok());
  EXPECT_EQ(name, "/tmp/#sql-temptable-1-2-3");
  EXPECT_TRUE(IsTemporaryTable(name));
  EXPECT_FALSE(IsTemporaryTable("./db/t"));
}

TEST(TableNameTest, AnIndexCommentChoosesTheColumnFamily) {
  catalog::IndexRequest request;
  ASSERT_TRUE(ChooseColumnFamily("", "", &request).ok());
  EXPECT_EQ(request.column_family, "default");
  ASSERT_TRUE(ChooseColumnFamily("a=b;cfname=cold", "", &request).ok());
  EXPECT_EQ(request.column_family, "cold");
  ASSERT_TRUE(ChooseColumnFamily("warm", "", &request).ok());
  EXPECT_EQ(request.column_family, "warm");
  EXPECT_EQ(ChooseColumnFamily("__system__", "", &request).code(), Code::kInvalidArgument);
}

TEST(TableNameTest, APartitionTakesOnlyItsOwnColumnFamily) {
  catalog::IndexRequest request;
  ASSERT_TRUE(ChooseColumnFamily("cfname=cold", "p0", &request).ok());
  EXPECT_EQ(request.column_family, "default");
  EXPECT_FALSE(request.per_partition_column_family);
  ASSERT_TRUE(ChooseColumnFamily("cfname=cold;p0_cfname=hot", "p0", &request).ok());
  EXPECT_EQ(request.column_family, "hot");
  EXPECT_TRUE(request.per_partition_column_family);
}

TEST(TableNameTest, WordsOfAPartitionComeBeforeThoseOfTheTable) {
  const std::string comment = "ttl_duration=5;ttl_col=c;p0_ttl_duration=7;p0_ttl_col=d";
  EXPECT_EQ(FindTimeToLive(comment, ""), (TimeToLiveWords{"5", "c"}));
  EXPECT_EQ(FindTimeToLive(comment, "p0"), (TimeToLiveWords{"7", "d"}));
  EXPECT_EQ(FindTimeToLive(comment, "p1"), (TimeToLiveWords{"5", "c"}));
  EXPECT_EQ(FindTimeToLive("", ""), (TimeToLiveWords{}));
}

}  // namespace
}  // namespace basalt::server
