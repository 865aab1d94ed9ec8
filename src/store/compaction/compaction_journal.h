// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <rocksdb/listener.h>

#include "base/mutex.h"

namespace basalt::store {

// What is known of one compaction. Bytes and entries of one that runs are 0 until it has ended.
struct CompactionReport {
  int job = 0;  // RocksDB's number, which its file LOG names
  uint64_t thread = 0;
  std::string column_family;
  int input_level = 0;
  int output_level = 0;
  std::string reason;  // "LevelL0FilesNum", ...
  std::vector<std::string> input_files;
  std::vector<std::string> output_files;
  uint64_t input_bytes = 0;
  uint64_t output_bytes = 0;
  uint64_t input_entries = 0;
  uint64_t output_entries = 0;
  int64_t start_seconds = 0;  // since 1970
  int64_t end_seconds = 0;    // 0: it runs
  uint64_t elapsed_microseconds = 0;
  std::string status;  // "OK", or why it has failed
};

// Remembers compactions: those that run, and the last kKept that have ended. Any thread.
class CompactionJournal {
 public:
  static constexpr size_t kKept = 64;

  // Told by the store's listener.
  void Begin(const rocksdb::CompactionJobInfo& job);
  void End(const rocksdb::CompactionJobInfo& job);

  // In the order of their numbers; of their ends, the newest last.
  std::vector<CompactionReport> Active() const;
  std::vector<CompactionReport> History() const;

 private:
  mutable Mutex mutex_;
  std::map<int, CompactionReport> active_ BASALT_GUARDED_BY(mutex_);  // by job
  std::deque<CompactionReport> history_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::store
