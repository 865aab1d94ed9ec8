// SPDX-License-Identifier: GPL-2.0-only
#include "engine/closed_logs.h"

namespace basalt::engine {

// Who still found the log open has said before that a change comes, and so in front of this
// position.
Status ClosedLogs::Add(const catalog::IndexRecord& log) {
  {
    MutexLock lock(mutex_);
    closed_.push_back({log, transactions_->TakeChangePosition() + 1});
  }
  return Tick();
}

Status ClosedLogs::Tick() {
  MutexLock lock(mutex_);
  if (closed_.empty()) return Status::Ok();
  const uint64_t undecided = transactions_->FirstUndecidedChange();
  std::vector<catalog::IndexRecord> ended;
  for (const Closed& closed : closed_) {
    if (closed.position <= undecided) ended.push_back(closed.log);
  }
  if (ended.empty()) return Status::Ok();
  BASALT_RETURN_IF_ERROR(catalog_->AbortIndexBuild(ended));
  std::erase_if(closed_,
                [undecided](const Closed& closed) { return closed.position <= undecided; });
  return Status::Ok();
}

}  // namespace basalt::engine
