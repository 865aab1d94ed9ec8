// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/compaction_journal.h"

#include <ctime>
#include <utility>

namespace basalt::store {
namespace {

std::vector<std::string> FileNames(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const std::string& path : paths) names.push_back(path.substr(path.rfind('/') + 1));
  return names;
}

CompactionReport ReportOf(const rocksdb::CompactionJobInfo& job) {
  CompactionReport report;
  report.job = job.job_id;
  report.thread = job.thread_id;
  report.column_family = job.cf_name;
  report.input_level = job.base_input_level;
  report.output_level = job.output_level;
  report.reason = rocksdb::GetCompactionReasonString(job.compaction_reason);
  report.input_files = FileNames(job.input_files);
  return report;
}

}  // namespace

void CompactionJournal::Begin(const rocksdb::CompactionJobInfo& job) {
  CompactionReport report = ReportOf(job);
  report.start_seconds = std::time(nullptr);
  MutexLock guard(mutex_);
  active_[job.job_id] = std::move(report);
}

void CompactionJournal::End(const rocksdb::CompactionJobInfo& job) {
  CompactionReport report = ReportOf(job);
  report.output_files = FileNames(job.output_files);
  report.input_bytes = job.stats.total_input_bytes;
  report.output_bytes = job.stats.total_output_bytes;
  report.input_entries = job.stats.num_input_records;
  report.output_entries = job.stats.num_output_records;
  report.elapsed_microseconds = job.stats.elapsed_micros;
  report.status = job.status.ToString();
  report.end_seconds = std::time(nullptr);
  MutexLock guard(mutex_);
  const auto begun = active_.find(job.job_id);
  report.start_seconds = begun == active_.end() ? report.end_seconds : begun->second.start_seconds;
  if (begun != active_.end()) active_.erase(begun);
  history_.push_back(std::move(report));
  if (history_.size() > kKept) history_.pop_front();
}

std::vector<CompactionReport> CompactionJournal::Active() const {
  MutexLock guard(mutex_);
  std::vector<CompactionReport> reports;
  reports.reserve(active_.size());
  for (const auto& [job, report] : active_) reports.push_back(report);
  return reports;
}

std::vector<CompactionReport> CompactionJournal::History() const {
  MutexLock guard(mutex_);
  return {history_.begin(), history_.end()};
}

}  // namespace basalt::store
