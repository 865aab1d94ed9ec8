// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <thread>

#include "base/status.h"

namespace basalt::txn {

// Work that goes on while its owner does something else: one piece at a time, on a thread of its
// own. Who starts it leaves alone what the work uses until Wait. Used by one thread.
class BackgroundTask {
 public:
  BackgroundTask() = default;
  ~BackgroundTask() { (void)Wait(); }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  // Begins `work`, which must not throw; the piece before it has been waited for. When the system
  // has no thread to give, the work is done here.
  void Start(std::function<Status()> work);
  // Waits for what was started last, and tells how it ended, each time. Ok when nothing was.
  Status Wait();

 private:
  std::thread thread_;
  Status ended_;  // the thread's until it is joined
};

}  // namespace basalt::txn
