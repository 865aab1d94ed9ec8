// SPDX-License-Identifier: GPL-2.0-only
#pragma once

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
};

}  // namespace basalt::engine
