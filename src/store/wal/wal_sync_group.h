// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include <rocksdb/status.h>

#include "base/mutex.h"
#include "store/wal/wal_committer.h"
#include "store/wal/wal_sync_delay.h"

namespace basalt::store {

// Lets many threads that all want the log synced share few syncs. Rounds are numbered and run one
// after the other. While one runs, the next one gathers: who comes first will lead it, the others
// sleep until it is over. RocksDB's FlushWAL(true) alone would run one fsync after the other, one
// for each caller.
//
// Sync is on the path of every commit, so waking is cheap: the end of a round wakes those of this
// round and the next leader with one system call, nobody else, and nobody takes a mutex.
//
// Where the disk is what commits wait for, the leader waits a moment before it syncs
// (wal_sync_delay.h). It waits for those of the round before who have not come back yet, or for as
// many others. Who is the last of them wakes it. A connection that is alone has nobody to wait for.
// The leader holds nothing of the group meanwhile: who comes joins.
//
// Thread-safety: Sync from any thread.
class WalSyncGroup {
 public:
  // `flush_and_sync` makes everything written to the log before its call durable.
  explicit WalSyncGroup(std::function<rocksdb::Status()> flush_and_sync,
                        WalSyncClock* clock = WalSyncClock::Default());

  // Returns after a complete call of flush_and_sync that began after this function was entered;
  // its status. Without a committer it does not wait for others, and they do not wait for it: for
  // work in the background, and where the caller holds what commits need. An error reaches
  // everybody of that round, and those of the round before who have not returned yet: after a
  // failed sync RocksDB takes no more writes, so that says nothing wrong.
  rocksdb::Status Sync(WalCommitter* committer = nullptr);

  // Number of calls of flush_and_sync that have ended, for tests and status counters.
  uint64_t rounds() const { return finished_.load(std::memory_order_relaxed); }
  // Microseconds that these calls have taken together.
  uint64_t sync_microseconds() const { return sync_microseconds_.load(std::memory_order_relaxed); }
  // Number of rounds whose leader has waited for others.
  uint64_t waits() const { return waits_.load(std::memory_order_relaxed); }

 private:
  // `gathering_`: the number of the round that gathers, and how many have come to it.
  static constexpr int kMemberBits = 20;  // more threads than a server can have
  static constexpr uint64_t kMembers = (uint64_t{1} << kMemberBits) - 1;

  rocksdb::Status Lead(uint64_t round, bool may_wait);
  void NoteMember(uint64_t round, WalCommitter* committer);
  void WaitForOthers(uint64_t round, bool may_wait);
  void SleepUntilJoinedBy(uint64_t members, std::chrono::microseconds most);
  void WakeLeader(uint64_t members);
  void Finish(uint64_t round, uint64_t members, const rocksdb::Status& status);
  void WaitForEnd(uint64_t round);
  rocksdb::Status ResultOf(uint64_t round);

  std::function<rocksdb::Status()> flush_and_sync_;
  std::atomic<uint64_t> gathering_{uint64_t{1} << kMemberBits};
  // The last round of even and of odd number that has ended, cut to the size of a futex. Those of
  // a round sleep on its word, so that the end of a round wakes none of the round after the next.
  std::atomic<uint32_t> ended_[2]{0, UINT32_MAX};
  std::atomic<uint64_t> finished_{0};
  std::atomic<uint64_t> sync_microseconds_{0};  // only the leader adds

  // The leader sleeps here until its round has as many members; 0 while it does not. Beside
  // gathering_, for everybody who comes looks at both.
  std::atomic<uint32_t> awaited_{0};
  // Of the round of even and of odd number: who of the round before has come to it, or will come to
  // none. Only estimates, counted while delay_ is active.
  std::atomic<uint32_t> returned_[2]{0, 0};
  std::atomic<uint64_t> waits_{0};
  WalSyncClock* const clock_;
  WalSyncDelay delay_;            // the leader's
  uint64_t members_of_last_ = 0;  // the leader's

  std::atomic<uint64_t> failed_round_{0};  // the last one that failed
  Mutex failure_mutex_;
  rocksdb::Status failure_ BASALT_GUARDED_BY(failure_mutex_);
};

}  // namespace basalt::store
