// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_sync_group.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <utility>

namespace basalt::store {
namespace {

// Linux' futex (man 2 futex), private to the process. std::atomic::wait would yield the processor
// four times before it sleeps, and a condition variable would send all that it wakes to one mutex.
void FutexWait(std::atomic<uint32_t>* word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void FutexWakeAll(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

WalSyncGroup::WalSyncGroup(std::function<rocksdb::Status()> flush_and_sync)
    : flush_and_sync_(std::move(flush_and_sync)) {}

rocksdb::Status WalSyncGroup::Sync() {
  // A round in progress may have begun before this caller's write; only the next one is sure.
  const uint64_t before = gathering_.fetch_add(1);
  const uint64_t round = before >> kMemberBits;
  if ((before & kMembers) == 0) return Lead(round);
  WaitForEnd(round);
  return ResultOf(round);
}

rocksdb::Status WalSyncGroup::Lead(uint64_t round) {
  WaitForEnd(round - 1);
  const uint64_t gathered = gathering_.exchange((round + 1) << kMemberBits);
  rocksdb::Status status = flush_and_sync_();
  Finish(round, gathered & kMembers, status);
  return status;
}

void WalSyncGroup::Finish(uint64_t round, uint64_t members, const rocksdb::Status& status) {
  if (!status.ok()) {
    MutexLock lock(failure_mutex_);
    failure_ = status;
    failed_round_ = round;
  }
  finished_.store(round, std::memory_order_relaxed);
  std::atomic<uint32_t>& word = ended_[round % 2];
  word.store(static_cast<uint32_t>(round));
  // Who comes to the next round after this look finds the new word and does not sleep.
  const bool next_has_leader = (gathering_.load() & kMembers) != 0;
  if (members > 1 || next_has_leader) FutexWakeAll(&word);
}

void WalSyncGroup::WaitForEnd(uint64_t round) {
  std::atomic<uint32_t>& word = ended_[round % 2];
  const auto wanted = static_cast<uint32_t>(round);
  uint32_t ended = word.load();
  // Numbers wrap; two that are compared are close together.
  while (static_cast<int32_t>(wanted - ended) > 0) {
    FutexWait(&word, ended);
    ended = word.load();
  }
}

rocksdb::Status WalSyncGroup::ResultOf(uint64_t round) {
  if (failed_round_.load() < round) return rocksdb::Status::OK();
  MutexLock lock(failure_mutex_);
  return failure_;
}

}  // namespace basalt::store
