// SPDX-License-Identifier: GPL-2.0-only
// What breaks a numbered invariant ends the process there. Builds without a sanitizer do not check
// them, so they have no such tests.
#include "base/assert.h"

#if defined(BASALT_ASSERTIONS)

#include <gtest/gtest.h>

#include <memory>

#include "txn/lock_owner.h"
#include "txn/range_locks.h"
#include "txn/wait_graph.h"

namespace basalt::txn {
namespace {

constexpr IndexId kIndex{1, 300};

TEST(InvariantsDeathTest, G2AWaitThatBeginsBeforeTheLastOneHasEnded) {
  WaitGraph graph;
  LockOwner waiter(1);
  LockOwner blocker(2);
  MutexLock lock(graph.mutex());
  graph.ResetLocked(&waiter);
  WaitGraph::AddEdgeLocked(&waiter, &blocker);
  ASSERT_TRUE(graph.BeginLocked(&waiter, {kIndex, "key", LockKind::kRowShared}).ok());
  EXPECT_DEATH(graph.ResetLocked(&waiter), "invariant broken: G2: ");
  graph.EndLocked(&waiter);
  graph.ResetLocked(&waiter);
}

TEST(InvariantsDeathTest, G3AnOwnerThatGoesWithoutWakingItsWatchers) {
  WaitGraph graph;
  LockOwner waiter(1);
  auto watched = std::make_unique<LockOwner>(2);
  {
    MutexLock lock(graph.mutex());
    graph.ResetLocked(&waiter);
    WaitGraph::AddWatchLocked(&waiter, watched.get());
  }
  EXPECT_DEATH(watched.reset(), "invariant broken: G3: ");
  graph.Changed(watched.get());
  watched.reset();
}

TEST(InvariantsDeathTest, R5ARequestThatFailedAndWasNotWithdrawn) {
  WaitGraph graph;
  RangeLocks ranges({}, &graph);
  LockOwner asker(1);
  ASSERT_TRUE(ranges.Ask(&asker, kIndex, "a", "c"));
  EXPECT_DEATH((void)ranges.Ask(&asker, {1, 301}, "a", "c"), "invariant broken: R5: ");
  ranges.Withdraw(&asker);
  EXPECT_TRUE(ranges.Ask(&asker, {1, 301}, "a", "c"));
  ranges.Withdraw(&asker);
  ranges.ReleaseAll(&asker);
}

}  // namespace
}  // namespace basalt::txn

#endif
