// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <rocksdb/table_properties.h>

#include "base/mutex.h"
#include "store/statistics/index_statistics.h"

namespace basalt::store {

// Sums the statistics of all live table files for each index, in memory, and follows the files as
// they come and go. Filled once at open, then kept by the store's event listener.
//
// Thread-safety: all functions, from any thread. StatisticsOf takes a shared lock for a few hundred
// nanoseconds; files change under the exclusive one.
class StatisticsKeeper {
 public:
  // The sum for an index; all zero for one without files.
  IndexStatistics StatisticsOf(IndexId index) const;

  // A file became live. `property` is its encoded statistics; garbage counts as none. Adding a
  // file twice, or one that has been removed already (listeners of two jobs may run out of order),
  // changes nothing.
  void AddFile(uint64_t file_number, Bytes property);
  // A file left the store. Unknown numbers are remembered, see AddFile.
  void RemoveFile(uint64_t file_number);
  // Whether the file has been added, or removed early.
  bool Knows(uint64_t file_number) const;

  // Entries in all files that were written since the open, in a sum over all indexes; CountWritten
  // adds those of one, given its encoded statistics. distinct_prefixes stays empty.
  void CountWritten(Bytes property);
  IndexStatistics Written() const;

  // The number in a table file's path ("/dir/000123.sst" -> 123); 0 when there is none.
  static uint64_t FileNumber(std::string_view path);
  // The encoded statistics among a file's properties; empty when absent.
  static Bytes PropertyOf(const rocksdb::TableProperties& properties);

 private:
  mutable SharedMutex mutex_;
  std::unordered_map<IndexId, IndexStatistics> sums_ BASALT_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, std::vector<IndexStatisticsRecord>> files_ BASALT_GUARDED_BY(mutex_);
  std::unordered_set<uint64_t> removed_early_ BASALT_GUARDED_BY(mutex_);
  IndexStatistics written_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::store
