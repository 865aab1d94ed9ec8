// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal_sync_group.h"

#include <utility>

namespace basalt::store {

WalSyncGroup::WalSyncGroup(std::function<rocksdb::Status()> flush_and_sync)
    : flush_and_sync_(std::move(flush_and_sync)) {}

rocksdb::Status WalSyncGroup::Sync() {
  std::unique_lock lock(mutex_);
  // A round in progress may have begun before this caller's write; only the next one is sure.
  const uint64_t wanted = started_ + 1;
  while (finished_ < wanted) {
    if (busy_) {
      changed_.wait(lock);
      continue;
    }
    busy_ = true;
    const uint64_t round = ++started_;
    lock.unlock();
    rocksdb::Status status = flush_and_sync_();
    lock.lock();
    busy_ = false;
    finished_ = round;
    if (!status.ok()) {
      failed_round_ = round;
      failure_ = std::move(status);
    }
    changed_.notify_all();
  }
  // After a failed sync RocksDB takes no more writes, so an error that reaches one waiter of an
  // earlier round too many says nothing wrong.
  return failed_round_ >= wanted ? failure_ : rocksdb::Status::OK();
}

uint64_t WalSyncGroup::rounds() const {
  std::lock_guard lock(mutex_);
  return finished_;
}

}  // namespace basalt::store
