// SPDX-License-Identifier: GPL-2.0-only
#include "base/worker_thread.h"

#include <pthread.h>

#include <string>
#include <utility>

namespace basalt {
namespace {

constexpr size_t kLongestName = 15;  // pthread_setname_np(3)

WorkerThreadHooks hooks_now;

void NameThisThread(const char* name) {
  pthread_setname_np(pthread_self(), std::string(name).substr(0, kLongestName).c_str());
}

}  // namespace

void SetWorkerThreadHooks(const WorkerThreadHooks& hooks) { hooks_now = hooks; }

std::thread StartWorkerThread(const char* name, std::function<void()> work) {
  return std::thread([name, work = std::move(work)] {
    NameThisThread(name);
    if (hooks_now.begins != nullptr) hooks_now.begins(name);
    work();
    if (hooks_now.ends != nullptr) hooks_now.ends();
  });
}

}  // namespace basalt
