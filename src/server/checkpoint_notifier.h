// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <thread>
#include <vector>

#include "base/mutex.h"
#include "store/store.h"

namespace basalt::server {

// Answers the server's commit checkpoints: "tell me when everything committed up to now is on
// disk". The binary log asks at every rotation and keeps a log file until it is told. A thread of
// its own syncs the log and then notifies, so that the asker does not wait; a failed sync is tried
// again every second, and no request is ever dropped.
class CheckpointNotifier {
 public:
  explicit CheckpointNotifier(store::Store* store);
  // Serves what is still waiting if the store lets it; then ends the thread.
  ~CheckpointNotifier();
  CheckpointNotifier(const CheckpointNotifier&) = delete;
  CheckpointNotifier& operator=(const CheckpointNotifier&) = delete;

  // Any thread. Returns at once; commit_checkpoint_notify_ha(cookie) follows.
  void Request(void* cookie);

 private:
  void Run();
  bool Serve(const std::vector<void*>& cookies);

  store::Store* const store_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<void*> waiting_ BASALT_GUARDED_BY(mutex_);
  bool stop_ BASALT_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace basalt::server
