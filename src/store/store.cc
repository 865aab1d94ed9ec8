// SPDX-License-Identifier: GPL-2.0-only
#include "store/store.h"

#include <unordered_map>
#include <utility>

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/checkpoint.h>

#include "store/space_watcher.h"

namespace basalt::store {

std::string Store::In(std::string_view what) const {
  return std::string(what) + " in " + options_.directory;
}

void Store::Log(LogLevel level, std::string_view text) const {
  if (options_.log) options_.log(level, text);
}

bool Store::IsReverse(std::string_view column_family_name) {
  return column_family_name.starts_with(kReverseColumnFamilyPrefix);
}

bool Store::IsReverse(const rocksdb::ColumnFamilyHandle* handle) {
  return handle->GetComparator() == ReverseComparator();
}

Status Store::GetOrCreateColumnFamily(const std::string& name,
                                      rocksdb::ColumnFamilyHandle** handle) {
  *handle = FindColumnFamily(name);
  if (*handle != nullptr) return {};
  std::lock_guard lock(create_mutex_);
  *handle = FindColumnFamily(name);
  if (*handle != nullptr) return {};
  if (name.empty()) return Status(Code::kInvalidArgument, "a column family needs a name");
  BASALT_RETURN_IF_ERROR(CheckWritingAllowed());
  rocksdb::ColumnFamilyOptions family;
  BASALT_RETURN_IF_ERROR(BuildColumnFamilyOptions(name, &family));
  rocksdb::ColumnFamilyHandle* created = nullptr;
  BASALT_RETURN_IF_ERROR(MapStatus(db_->CreateColumnFamily(family, name, &created),
                                   "making the column family " + name));
  families_.Add(created);
  *handle = created;
  return {};
}

Status Store::Write(rocksdb::WriteBatch* batch, bool sync) {
  BASALT_RETURN_IF_ERROR(CheckWritingAllowed());
  return WriteAnyway(batch, sync);
}

Status Store::WriteToFreeSpace(rocksdb::WriteBatch* batch, bool sync) {
  BASALT_RETURN_IF_ERROR(policy_.CheckFreeingAllowed());
  return WriteAnyway(batch, sync);
}

Status Store::WriteAnyway(rocksdb::WriteBatch* batch, bool sync) {
  rocksdb::WriteOptions options;
  // With a buffered log the sync goes through the group, which shares it with committing threads.
  options.sync = sync && !options_.manual_wal_flush;
  BASALT_RETURN_IF_ERROR(MapStatus(base_->Write(options, batch), "writing"));
  return sync && options_.manual_wal_flush ? SyncWal(/*sync=*/true) : Status();
}

Status Store::SyncWal(bool sync) {
  if (sync) return MapStatus(sync_group_->Sync(), "making the log durable");
  // Without a buffer the log is with the operating system already.
  if (!options_.manual_wal_flush) return {};
  return MapStatus(base_->FlushWAL(/*sync=*/false), "writing the log");
}

Status Store::ResumeWriting() {
  if (watcher_) watcher_->CheckNow();
  if (policy_.ResumeIsWorthTrying()) {
    const rocksdb::Status status = base_->Resume();
    if (status.ok()) {
      policy_.OnRecovered();
    } else {
      policy_.OnResumeFailed(status);
    }
  }
  return CheckWritingAllowed();
}

Status Store::Checkpoint(const std::string& path) {
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(base_, &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(path);
  return MapStatus(status, "making a checkpoint in " + path);
}

Status Store::Flush() {
  return MapStatus(base_->Flush(rocksdb::FlushOptions(), families_.All()), "flushing memtables");
}

Status Store::Flush(rocksdb::ColumnFamilyHandle* handle) {
  return MapStatus(base_->Flush(rocksdb::FlushOptions(), handle),
                   "flushing the memtable of " + handle->GetName());
}

Status Store::Compact(rocksdb::ColumnFamilyHandle* handle, uint32_t threads) {
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.max_subcompactions = threads;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  ++running_manual_compactions_;
  const rocksdb::Status compacted = base_->CompactRange(options, handle, nullptr, nullptr);
  --running_manual_compactions_;
  ++manual_compactions_;
  return MapStatus(compacted, "compacting " + handle->GetName());
}

void Store::CancelManualCompactions() { base_->DisableManualCompaction(); }

void Store::AllowManualCompactions() { base_->EnableManualCompaction(); }

Status Store::DisableFileDeletions() {
  return MapStatus(base_->DisableFileDeletions(), "keeping files for a backup");
}

Status Store::EnableFileDeletions() {
  return MapStatus(base_->EnableFileDeletions(), "letting files go after a backup");
}

Status Store::SetColumnFamilyOptions(rocksdb::ColumnFamilyHandle* handle,
                                     const std::string& options) {
  std::unordered_map<std::string, std::string> map;
  rocksdb::Status status = rocksdb::StringToMap(options, &map);
  if (status.ok()) status = base_->SetOptions(handle, map);
  return MapStatus(status, "setting '" + options + "' for " + handle->GetName());
}

Status Store::SetDatabaseOptions(const std::string& options) {
  std::unordered_map<std::string, std::string> map;
  rocksdb::Status status = rocksdb::StringToMap(options, &map);
  if (status.ok()) status = base_->SetDBOptions(map);
  return MapStatus(status, "setting '" + options + "'");
}

Status Store::ReadIndexStatistics(rocksdb::ColumnFamilyHandle* handle,
                                  std::vector<IndexStatisticsRecord>* records) const {
  records->clear();
  rocksdb::TablePropertiesCollection files;
  BASALT_RETURN_IF_ERROR(MapStatus(base_->GetPropertiesOfAllTables(handle, &files),
                                   "reading the table files of " + handle->GetName()));
  std::map<IndexId, IndexStatistics> sums;
  std::vector<IndexStatisticsRecord> of_file;
  for (const auto& [path, properties] : files) {
    DecodeIndexStatistics(StatisticsKeeper::PropertyOf(*properties), &of_file);
    for (const auto& [index, statistics] : of_file) sums[index].Add(statistics);
  }
  for (auto& [index, statistics] : sums) records->push_back({index, std::move(statistics)});
  return {};
}

}  // namespace basalt::store
