// SPDX-License-Identifier: GPL-2.0-only
#include "store/store.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include <rocksdb/advanced_cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_buffer_manager.h>

#include "store/errors/space_watcher.h"
#include "store/options/database_defaults.h"
#include "store/options/memory_budget.h"
#include "store/options/option_string.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
namespace {

// How long somebody who waits for memtables to be written out does so before the next look.
constexpr std::chrono::milliseconds kFlushPoll{1};
constexpr int kMostPollsForCounting = 1000;

}  // namespace

std::string Store::In(std::string_view what) const {
  return std::string(what) + " in " + options_.directory;
}

void Store::Log(LogLevel level, std::string_view text) const {
  if (options_.log) options_.log(level, text);
}

Status Store::MapChange(const rocksdb::Status& status, const std::string& what) const {
  if (!OnlyOptionsFileFailed(status)) return MapStatus(status, what);
  Log(LogLevel::kWarning,
      what + " was done, and is not in the OPTIONS file yet: " + status.ToString());
  return {};
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
  MutexLock lock(create_mutex_);
  *handle = FindColumnFamily(name);
  if (*handle != nullptr) return {};
  if (name.empty()) return Status(Code::kInvalidArgument, "a column family needs a name");
  BASALT_RETURN_IF_ERROR(CheckWritingAllowed());
  rocksdb::ColumnFamilyOptions family;
  BASALT_RETURN_IF_ERROR(BuildColumnFamilyOptions(name, &family));
  rocksdb::ColumnFamilyHandle* created = nullptr;
  BASALT_RETURN_IF_ERROR(MapChange(db_->CreateColumnFamily(family, name, &created),
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
  // The sync goes through the group, which shares it with committing threads.
  BASALT_RETURN_IF_ERROR(MapStatus(base_->Write(options, batch), "writing"));
  return sync ? SyncWal(/*sync=*/true) : Status();
}

// RocksDB would let the caller wait until memtables are written out, which a full disk keeps them
// from; and they are not even tried to be while the log waits for space.
Status Store::WriteUnlogged(rocksdb::WriteBatch* batch) {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  options.no_slowdown = true;
  while (true) {
    const rocksdb::Status written = base_->Write(options, batch);
    if (!written.IsIncomplete()) return MapStatus(written, "writing without the log");
    BASALT_RETURN_IF_ERROR(AwaitFlush());
  }
}

// What a full disk keeps from the log is not durable, whatever RocksDB says.
rocksdb::Status Store::FlushLog(bool sync) {
  if (!backlog_.pending() || backlog_.Drain()) {
    const WalBacklog::SyncScope looks_at_pending;
    const rocksdb::Status flushed = base_->FlushWAL(sync);
    if (!flushed.ok() || !backlog_.pending()) return flushed;
  }
  return rocksdb::Status::NoSpace("what was written waits in memory for free space");
}

Status Store::SyncWal(bool sync) {
  if (sync) return MapStatus(sync_group_->Sync(), "making the log durable");
  return MapStatus(FlushLog(/*sync=*/false), "writing the log");
}

Status Store::ResumeWriting() {
  if (watcher_) watcher_->CheckNow();
  if (backlog_.pending()) backlog_.Drain();
  if (policy_.ResumeIsWorthTrying()) {
    const rocksdb::Status status = base_->Resume();
    if (status.ok()) {
      policy_.OnRecovered();
    } else {
      policy_.OnResumeFailed(status);
    }
  }
  if (writing_allowed()) ballast_->Load();
  return CheckWritingAllowed();
}

// Waits a moment, unless no flush can come to its end; low space alone does not hold one up.
Status Store::AwaitFlush() const {
  BASALT_RETURN_IF_ERROR(policy_.CheckFreeingAllowed());
  std::this_thread::sleep_for(kFlushPoll);
  return {};
}

bool Store::HasUnwrittenMemtables(rocksdb::ColumnFamilyHandle* handle) {
  return NumberProperty(base_, handle, rocksdb::DB::Properties::kNumImmutableMemTable) > 0;
}

// RocksDB tells its listener of a new file a moment after everybody can read it.
bool Store::HasUncountedFiles(rocksdb::ColumnFamilyHandle* handle) {
  rocksdb::ColumnFamilyMetaData family;
  base_->GetColumnFamilyMetaData(handle, &family);
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (!keeper_.Knows(file.file_number)) return true;
    }
  }
  return false;
}

bool Store::HasBackgroundWork(rocksdb::ColumnFamilyHandle* handle) {
  using Properties = rocksdb::DB::Properties;
  for (const std::string* property :
       {&Properties::kNumRunningFlushes, &Properties::kNumRunningCompactions,
        &Properties::kCompactionPending}) {
    if (NumberProperty(base_, handle, *property) > 0) return true;
  }
  return false;
}

rocksdb::Status Store::RequestFlush(rocksdb::ColumnFamilyHandle* handle) {
  rocksdb::FlushOptions options;
  options.wait = false;
  options.allow_write_stall = true;
  return base_->Flush(options, handle);
}

// While writes are stopped RocksDB takes no requests; that ends with the work that is under way.
Status Store::RequestFlushInTurn(rocksdb::ColumnFamilyHandle* handle, const std::string& doing) {
  rocksdb::Status requested = RequestFlush(handle);
  while (requested.IsTryAgain() && HasBackgroundWork(handle)) {
    BASALT_RETURN_IF_ERROR(AwaitFlush());
    requested = RequestFlush(handle);
  }
  return MapStatus(requested, doing);
}

Status Store::Checkpoint(const std::string& path) {
  BASALT_RETURN_IF_ERROR(CheckLogWritable());
  std::error_code error;
  const bool existed = std::filesystem::exists(path, error);
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(base_, &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const BackgroundRateLimiter::Hurry hurry(options_.rate_limiter.get());
  if (status.ok()) status = checkpoint->CreateCheckpoint(path);
  // RocksDB removes one in part, but not one whose name it could not make durable.
  if (!status.ok() && !existed) std::filesystem::remove_all(path, error);
  return MapStatus(status, "making a checkpoint in " + path);
}

// What needs the log whole fails while a full disk keeps it from being so, instead of waiting.
Status Store::CheckLogWritable() { return backlog_.pending() ? CheckWritingAllowed() : Status(); }

Status Store::Flush() { return FlushAndWait(families_.All(), "flushing memtables"); }

Status Store::Flush(rocksdb::ColumnFamilyHandle* handle) {
  return FlushAndWait({handle}, "flushing the memtable of " + handle->GetName());
}

// RocksDB's own waiting ends only when the flush is done, and on a full disk that may be never. One
// column family after the other: a request that is left in RocksDB's queue by an error of another
// family can keep DB::Resume() waiting for ever (see store_listener.h).
Status Store::FlushAndWait(const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                           const std::string& doing) {
  BASALT_RETURN_IF_ERROR(CheckLogWritable());
  const BackgroundRateLimiter::Hurry hurry(options_.rate_limiter.get());
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    // A request that comes while RocksDB recovers from an error is thrown away and keeps its thread
    // for a second, and recovery begins when no thread is busy: asked again and again it never
    // does.
    BASALT_RETURN_IF_ERROR(policy_.CheckFreeingAllowed());
    BASALT_RETURN_IF_ERROR(RequestFlushInTurn(handle, doing));
    while (HasUnwrittenMemtables(handle)) {
      BASALT_RETURN_IF_ERROR(AwaitFlush());
    }
    // Estimates are not worth an endless wait.
    for (int i = 0; i < kMostPollsForCounting && HasUncountedFiles(handle); ++i) {
      BASALT_RETURN_IF_ERROR(AwaitFlush());
    }
  }
  return {};
}

Status Store::Compact(rocksdb::ColumnFamilyHandle* handle) {
  ManualCompaction whole;
  whole.family = handle;
  return Compact(whole);
}

Status Store::Compact(const ManualCompaction& compaction) {
  // A compaction begins with a flush, and waits for it.
  BASALT_RETURN_IF_ERROR(Flush(compaction.family));
  const auto& limiter = options_.rate_limiter;
  const BackgroundRateLimiter::Hurry hurry(limiter.get());
  ++running_manual_compactions_;
  const rocksdb::Status compacted = RunManualCompaction(base_, compaction, [&limiter] {
    return limiter == nullptr
               ? 0
               : static_cast<uint64_t>(limiter->GetTotalBytesThrough(rocksdb::Env::IO_TOTAL));
  });
  --running_manual_compactions_;
  ++manual_compactions_;
  return MapStatus(compacted, "compacting " + compaction.family->GetName());
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
  rocksdb::Status status = rocksdb::StringToMap(WithTodaysValues(options), &map);
  if (status.ok()) status = base_->SetOptions(handle, map);
  return MapChange(status, "setting '" + options + "' for " + handle->GetName());
}

Status Store::SetDatabaseOptions(const std::string& options) {
  std::unordered_map<std::string, std::string> map;
  rocksdb::Status status = rocksdb::StringToMap(options, &map);
  if (status.ok()) status = base_->SetDBOptions(map);
  return MapChange(status, "setting '" + options + "'");
}

Status Store::SetBackgroundJobs(int jobs) {
  StoreOptions changed = options_;
  changed.max_background_jobs = jobs;
  return SetDatabaseOptions("max_background_jobs=" + std::to_string(BackgroundJobs(changed)));
}

void Store::SetBlockCacheBytes(uint64_t bytes) {
  StoreOptions changed = options_;
  changed.block_cache_bytes = bytes;
  cache_->SetCapacity(bytes);
  database_options_.write_buffer_manager->SetBufferSize(AllMemtablesBytes(changed));
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
