// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/long_compaction_log.h"

#include <utility>

namespace basalt::store {
namespace {

std::string Megabytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

std::string LineOf(const rocksdb::CompactionJobInfo& job) {
  return "a compaction of column family '" + job.cf_name + "' from level " +
         std::to_string(job.base_input_level) + " to level " + std::to_string(job.output_level) +
         " has taken " + std::to_string(job.stats.elapsed_micros / 1'000'000) +
         " seconds: " + Megabytes(job.stats.total_input_bytes) + " read, " +
         Megabytes(job.stats.total_output_bytes) + " written";
}

}  // namespace

void LongCompactionLog::End(const rocksdb::CompactionJobInfo& job) {
  if (std::chrono::microseconds(job.stats.elapsed_micros) < long_from_) return;
  if (!job.status.ok()) return;
  uint64_t unsaid = 0;
  if (!IsTime(&unsaid) || !log_) return;
  std::string line = LineOf(job);
  if (unsaid != 0) line += "; long compactions before it without a line: " + std::to_string(unsaid);
  log_(line);
}

bool LongCompactionLog::IsTime(uint64_t* unsaid) {
  const auto now = now_();
  MutexLock guard(mutex_);
  if (spoken_ && now - last_ < kSilence) {
    ++unsaid_;
    return false;
  }
  spoken_ = true;
  last_ = now;
  *unsaid = std::exchange(unsaid_, 0);
  return true;
}

}  // namespace basalt::store
