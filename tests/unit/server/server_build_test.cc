// SPDX-License-Identifier: GPL-2.0-only
#include "server/plugin/server_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::server {
namespace {

using ::testing::HasSubstr;

constexpr ServerBuild kBuiltFor{101118, "10.11.18-MariaDB-0+deb12u1"};

TEST(ServerBuildTest, LogsMakeNoDifference) {
  EXPECT_EQ(CompareBuilds(kBuiltFor, kBuiltFor), ServerMatch::kSame);
  EXPECT_EQ(CompareBuilds(kBuiltFor, {101118, "10.11.18-MariaDB-0+deb12u1-log"}),
            ServerMatch::kSame);
}

TEST(ServerBuildTest, AnotherReleaseDoesNotFitWhateverItCallsItself) {
  EXPECT_EQ(CompareBuilds(kBuiltFor, {101119, "10.11.19-MariaDB-0+deb12u1"}), ServerMatch::kOther);
  EXPECT_EQ(CompareBuilds(kBuiltFor, {101119, kBuiltFor.version}), ServerMatch::kOther);
}

TEST(ServerBuildTest, ADebugBuildOfTheSameReleaseDoesNotFit) {
  EXPECT_EQ(CompareBuilds(kBuiltFor, {101118, "10.11.18-MariaDB-0+deb12u1-debug-log"}),
            ServerMatch::kOther);
  EXPECT_EQ(CompareBuilds(kBuiltFor, {101118, "10.11.18-MariaDB-asan"}), ServerMatch::kOther);
  EXPECT_EQ(CompareBuilds({101118, "10.11.18-MariaDB-debug"}, {101118, "10.11.18-MariaDB-debug"}),
            ServerMatch::kSame);
}

TEST(ServerBuildTest, AnotherBuilderOfTheSameReleaseIsTold) {
  constexpr ServerBuild running{101118, "10.11.18-MariaDB-ubu2204-log"};
  EXPECT_EQ(CompareBuilds(kBuiltFor, running), ServerMatch::kOtherBuilder);
  EXPECT_THAT(DescribeMismatch(kBuiltFor, running),
              HasSubstr("the server is '10.11.18-MariaDB-ubu2204': the same release"));
}

TEST(ServerBuildTest, TheSentenceSaysWhatToInstall) {
  EXPECT_EQ(DescribeMismatch(kBuiltFor, {101119, "10.11.19-MariaDB-0+deb12u1-log"}),
            "this library was built for MariaDB '10.11.18-MariaDB-0+deb12u1', the server is "
            "'10.11.19-MariaDB-0+deb12u1'. They share C++ classes and must be of one release: "
            "install the Basalt built for MariaDB 10.11.19, or the server "
            "'10.11.18-MariaDB-0+deb12u1' (docs/operate/servers.md)");
  EXPECT_THAT(DescribeMismatch(kBuiltFor, {101118, "10.11.18-MariaDB-0+deb12u1-debug"}),
              HasSubstr("the Basalt built for MariaDB '10.11.18-MariaDB-0+deb12u1-debug'"));
}

}  // namespace
}  // namespace basalt::server
