// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <rocksdb/listener.h>

#include "base/mutex.h"

namespace basalt::store {

// Tells of compactions that have taken long, each in a line, but not of all where there are many: a
// line, and after it none for ten minutes. The next one says how many there were meanwhile.
//
// Thread-safety: any thread.
class LongCompactionLog {
 public:
  using Clock = std::chrono::steady_clock::time_point (*)();
  static constexpr std::chrono::minutes kSilence{10};

  // `log` gets the lines, from any thread; empty: nobody does. Tests have their own time.
  LongCompactionLog(std::chrono::microseconds long_from,
                    std::function<void(const std::string&)> log,
                    Clock now = std::chrono::steady_clock::now)
      : long_from_(long_from), log_(std::move(log)), now_(now) {}

  // A compaction has ended. One that has failed is the error policy's.
  void End(const rocksdb::CompactionJobInfo& job);

 private:
  // The number of those before that nothing was said of; none: nothing is said of this one either.
  bool IsTime(uint64_t* unsaid);

  const std::chrono::microseconds long_from_;
  const std::function<void(const std::string&)> log_;
  const Clock now_;
  Mutex mutex_;
  bool spoken_ BASALT_GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point last_ BASALT_GUARDED_BY(mutex_);
  uint64_t unsaid_ BASALT_GUARDED_BY(mutex_) = 0;  // since then
};

}  // namespace basalt::store
