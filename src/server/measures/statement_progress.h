// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "engine/task_progress.h"
#include "server/server_headers.h"

namespace basalt::server {

// A long administrative statement in SHOW PROCESSLIST: its stage and how far it is; KILL ends it.
// Lives as long as the task does. The connection's thread only.
class StatementProgress final : public engine::TaskProgress {
 public:
  explicit StatementProgress(THD* thd) : thd_(thd) {}
  ~StatementProgress() override { thd_progress_end(thd_); }
  StatementProgress(const StatementProgress&) = delete;
  StatementProgress& operator=(const StatementProgress&) = delete;

  // The task begins; it will have no more than this many stages.
  void Start(unsigned max_stages) { thd_progress_init(thd_, max_stages); }

  void NextStage() override { thd_progress_next_stage(thd_); }
  bool Report(uint64_t done, uint64_t expected) override {
    // The server shows a share of `expected`, which is an estimate: never more than all of it.
    thd_progress_report(thd_, std::min(done, expected), expected);
    return !thd_->killed;
  }

 private:
  THD* const thd_;
};

}  // namespace basalt::server
