// SPDX-License-Identifier: GPL-2.0-only
#include "txn/background_task.h"

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "base/worker_thread.h"

namespace basalt::txn {

void BackgroundTask::Start(std::function<Status()> work) {
  // Shared, because it is still needed here when there is no thread to take it.
  const auto shared = std::make_shared<std::function<Status()>>(std::move(work));
  try {
    thread_ = StartWorkerThread("basalt-load", [this, shared] { ended_ = (*shared)(); });
  } catch (const std::system_error&) {
    ended_ = (*shared)();
  }
}

Status BackgroundTask::Wait() {
  if (thread_.joinable()) thread_.join();
  return ended_.ok() ? Status::Ok() : Status(ended_.code(), std::string(ended_.message()));
}

}  // namespace basalt::txn
