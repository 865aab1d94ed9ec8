// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <rocksdb/env.h>

#include "base/mutex.h"
#include "store/errors/error_policy.h"

namespace basalt::store {

// A thread that looks after a store: five times a second at the free space of its file systems, and
// every second, while an error keeps the store from writing, whether the store can resume; while
// the log waits for space, five times a second.
//
// Thread-safety: Start and Stop from one thread; CheckNow from any.
class SpaceWatcher {
 public:
  // What to look at.
  struct Target {
    rocksdb::Env* env = nullptr;  // not owned; answers GetFreeSpace
    // Of the store first, and of its log; the one with the least free space counts.
    std::vector<std::string> directories;
    // 0: no space is too little. On a small file system a twentieth of its size counts instead.
    uint64_t reserved_bytes = 0;
  };

  // `resume` tries to bring the store back; called from the thread, also when it has come back.
  // `policy` must outlive this.
  SpaceWatcher(Target target, ErrorPolicy* policy, std::function<void()> resume);
  ~SpaceWatcher();

  // Starts the thread; once.
  void Start();
  // Ends it and waits. Idempotent, and part of destruction.
  void Stop();
  // Looks at the free space once and tells the policy.
  void CheckNow();

 private:
  void Run();
  void LookAtStoreDisk();

  const Target target_;
  ErrorPolicy* const policy_;
  const std::function<void()> resume_;
  Mutex mutex_;  // guards stop_
  CondVar changed_;
  bool stop_ BASALT_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace basalt::store
