// SPDX-License-Identifier: GPL-2.0-only
#include "txn/parallel_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace basalt::txn {
namespace {

Status UntilStopped(const ParallelWork& work) {
  while (!work.stopped()) std::this_thread::yield();
  return Status(Code::kInterrupted);
}

TEST(ParallelWork, PiecesAreDoneAtOnce) {
  ParallelWork work;
  std::atomic<int> begun{0};
  const auto wait_for_all = [&] {
    ++begun;
    while (begun < 3) std::this_thread::yield();
    return Status::Ok();
  };
  EXPECT_TRUE(work.Run({wait_for_all, wait_for_all, wait_for_all}, [] { return true; }).ok());
  EXPECT_FALSE(work.stopped());
}

TEST(ParallelWork, TheFirstIsTheCallers) {
  ParallelWork work;
  std::thread::id first;
  std::thread::id second;
  const Status done = work.Run({[&] {
                                  first = std::this_thread::get_id();
                                  return Status::Ok();
                                },
                                [&] {
                                  second = std::this_thread::get_id();
                                  return Status::Ok();
                                }},
                               [] { return true; });
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(first, std::this_thread::get_id());
  EXPECT_NE(second, first);
}

TEST(ParallelWork, AFailureEndsTheOthersAndIsTold) {
  for (const size_t failing : {0u, 1u, 2u}) {
    ParallelWork work;
    std::vector<ParallelWork::Piece> pieces(3, [&] { return UntilStopped(work); });
    pieces[failing] = [] { return Status(Code::kIoError, "disk"); };
    EXPECT_EQ(work.Run(pieces, [] { return true; }).code(), Code::kIoError) << failing;
  }
}

TEST(ParallelWork, WhoWaitsListens) {
  ParallelWork work;
  const Status done = work.Run({[] { return Status::Ok(); }, [&] { return UntilStopped(work); }},
                               [] { return false; });
  EXPECT_EQ(done.code(), Code::kInterrupted);
}

}  // namespace
}  // namespace basalt::txn
