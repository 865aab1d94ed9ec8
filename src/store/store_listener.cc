// SPDX-License-Identifier: GPL-2.0-only
#include "store/store_listener.h"

#include <algorithm>
#include <string>

#include <rocksdb/perf_level.h>

#include "store/errors/status_map.h"

namespace basalt::store {
namespace {

// Every thread of RocksDB's counts its comparisons and the like, and nobody asks those of the
// background for them.
void CountNothing() { rocksdb::SetPerfLevel(rocksdb::kDisable); }

}  // namespace

void Store::Listener::OnFlushBegin(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*job*/) {
  CountNothing();
}

void Store::Listener::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& job) {
  keeper_->AddFile(job.file_number, StatisticsKeeper::PropertyOf(job.table_properties));
  keeper_->CountWritten(StatisticsKeeper::PropertyOf(job.table_properties));
}

void Store::Listener::OnCompactionBegin(rocksdb::DB* /*db*/,
                                        const rocksdb::CompactionJobInfo& job) {
  CountNothing();
  journal_->Begin(job);
}

// Each in a thread of its own, the first in that of the compaction.
void Store::Listener::OnSubcompactionBegin(const rocksdb::SubcompactionJobInfo& /*job*/) {
  CountNothing();
}

void Store::Listener::OnCompactionCompleted(rocksdb::DB* /*db*/,
                                            const rocksdb::CompactionJobInfo& job) {
  journal_->End(job);
  long_compactions_->End(job);
  if (job.status.ok()) CountFiles(job);
}

void Store::Listener::CountFiles(const rocksdb::CompactionJobInfo& job) {
  for (const std::string& path : job.output_files) {
    const auto properties = job.table_properties.find(path);
    if (properties == job.table_properties.end()) continue;
    const Bytes property = StatisticsKeeper::PropertyOf(*properties->second);
    keeper_->AddFile(StatisticsKeeper::FileNumber(path), property);
    keeper_->CountWritten(property);
  }
  for (const rocksdb::CompactionFileInfo& input : job.input_file_infos) {
    // A file that only moved to another level is input and output in one.
    const bool moved =
        std::any_of(job.output_file_infos.begin(), job.output_file_infos.end(),
                    [&](const auto& output) { return output.file_number == input.file_number; });
    if (!moved) keeper_->RemoveFile(input.file_number);
  }
}

void Store::Listener::OnExternalFileIngested(rocksdb::DB* /*db*/,
                                             const rocksdb::ExternalFileIngestionInfo& file) {
  keeper_->AddFile(StatisticsKeeper::FileNumber(file.internal_file_path),
                   StatisticsKeeper::PropertyOf(file.table_properties));
}

void Store::Listener::OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& file) {
  if (file.status.ok()) keeper_->RemoveFile(StatisticsKeeper::FileNumber(file.file_path));
}

void Store::Listener::OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                                        rocksdb::Status* error) {
  CountIfCorruption(*error);
  policy_->OnBackgroundError(reason, error);
}

void Store::Listener::OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& recovery) {
  if (recovery.new_bg_error.ok()) policy_->OnRecovered();
}

}  // namespace basalt::store
