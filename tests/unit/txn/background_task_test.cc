// SPDX-License-Identifier: GPL-2.0-only
#include "txn/background_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

namespace basalt::txn {
namespace {

TEST(BackgroundTaskTest, NothingWasStarted) {
  BackgroundTask task;
  EXPECT_TRUE(task.Wait().ok());
}

TEST(BackgroundTaskTest, GoesOnBesideItsOwner) {
  BackgroundTask task;
  std::promise<void> gate;
  bool done = false;
  task.Start([&] {
    gate.get_future().wait();
    done = true;
    return Status::Ok();
  });
  gate.set_value();  // had the work been done at once, nobody would have come here
  EXPECT_TRUE(task.Wait().ok());
  EXPECT_TRUE(done);
}

TEST(BackgroundTaskTest, TellsEachTimeHowTheLastPieceEnded) {
  BackgroundTask task;
  task.Start([] { return Status(Code::kDuplicateKey, "twice"); });
  for (int i = 0; i < 2; ++i) {
    const Status status = task.Wait();
    EXPECT_EQ(status.code(), Code::kDuplicateKey);
    EXPECT_EQ(status.message(), "twice");
  }
  task.Start([] { return Status::Ok(); });
  EXPECT_TRUE(task.Wait().ok());
}

TEST(BackgroundTaskTest, IsWaitedForByItsEnd) {
  std::atomic<int> done{0};
  {
    BackgroundTask task;
    task.Start([&] {
      ++done;
      return Status::Ok();
    });
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace basalt::txn
