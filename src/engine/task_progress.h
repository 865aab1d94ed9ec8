// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>

namespace basalt::engine {

// How a long task of one statement (check, repair) says where it stands, and learns that it is to
// end. Implemented by the border to the server; called from the statement's thread only.
class TaskProgress {
 public:
  virtual ~TaskProgress() = default;

  // The task goes on to its next part. How many there are at most, the task has said before.
  virtual void NextStage() = 0;
  // `done` of about `expected` entries of this part. False: the statement was killed, stop.
  // Called once every kEntriesPerReport entries, so it may cost a microsecond.
  [[nodiscard]] virtual bool Report(uint64_t done, uint64_t expected) = 0;

  static constexpr uint64_t kEntriesPerReport = 1024;

  // A sum that the task's thread adds to and any thread reads.
  class Sum {
   public:
    void Add(uint64_t amount) { sum_.store(sum() + amount, std::memory_order_relaxed); }
    uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }

   private:
    std::atomic<uint64_t> sum_{0};
  };
  // What the task has done, where that is not counted otherwise.
  struct Work {
    Sum rows_read;
    Sum bytes_written;  // keys and values of all indexes, before compression
  };
  Work& work() { return work_; }
  const Work& work() const { return work_; }

 private:
  Work work_;
};

}  // namespace basalt::engine
