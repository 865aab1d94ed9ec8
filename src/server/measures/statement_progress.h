// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "engine/task_progress.h"
#include "server/server_headers.h"

namespace basalt::server {

// A long administrative statement in SHOW PROCESSLIST and ROCKSDB_PROGRESS: its stage and how far
// it is; KILL ends it. Lives as long as the task does. The connection's thread only.
class StatementProgress final : public engine::TaskProgress {
 public:
  explicit StatementProgress(THD* thd) : thd_(thd) {}
  ~StatementProgress() override;
  StatementProgress(const StatementProgress&) = delete;
  StatementProgress& operator=(const StatementProgress&) = delete;

  // Calls `visit` for each that has started. It and its connection are valid during the call. Any
  // thread.
  static void ForEach(const std::function<void(const StatementProgress& progress)>& visit);
  THD* thd() const { return thd_; }
  // The moment its stage has begun, by the clock of THD::start_utime, in microseconds.
  uint64_t stage_start() const { return stage_start_.load(std::memory_order_relaxed); }

  // The task begins; it will have no more than this many stages.
  void Start(unsigned max_stages);
  void NextStage() override;
  // Of `expected`, which is an estimate, the server shows a share: never more than all of it.
  bool Report(uint64_t done, uint64_t expected) override;

 private:
  void NoteStage();

  THD* const thd_;
  std::atomic<uint64_t> stage_start_{0};
};

}  // namespace basalt::server
