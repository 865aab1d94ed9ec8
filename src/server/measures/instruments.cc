// SPDX-License-Identifier: GPL-2.0-only
#include "server/measures/instruments.h"

#include <cstring>
#include <iterator>

#include "base/worker_thread.h"

namespace basalt::server {

PSI_stage_info stage_row_lock = {0, "Waiting for row lock", 0};
PSI_stage_info stage_sorting = {0, "Sorting rows into table files", PSI_FLAG_STAGE_PROGRESS};

namespace {

constexpr const char* kCategory = "rocksdb";

PSI_mutex_key mutex_key;
PSI_cond_key cond_key;
PSI_mutex_info mutexes[] = {{&mutex_key, "wait_graph", PSI_FLAG_GLOBAL}};
PSI_cond_info conditions[] = {{&cond_key, "row_lock", PSI_FLAG_GLOBAL}};
PSI_stage_info* stages[] = {&stage_row_lock, &stage_sorting};

// The names that StartWorkerThread is called with.
PSI_thread_key thread_keys[5];
PSI_thread_info threads[] = {
    {&thread_keys[0], "checkpoint notifier", PSI_FLAG_GLOBAL},
    {&thread_keys[1], "housekeeper", PSI_FLAG_GLOBAL},
    {&thread_keys[2], "index reclaimer", PSI_FLAG_GLOBAL},
    {&thread_keys[3], "space watcher", PSI_FLAG_GLOBAL},
    {&thread_keys[4], "manual compaction", 0},
};
static_assert(std::size(thread_keys) == std::size(threads));

// What the waits are recorded under: one of each for all connections, as there is one wait graph.
PSI_mutex* wait_graph_mutex = nullptr;
PSI_cond* row_lock_condition = nullptr;

void ThreadBegins(const char* name) {
  for (const PSI_thread_info& thread : threads) {
    if (std::strcmp(thread.m_name, name) != 0) continue;
    PSI_server->set_thread(PSI_server->new_thread(*thread.m_key, &thread, 0));
  }
}

void ThreadEnds() { PSI_server->delete_current_thread(); }

}  // namespace

void RegisterInstruments() {
  mysql_mutex_register(kCategory, mutexes, std::size(mutexes));
  mysql_cond_register(kCategory, conditions, std::size(conditions));
  mysql_stage_register(kCategory, stages, std::size(stages));
  mysql_thread_register(kCategory, threads, std::size(threads));
  wait_graph_mutex = PSI_server->init_mutex(mutex_key, &mutex_key);
  row_lock_condition = PSI_server->init_cond(cond_key, &cond_key);
  SetWorkerThreadHooks({ThreadBegins, ThreadEnds});
}

StageScope::StageScope(THD* thd, const PSI_stage_info& stage) : thd_(thd) {
  thd_->backup_stage(&before_);
  THD_STAGE_INFO(thd_, stage);
}

StageScope::~StageScope() { THD_STAGE_INFO(thd_, before_); }

RowLockWait::RowLockWait(THD* thd) : stage_(thd, stage_row_lock) {
  if (row_lock_condition == nullptr) return;
  locker_ = PSI_server->start_cond_wait(&state_, row_lock_condition, wait_graph_mutex,
                                        PSI_COND_TIMEDWAIT, __FILE__, __LINE__);
}

RowLockWait::~RowLockWait() {
  if (locker_ != nullptr) PSI_server->end_cond_wait(locker_, 0);
}

}  // namespace basalt::server
