// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include <rocksdb/status.h>

#include "base/mutex.h"

namespace basalt::store {

// Lets many threads that all want the log synced share few syncs. Rounds are numbered and run one
// after the other. While one runs, the next one gathers: who comes first will lead it, the others
// sleep until it is over. RocksDB's FlushWAL(true) alone would run one fsync after the other, one
// for each caller.
//
// Sync is on the path of every commit, so waking is cheap: the end of a round wakes those of this
// round and the next leader with one system call, nobody else, and nobody takes a mutex.
//
// Thread-safety: Sync from any thread.
class WalSyncGroup {
 public:
  // `flush_and_sync` makes everything written to the log before its call durable.
  explicit WalSyncGroup(std::function<rocksdb::Status()> flush_and_sync);

  // Returns after a complete call of flush_and_sync that began after this function was entered;
  // its status. An error reaches everybody of that round, and those of the round before who have
  // not returned yet: after a failed sync RocksDB takes no more writes, so that says nothing wrong.
  rocksdb::Status Sync();

  // Number of calls of flush_and_sync that have ended, for tests and status counters.
  uint64_t rounds() const { return finished_.load(std::memory_order_relaxed); }

 private:
  // `gathering_`: the number of the round that gathers, and how many have come to it.
  static constexpr int kMemberBits = 20;  // more threads than a server can have
  static constexpr uint64_t kMembers = (uint64_t{1} << kMemberBits) - 1;

  rocksdb::Status Lead(uint64_t round);
  void Finish(uint64_t round, uint64_t members, const rocksdb::Status& status);
  void WaitForEnd(uint64_t round);
  rocksdb::Status ResultOf(uint64_t round);

  std::function<rocksdb::Status()> flush_and_sync_;
  std::atomic<uint64_t> gathering_{uint64_t{1} << kMemberBits};
  // The last round of even and of odd number that has ended, cut to the size of a futex. Those of
  // a round sleep on its word, so that the end of a round wakes none of the round after the next.
  std::atomic<uint32_t> ended_[2]{0, UINT32_MAX};
  std::atomic<uint64_t> finished_{0};

  std::atomic<uint64_t> failed_round_{0};  // the last one that failed
  Mutex failure_mutex_;
  rocksdb::Status failure_ BASALT_GUARDED_BY(failure_mutex_);
};

}  // namespace basalt::store
