// SPDX-License-Identifier: GPL-2.0-only

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "store/errors/ballast.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

constexpr uint64_t kWanted = 1 << 20;

TEST(BallastTest, TakesItsShareAndGivesItBack) {
  test::TemporaryDirectory directory;
  const std::string path = directory / Ballast::kName;
  Ballast ballast(directory.path(), kWanted, 2);
  EXPECT_FALSE(ballast.Remove());
  ballast.Ensure();
  EXPECT_EQ(std::filesystem::file_size(path), kWanted / 2);
  ballast.Ensure();
  Ballast of_the_next_start(directory.path(), kWanted, 2);
  of_the_next_start.Ensure();
  EXPECT_TRUE(of_the_next_start.Remove());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(BallastTest, WithoutAReserveThereIsNone) {
  test::TemporaryDirectory directory;
  Ballast ballast(directory.path(), 0, 2);
  ballast.Ensure();
  EXPECT_FALSE(std::filesystem::exists(directory / Ballast::kName));
}

TEST(BallastTest, NeitherWhenThereIsNoSpaceToSpare) {
  test::TemporaryDirectory directory;
  EXPECT_LT(ReserveOn(directory.path(), uint64_t{1} << 60), uint64_t{1} << 60);
  Ballast ballast(directory / "missing", kWanted, 2);
  ballast.Ensure();
  EXPECT_FALSE(ballast.Remove());
}

}  // namespace
}  // namespace basalt::store
