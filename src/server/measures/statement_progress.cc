// SPDX-License-Identifier: GPL-2.0-only
#include "server/measures/statement_progress.h"

#include <algorithm>
#include <unordered_set>

#include "base/mutex.h"

namespace basalt::server {

namespace {

// Those that have started. Guards their existence against ForEach.
struct Registry {
  Mutex mutex;
  std::unordered_set<StatementProgress*> started BASALT_GUARDED_BY(mutex);
};

Registry& Started() {
  static Registry registry;
  return registry;
}

}  // namespace

StatementProgress::~StatementProgress() {
  thd_progress_end(thd_);
  MutexLock lock(Started().mutex);
  Started().started.erase(this);
}

void StatementProgress::ForEach(const std::function<void(const StatementProgress&)>& visit) {
  MutexLock lock(Started().mutex);
  for (const StatementProgress* progress : Started().started) visit(*progress);
}

void StatementProgress::Start(unsigned max_stages) {
  thd_progress_init(thd_, max_stages);
  NoteStage();
  MutexLock lock(Started().mutex);
  Started().started.insert(this);
}

void StatementProgress::NextStage() {
  thd_progress_next_stage(thd_);
  NoteStage();
}

bool StatementProgress::Report(uint64_t done, uint64_t expected) {
  thd_progress_report(thd_, std::min(done, expected), expected);
  return !thd_->killed;
}

void StatementProgress::NoteStage() {
  stage_start_.store(microsecond_interval_timer(), std::memory_order_relaxed);
}

}  // namespace basalt::server
