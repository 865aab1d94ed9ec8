// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/information_log.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::store {
namespace {

using ::testing::ElementsAre;

std::chrono::steady_clock::time_point g_now;

class InformationLogTest : public ::testing::Test {
 protected:
  InformationLogTest() {
    g_now = std::chrono::steady_clock::time_point(std::chrono::hours(1));
    log_ = NewInformationLog(
        nullptr, [this](LogLevel, std::string_view text) { said_.emplace_back(text); },
        [] { return g_now; });
  }
  void Say(rocksdb::InfoLogLevel level, const std::string& text) {
    rocksdb::Log(level, log_.get(), "%s", text.c_str());
  }

  std::shared_ptr<rocksdb::Logger> log_;
  std::vector<std::string> said_;
};

TEST_F(InformationLogTest, ErrorsGoOnAndWarningsStay) {
  Say(rocksdb::ERROR_LEVEL, "an error");
  Say(rocksdb::WARN_LEVEL, "a warning");
  Say(rocksdb::INFO_LEVEL, "news");
  EXPECT_THAT(said_, ElementsAre("an error"));
}

TEST_F(InformationLogTest, ErrorsGoOnWhateverTheFileTakes) {
  log_->SetInfoLogLevel(rocksdb::FATAL_LEVEL);
  Say(rocksdb::ERROR_LEVEL, "an error");
  EXPECT_THAT(said_, ElementsAre("an error"));
}

TEST_F(InformationLogTest, TheSameErrorIsSaidOnceInAWhile) {
  for (int i = 0; i < 20'000; ++i) Say(rocksdb::ERROR_LEVEL, "block checksum mismatch in 18.sst");
  EXPECT_EQ(said_.size(), 1U);
  Say(rocksdb::ERROR_LEVEL, "block checksum mismatch in 19.sst");
  EXPECT_EQ(said_.size(), 2U);
  g_now += std::chrono::minutes(11);
  Say(rocksdb::ERROR_LEVEL, "block checksum mismatch in 18.sst");
  EXPECT_EQ(said_.size(), 3U);
}

TEST_F(InformationLogTest, ManyDifferentErrorsAreAllSaid) {
  for (int i = 0; i < 500; ++i) Say(rocksdb::ERROR_LEVEL, "error " + std::to_string(i));
  EXPECT_EQ(said_.size(), 500U);
}

}  // namespace
}  // namespace basalt::store
