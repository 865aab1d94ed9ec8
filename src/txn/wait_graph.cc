// SPDX-License-Identifier: GPL-2.0-only
#include "txn/wait_graph.h"

#include <algorithm>
#include <chrono>

#include "base/assert.h"
#include "txn/range_locks.h"

namespace basalt::txn {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t NowMicroseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
          .count());
}

Clock::time_point AtMicroseconds(uint64_t time) {
  return Clock::time_point(std::chrono::microseconds(time));
}

int64_t UnixSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

LockOwner::LockOwner(uint64_t id) : id_(id) {}
LockOwner::~LockOwner() {
  BASALT_ASSERT(watchers_.empty(), "G3: a watcher is woken by the end of the one it watches");
}

uint64_t WaitGraph::DeadlineAfter(uint64_t microseconds) {
  return NowMicroseconds() + microseconds;
}

void WaitGraph::ResetLocked(LockOwner* waiter) {
  BASALT_ASSERT(!waiter->waiting_, "G2: a wait leaves nothing behind when it ends");
  waiter->waits_for_.clear();
  waiter->granted_ = false;
  waiter->victim_ = false;
}

void WaitGraph::AddEdgeLocked(LockOwner* waiter, LockOwner* blocker) {
  waiter->waits_for_.push_back(blocker);
}

void WaitGraph::AddWatchLocked(LockOwner* waiter, LockOwner* blocker) {
  waiter->waits_for_.push_back(blocker);
  blocker->watchers_.push_back(waiter);
  blocker->watched_.store(true);
}

Status WaitGraph::BeginLocked(LockOwner* waiter, const LockRequest& request) {
  waits_.fetch_add(1, std::memory_order_relaxed);
  waiter->wanted_.index = request.index;
  waiter->wanted_.key.assign(request.key);
  waiter->wanted_.kind = request.kind;
  waiter->waiting_ = true;
  NotifyObserver(waiter);
  std::vector<LockOwner*> cycle;
  while (ClosesCycle(waiter, &cycle)) {
    deadlocks_.fetch_add(1, std::memory_order_relaxed);
    std::rotate(cycle.begin(), cycle.begin() + static_cast<ptrdiff_t>(ChooseVictim(cycle)),
                cycle.end());
    Report(cycle);
    LockOwner* victim = cycle.front();
    if (victim == waiter) return Status(Code::kDeadlock);
    victim->victim_ = true;
    victim->wake_.NotifyAll();
    cycle.clear();
  }
  return Status::Ok();
}

// Whatever the waiter reaches must end before it can go on.
void WaitGraph::NotifyObserver(LockOwner* waiter) {
  if (observer_ == nullptr || waiter->runner_ == nullptr) return;
  if (!observer_->Wants(waiter->runner_)) return;
  const uint64_t mark = ++visit_;
  waiter->visit_ = mark;
  std::vector<LockOwner*> stack{waiter};
  while (!stack.empty()) {
    const LockOwner* here = stack.back();
    stack.pop_back();
    for (LockOwner* next : here->waits_for_) {
      if (next->visit_ == mark) continue;
      next->visit_ = mark;
      if (next->runner_ != nullptr) observer_->Waits(waiter->runner_, next->runner_);
      if (next->waiting_) stack.push_back(next);
    }
  }
}

// The first of the cycle, unless the observer prefers another to each one it was compared with.
size_t WaitGraph::ChooseVictim(const std::vector<LockOwner*>& cycle) const {
  size_t chosen = 0;
  if (observer_ == nullptr) return chosen;
  for (size_t i = 1; i < cycle.size(); ++i) {
    void* const one = cycle[chosen]->runner_;
    void* const other = cycle[i]->runner_;
    if (one == nullptr || other == nullptr) continue;
    if (observer_->Prefer(one, other) == WaitObserver::Victim::kSecond) chosen = i;
  }
  return chosen;
}

void WaitGraph::SetRunner(LockOwner* owner, WaitObserver::Runner runner) {
  MutexLock guard(mutex_);
  owner->runner_ = runner;
}

Status WaitGraph::SleepLocked(LockOwner* waiter, MutexLock* lock, uint64_t deadline) {
  const WaitObserver::Runner runner = waiter->runner_;
  const bool observed = observer_ != nullptr && runner != nullptr;
  if (observed) observer_->Sleeps(runner);
  Status status = SleepUntil(waiter, lock, deadline);
  if (observed) observer_->Wakes(runner);
  return status;
}

Status WaitGraph::SleepUntil(LockOwner* waiter, MutexLock* lock, uint64_t deadline) {
  const auto until = AtMicroseconds(deadline);
  while (!waiter->granted_) {
    if (waiter->victim_) return Status(Code::kDeadlock);
    if (waiter->interrupted_.load()) return Status(Code::kInterrupted);
    if (!waiter->wake_.WaitUntil(*lock, until) && !waiter->granted_) {
      if (waiter->victim_) return Status(Code::kDeadlock);
      if (waiter->interrupted_.load()) return Status(Code::kInterrupted);
      BASALT_ASSERT(!IsOnCycle(waiter), "G1: a cycle of waits is broken at its last edge");
      timeouts_.fetch_add(1, std::memory_order_relaxed);
      return Status(Code::kLockTimeout);
    }
  }
  return Status::Ok();
}

void WaitGraph::EndLocked(LockOwner* waiter) {
  waiter->waiting_ = false;
  for (LockOwner* blocker : waiter->waits_for_) {
    if (std::erase(blocker->watchers_, waiter) == 0) continue;
    if (blocker->watchers_.empty()) blocker->watched_.store(false);
  }
  waiter->waits_for_.clear();
}

void WaitGraph::GrantLocked(LockOwner* waiter) {
  waiter->granted_ = true;
  waiter->waiting_ = false;
  waiter->waits_for_.clear();
  waiter->wake_.NotifyOne();
}

Status WaitGraph::WaitForChangeLocked(LockOwner* waiter, const LockRequest& request,
                                      MutexLock* lock, uint64_t deadline) {
  Status status = BeginLocked(waiter, request);
  if (status.ok()) status = SleepLocked(waiter, lock, deadline);
  EndLocked(waiter);
  return status;
}

void WaitGraph::Changed(LockOwner* owner) {
  if (!owner->watched_.load()) return;
  MutexLock guard(mutex_);
  for (LockOwner* watcher : owner->watchers_) {
    std::erase(watcher->waits_for_, owner);
    watcher->granted_ = true;
    watcher->wake_.NotifyOne();
  }
  owner->watchers_.clear();
  owner->watched_.store(false);
}

// Depth-first search from `start` along the edges "waits for". The mutex is held. `cycle` gets the
// owners on it, `start` first.
bool WaitGraph::ClosesCycle(LockOwner* start, std::vector<LockOwner*>* cycle) {
  struct Step {
    LockOwner* owner;
    size_t from;  // position in `steps` of the one that waits for it
  };
  const uint64_t mark = ++visit_;
  std::vector<Step> steps{{start, 0}};
  std::vector<size_t> stack{0};
  while (!stack.empty()) {
    const size_t here = stack.back();
    stack.pop_back();
    for (LockOwner* next : steps[here].owner->waits_for_) {
      if (next == start) {
        for (size_t at = here; at != 0; at = steps[at].from) cycle->push_back(steps[at].owner);
        cycle->push_back(start);
        std::reverse(cycle->begin(), cycle->end());
        return true;
      }
      if (!next->waiting_ || next->victim_ || next->visit_ == mark) continue;
      next->visit_ = mark;
      steps.push_back({next, here});
      stack.push_back(steps.size() - 1);
    }
  }
  return false;
}

// Leaves nothing behind but marks of a search, which no other search looks at.
bool WaitGraph::IsOnCycle(LockOwner* waiter) {
  std::vector<LockOwner*> cycle;
  return ClosesCycle(waiter, &cycle);
}

void WaitGraph::Report(const std::vector<LockOwner*>& cycle) {
  DeadlockReport report;
  report.number = ++report_number_;
  report.unix_seconds = UnixSeconds();
  for (const LockOwner* owner : cycle) {
    report.members.push_back(
        {owner->id_, owner->wanted_.index, owner->wanted_.key, owner->wanted_.kind});
  }
  reports_.push_back(std::move(report));
  if (reports_.size() > kept_reports_) reports_.pop_front();
}

void WaitGraph::KeepReports(size_t count) {
  MutexLock guard(mutex_);
  kept_reports_ = count;
  while (reports_.size() > count) reports_.pop_front();
}

void WaitGraph::Interrupt(LockOwner* owner) {
  MutexLock guard(mutex_);
  owner->interrupted_.store(true);
  owner->wake_.NotifyAll();
}

void WaitGraph::ClearInterrupt(LockOwner* owner) { owner->interrupted_.store(false); }

WaitGraph::Counters WaitGraph::counters() const {
  return {waits_.load(), timeouts_.load(), deadlocks_.load()};
}

std::vector<DeadlockReport> WaitGraph::Deadlocks() const {
  MutexLock guard(mutex_);
  return {reports_.begin(), reports_.end()};
}

bool WaitGraph::WhatIsWanted(const LockOwner& owner, Waiting* waiting) const {
  MutexLock guard(mutex_);
  if (!owner.waiting_) return false;
  *waiting = {owner.id_, owner.wanted_.index, owner.wanted_.key, owner.wanted_.kind};
  return true;
}

}  // namespace basalt::txn
