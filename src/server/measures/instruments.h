// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

// What the performance schema shows of the engine: the names are those of
// performance_schema.setup_instruments, after "stage/rocksdb/", "wait/synch/cond/rocksdb/" and
// "thread/rocksdb/".

namespace basalt::server {

// Once, before the engine has threads.
void RegisterInstruments();

// For StageScope; they also are what SHOW PROCESSLIST says under State.
extern PSI_stage_info stage_row_lock;
extern PSI_stage_info stage_sorting;

// What the connection is at, from construction to the end of the object's life; then what it was at
// before. For the connection's own thread.
class StageScope {
 public:
  StageScope(THD* thd, const PSI_stage_info& stage);
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  THD* const thd_;
  PSI_stage_info before_{};
};

// A connection's wait for a row lock, from construction to the end of its life: a stage and a wait.
// For the connection's own thread; costs a few stores when nobody looks.
class RowLockWait {
 public:
  explicit RowLockWait(THD* thd);
  ~RowLockWait();
  RowLockWait(const RowLockWait&) = delete;
  RowLockWait& operator=(const RowLockWait&) = delete;

 private:
  const StageScope stage_;
  PSI_cond_locker_state state_{};
  PSI_cond_locker* locker_ = nullptr;
};

}  // namespace basalt::server
