// SPDX-License-Identifier: GPL-2.0-only
#include "store/statistics/statistics_keeper.h"

#include <cstdlib>
#include <string>
#include <utility>

namespace basalt::store {
namespace {

// Files that were never added, such as the output of a job that failed, are removed as well; their
// numbers are never used again, so the memory of them may be thrown away when it grows.
constexpr size_t kMaximumRemovedEarly = 4096;

}  // namespace

IndexStatistics StatisticsKeeper::StatisticsOf(IndexId index) const {
  ReaderLock lock(mutex_);
  const auto found = sums_.find(index);
  return found == sums_.end() ? IndexStatistics{} : found->second;
}

void StatisticsKeeper::AddFile(uint64_t file_number, Bytes property) {
  std::vector<IndexStatisticsRecord> records;
  DecodeIndexStatistics(property, &records);  // garbage leaves it empty, which is what we want
  WriterLock lock(mutex_);
  if (removed_early_.erase(file_number) != 0) return;
  const auto [file, added] = files_.try_emplace(file_number, std::move(records));
  if (!added) return;
  for (const auto& [index, statistics] : file->second) sums_[index].Add(statistics);
}

void StatisticsKeeper::RemoveFile(uint64_t file_number) {
  WriterLock lock(mutex_);
  const auto file = files_.find(file_number);
  if (file == files_.end()) {
    if (removed_early_.size() >= kMaximumRemovedEarly) removed_early_.clear();
    removed_early_.insert(file_number);
    return;
  }
  for (const auto& [index, statistics] : file->second) {
    const auto sum = sums_.find(index);
    if (sum == sums_.end()) continue;
    sum->second.Subtract(statistics);
    if (sum->second.data_bytes == 0) sums_.erase(sum);
  }
  files_.erase(file);
}

bool StatisticsKeeper::Knows(uint64_t file_number) const {
  ReaderLock lock(mutex_);
  return files_.contains(file_number) || removed_early_.contains(file_number);
}

void StatisticsKeeper::CountWritten(Bytes property) {
  std::vector<IndexStatisticsRecord> records;
  DecodeIndexStatistics(property, &records);
  WriterLock lock(mutex_);
  for (IndexStatisticsRecord& record : records) {
    record.statistics.distinct_prefixes.clear();
    written_.Add(record.statistics);
  }
}

IndexStatistics StatisticsKeeper::Written() const {
  ReaderLock lock(mutex_);
  return written_;
}

uint64_t StatisticsKeeper::FileNumber(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  return std::strtoull(name.c_str(), nullptr, 10);
}

Bytes StatisticsKeeper::PropertyOf(const rocksdb::TableProperties& properties) {
  const auto found = properties.user_collected_properties.find(kIndexStatisticsProperty);
  return found == properties.user_collected_properties.end() ? Bytes() : Bytes(found->second);
}

}  // namespace basalt::store
