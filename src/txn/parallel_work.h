// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"

namespace basalt::txn {

// Pieces of one work that are done at once, each by a thread of its own: the first by the caller's,
// which also listens whether the work goes on. A piece that fails ends the others.
//
// Used by one thread; stopped() is for all pieces.
class ParallelWork {
 public:
  using Piece = std::function<Status()>;  // must not throw

  // Returns when all pieces have ended: with the error that ended the others, if there was one.
  // `listen` is asked by the caller's thread while it waits for others; false stops the work, with
  // kInterrupted. At least one piece.
  Status Run(const std::vector<Piece>& pieces, const std::function<bool()>& listen);

  // True when pieces are to end with kInterrupted. Asked now and then.
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }

 private:
  Status RunPiece(const Piece& piece);
  void WaitForAll(const std::function<bool()>& listen);

  std::atomic<bool> stopped_{false};
  Mutex mutex_;
  CondVar ended_;
  size_t running_ BASALT_GUARDED_BY(mutex_) = 0;  // pieces of other threads
};

}  // namespace basalt::txn
