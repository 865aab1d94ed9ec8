// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <thread>

namespace basalt {

// The engine's own threads: each has a name, which tools of the operating system show, and
// somebody above may want to know of them (the server, for its performance schema).

// Called by each worker thread itself, first and last thing it does. Neither throws.
struct WorkerThreadHooks {
  void (*begins)(const char* name) = nullptr;
  void (*ends)() = nullptr;
};
// Before there are worker threads. Null functions: nobody wants to know.
void SetWorkerThreadHooks(const WorkerThreadHooks& hooks);

// A thread that does `work`, which must not throw. `name` is a literal; the operating system shows
// its first 15 characters. The caller joins.
std::thread StartWorkerThread(const char* name, std::function<void()> work);

}  // namespace basalt
