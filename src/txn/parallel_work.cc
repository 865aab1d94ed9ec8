// SPDX-License-Identifier: GPL-2.0-only
#include "txn/parallel_work.h"

#include <chrono>
#include <utility>

#include "txn/background_task.h"

namespace basalt::txn {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{20};

}  // namespace

Status ParallelWork::Run(const std::vector<Piece>& pieces, const std::function<bool()>& listen) {
  std::vector<BackgroundTask> tasks(pieces.size() - 1);
  {
    MutexLock lock(mutex_);
    running_ = tasks.size();
  }
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].Start([this, &piece = pieces[i + 1]] {
      Status status = RunPiece(piece);
      MutexLock lock(mutex_);
      --running_;
      ended_.NotifyAll();
      return status;
    });
  }
  Status status = RunPiece(pieces.front());
  WaitForAll(listen);
  for (BackgroundTask& task : tasks) {
    Status ended = task.Wait();
    // What ended the others matters, not that they were stopped for it.
    const bool first = status.ok() || status.code() == Code::kInterrupted;
    if (first && !ended.ok()) status = std::move(ended);
  }
  return status;
}

Status ParallelWork::RunPiece(const Piece& piece) {
  Status status = piece();
  if (!status.ok()) Stop();
  return status;
}

// The caller's thread has nothing more to do, but still listens.
void ParallelWork::WaitForAll(const std::function<bool()>& listen) {
  MutexLock lock(mutex_);
  while (running_ != 0) {
    ended_.WaitFor(lock, kBetweenQuestions);
    lock.Unlock();
    if (!listen()) Stop();
    lock.Lock();
  }
}

}  // namespace basalt::txn
