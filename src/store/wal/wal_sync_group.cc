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

WalSyncGroup::WalSyncGroup(std::function<rocksdb::Status()> flush_and_sync, WalSyncClock* clock)
    : flush_and_sync_(std::move(flush_and_sync)), clock_(clock), delay_(clock) {}

rocksdb::Status WalSyncGroup::Sync(WalCommitter* committer) {
  // A round in progress may have begun before this caller's write; only the next one is sure.
  const uint64_t before = gathering_.fetch_add(1);
  const uint64_t round = before >> kMemberBits;
  NoteMember(round, committer);
  if ((before & kMembers) == 0) return Lead(round, committer != nullptr);
  WakeLeader((before & kMembers) + 1);
  WaitForEnd(round);
  return ResultOf(round);
}

rocksdb::Status WalSyncGroup::Lead(uint64_t round, bool may_wait) {
  WaitForEnd(round - 1);
  WaitForOthers(round, may_wait);
  const uint64_t gathered = gathering_.exchange((round + 1) << kMemberBits);
  delay_.BeginRound();
  const std::chrono::microseconds begun = clock_->Now();
  rocksdb::Status status = flush_and_sync_();
  const auto taken = static_cast<uint64_t>((clock_->Now() - begun).count());
  sync_microseconds_.store(sync_microseconds() + taken, std::memory_order_relaxed);
  delay_.EndRound(gathered & kMembers);
  Finish(round, gathered & kMembers, status);
  return status;
}

void WalSyncGroup::NoteMember(uint64_t round, WalCommitter* committer) {
  const uint64_t last = committer == nullptr ? 0 : std::exchange(committer->last_round, round);
  if (!delay_.active()) return;
  if (committer == nullptr) {
    // The round after this one does not wait for it.
    returned_[(round + 1) % 2].fetch_add(1);
  } else if (last + 1 == round) {
    returned_[round % 2].fetch_add(1);
  }
}

void WalSyncGroup::WaitForOthers(uint64_t round, bool may_wait) {
  if (!delay_.active()) return;
  const uint64_t returned = returned_[round % 2].exchange(0);
  if (!may_wait || members_of_last_ <= returned) return;
  const uint64_t missing = members_of_last_ - returned;
  const uint64_t members = gathering_.load() & kMembers;
  const std::chrono::microseconds most = delay_.MostWait(members, missing);
  if (most.count() == 0) return;
  SleepUntilJoinedBy(members + missing, most);
  delay_.EndWait((gathering_.load() & kMembers) > members);
  waits_.store(waits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void WalSyncGroup::SleepUntilJoinedBy(uint64_t members, std::chrono::microseconds most) {
  const auto wanted = static_cast<uint32_t>(members);
  const std::chrono::microseconds end = clock_->Now() + most;
  awaited_.store(wanted);
  // Who comes after this look finds the word.
  for (auto left = most; left.count() > 0 && awaited_.load() == wanted;
       left = end - clock_->Now()) {
    if ((gathering_.load() & kMembers) >= wanted) break;
    clock_->Wait(&awaited_, wanted, left);
  }
  awaited_.store(0);
}

void WalSyncGroup::WakeLeader(uint64_t members) {
  uint32_t wanted = awaited_.load();
  if (wanted == 0 || members < wanted) return;
  if (awaited_.compare_exchange_strong(wanted, 0)) FutexWakeAll(&awaited_);
}

void WalSyncGroup::Finish(uint64_t round, uint64_t members, const rocksdb::Status& status) {
  if (!status.ok()) {
    MutexLock lock(failure_mutex_);
    failure_ = status;
    failed_round_ = round;
  }
  members_of_last_ = members;
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
