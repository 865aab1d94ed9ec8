// SPDX-License-Identifier: GPL-2.0-only
#include "store/maintenance/manual_compactions.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/worker_thread.h"
#include "store/errors/status_map.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
namespace {

constexpr std::chrono::milliseconds kBetweenReports{100};
// So often the end of a cancelled compaction is looked for, before its thread is left.
constexpr int kLooksForEnd = 5;

// A copy of the caller's key, which may be gone before a thread that was left.
class Bound {
 public:
  explicit Bound(const rocksdb::Slice* key)
      : is_given_(key != nullptr), bytes_(is_given_ ? key->ToString() : ""), slice_(bytes_) {}
  const rocksdb::Slice* get() const { return is_given_ ? &slice_ : nullptr; }

 private:
  const bool is_given_;
  const std::string bytes_;
  const rocksdb::Slice slice_;  // of `bytes_`
};

}  // namespace

// Owns what its thread uses, but for `parts`, which outlive it.
class ManualCompactions::Task {
 public:
  Task(const Parts& parts, const ManualCompaction& compaction)
      : parts_(parts),
        family_(compaction.family),
        first_(compaction.first),
        past_last_(compaction.past_last) {
    options_.exclusive_manual_compaction = false;
    options_.max_subcompactions = compaction.threads;
    options_.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    options_.canceled = &cancelled_;
  }
  ~Task() {
    if (thread_.joinable()) thread_.join();
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // False: the system has no thread to give.
  bool Start() {
    try {
      thread_ = StartWorkerThread("manual compaction", [this] { End(Work()); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  Status Work() {
    BASALT_RETURN_IF_ERROR(parts_.flush(family_, &cancelled_));
    before_ = parts_.written();
    expected_ = Bytes();
    return MapStatus(parts_.db->CompactRange(options_, family_, first_.get(), past_last_.get()),
                     "compacting " + family_->GetName());
  }

  // Waits so long for its end at most, and tells whether it has ended.
  bool HasEnded(std::chrono::milliseconds time) {
    MutexLock lock(mutex_);
    return ended_.WaitFor(lock, time, [this] { return result_.has_value(); });
  }
  // Once, when it has ended.
  Status TakeResult() {
    MutexLock lock(mutex_);
    return std::move(*result_);
  }

  bool Report(const ManualCompaction& compaction) const {
    const uint64_t expected = expected_;
    return compaction.report(expected == 0 ? 0 : parts_.written() - before_, expected);
  }
  void Cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

 private:
  void End(Status result) {
    MutexLock lock(mutex_);
    result_ = std::move(result);
    ended_.NotifyAll();
  }

  uint64_t Bytes() const {
    if (first_.get() == nullptr || past_last_.get() == nullptr) {
      return NumberProperty(parts_.db, family_, rocksdb::DB::Properties::kLiveSstFilesSize);
    }
    uint64_t bytes = 0;
    const rocksdb::Range range(*first_.get(), *past_last_.get());
    rocksdb::SizeApproximationOptions options;
    const bool known = parts_.db->GetApproximateSizes(options, family_, &range, 1, &bytes).ok();
    return known ? bytes : 0;
  }

  const Parts& parts_;
  rocksdb::ColumnFamilyHandle* const family_;
  const Bound first_;
  const Bound past_last_;
  rocksdb::CompactRangeOptions options_;
  std::atomic<bool> cancelled_{false};
  std::atomic<uint64_t> before_{0};    // bytes written when it began, once `expected_` is there
  std::atomic<uint64_t> expected_{0};  // bytes to be compacted
  Mutex mutex_;                        // guards result_
  CondVar ended_;
  std::optional<Status> result_;
  std::thread thread_;
};

ManualCompactions::ManualCompactions(Parts parts) : parts_(std::move(parts)) {}

ManualCompactions::~ManualCompactions() { WaitForLeft(); }

Status ManualCompactions::Run(const ManualCompaction& compaction) {
  auto task = std::make_unique<Task>(parts_, compaction);
  // Without a thread, without reports: better than not at all.
  if (!compaction.report || !task->Start()) return task->Work();
  int looks = 0;
  while (!task->HasEnded(kBetweenReports)) {
    if (task->cancelled()) {
      if (++looks < kLooksForEnd) continue;
      Leave(std::move(task));
      return Status(Code::kInterrupted);
    }
    if (!task->Report(compaction)) task->Cancel();
  }
  return task->TakeResult();
}

void ManualCompactions::Leave(std::unique_ptr<Task> task) {
  MutexLock lock(mutex_);
  ForgetEnded();
  left_.push_back(std::move(task));
}

void ManualCompactions::WaitForLeft() {
  MutexLock lock(mutex_);
  left_.clear();
}

size_t ManualCompactions::left() {
  MutexLock lock(mutex_);
  ForgetEnded();
  return left_.size();
}

void ManualCompactions::ForgetEnded() {
  const auto ended = [](const auto& task) { return task->HasEnded(std::chrono::milliseconds(0)); };
  left_.erase(std::remove_if(left_.begin(), left_.end(), ended), left_.end());
}

}  // namespace basalt::store
