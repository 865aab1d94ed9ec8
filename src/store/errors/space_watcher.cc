// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/space_watcher.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "base/worker_thread.h"
#include "store/errors/ballast.h"

namespace basalt::store {
namespace {

constexpr std::chrono::milliseconds kInterval{200};
constexpr int kLooksPerResume = 5;

}  // namespace

SpaceWatcher::SpaceWatcher(Target target, ErrorPolicy* policy, std::function<void()> resume)
    : target_(std::move(target)), policy_(policy), resume_(std::move(resume)) {}

SpaceWatcher::~SpaceWatcher() { Stop(); }

void SpaceWatcher::Start() {
  thread_ = StartWorkerThread("space watcher", [this] { Run(); });
}

void SpaceWatcher::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void SpaceWatcher::LookAtStoreDisk() {
  if (target_.directories.empty()) return;
  const std::string& directory = target_.directories.front();
  uint64_t free_bytes = 0;
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  const bool known = !error && target_.env->GetFreeSpace(directory, &free_bytes).ok();
  policy_->OnDisk(known ? DiskSpace{free_bytes, space.capacity} : DiskSpace());
}

void SpaceWatcher::CheckNow() {
  LookAtStoreDisk();
  if (target_.reserved_bytes == 0) return;
  uint64_t least_free = std::numeric_limits<uint64_t>::max();
  uint64_t reserved = target_.reserved_bytes;
  for (const std::string& directory : target_.directories) {
    uint64_t free_bytes = 0;
    // A file system that cannot tell is not watched.
    if (!target_.env->GetFreeSpace(directory, &free_bytes).ok()) continue;
    least_free = std::min(least_free, free_bytes);
    reserved = std::min(reserved, ReserveOn(directory, target_.reserved_bytes));
  }
  policy_->OnFreeSpace(least_free, reserved);
}

void SpaceWatcher::Run() {
  int looks = 0;
  bool allowed = policy_->writing_allowed();
  MutexLock lock(mutex_);
  while (!changed_.WaitFor(lock, kInterval, [this]() BASALT_REQUIRES(mutex_) { return stop_; })) {
    lock.Unlock();
    CheckNow();
    const bool was_allowed = std::exchange(allowed, policy_->writing_allowed());
    if (policy_->LogWaits() || (allowed && !was_allowed)) {
      resume_();
    } else if (!policy_->ResumeIsWorthTrying()) {
      looks = 0;
    } else if (++looks >= kLooksPerResume) {
      looks = 0;
      resume_();
    }
    lock.Lock();
  }
}

}  // namespace basalt::store
