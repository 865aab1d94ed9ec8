// SPDX-License-Identifier: GPL-2.0-only
#include "server/checkpoint_notifier.h"

#include <chrono>
#include <string>
#include <utility>

#include "base/worker_thread.h"
#include "server/server_headers.h"

namespace basalt::server {

namespace {
constexpr std::chrono::seconds kRetryAfter(1);
}

CheckpointNotifier::CheckpointNotifier(store::Store* store)
    : store_(store), thread_(StartWorkerThread("checkpoint notifier", [this] { Run(); })) {}

CheckpointNotifier::~CheckpointNotifier() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyOne();
  thread_.join();
}

void CheckpointNotifier::Request(void* cookie) {
  {
    MutexLock lock(mutex_);
    waiting_.push_back(cookie);
  }
  changed_.NotifyOne();
}

bool CheckpointNotifier::Serve(const std::vector<void*>& cookies) {
  const Status status = store_->SyncWal(true);
  if (!status.ok()) {
    sql_print_warning("ROCKSDB: a commit checkpoint waits because the log cannot be synced: %s",
                      status.ToString().c_str());
    return false;
  }
  for (void* cookie : cookies) commit_checkpoint_notify_ha(cookie);
  return true;
}

void CheckpointNotifier::Run() {
  my_thread_init();  // the notification takes locks of the server, which want a known thread
  MutexLock lock(mutex_);
  for (;;) {
    changed_.Wait(lock, [this]() BASALT_REQUIRES(mutex_) { return stop_ || !waiting_.empty(); });
    if (waiting_.empty()) break;
    std::vector<void*> taken = std::move(waiting_);
    waiting_.clear();
    lock.Unlock();
    const bool served = Serve(taken);
    lock.Lock();
    if (served) continue;
    // At shutdown the server recovers from its log what could not be confirmed.
    if (stop_) break;
    waiting_.insert(waiting_.begin(), taken.begin(), taken.end());
    changed_.WaitFor(lock, kRetryAfter, [this]() BASALT_REQUIRES(mutex_) { return stop_; });
  }
  lock.Unlock();
  my_thread_end();
}

}  // namespace basalt::server
