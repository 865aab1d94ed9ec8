// SPDX-License-Identifier: GPL-2.0-only
#include "store/store.h"

#include <algorithm>
#include <utility>

#include <rocksdb/advanced_cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>

#include "store/errors/information_log.h"
#include "store/errors/space_watcher.h"
#include "store/errors/status_map.h"
#include "store/format/column_family_names.h"
#include "store/opening/live_files.h"
#include "store/opening/read_only_store.h"
#include "store/options/block_cache.h"
#include "store/options/database_defaults.h"
#include "store/statistics/statistics_collector.h"
#include "store/store_listener.h"

namespace basalt::store {
namespace {

// Table files of bulk loads that never finished, the old plugin's as well.
constexpr std::string_view kBulkLoadSuffix = ".bulk_load.tmp";
// A part of the reserve, so that a server that keeps to it never misses the space.
constexpr uint64_t kReservePerBallast = 2;

std::vector<std::string> FoldersOf(const StoreOptions& options) {
  std::vector<std::string> folders;
  for (std::string folder : {options.directory, options.wal_directory}) {
    while (folder.ends_with('/')) folder.pop_back();
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  return folders;
}

// TransactionDB::Open would have each column family keep flushed memtables for conflict checks,
// which are not used here. A size of one byte still keeps the last one, until the family is written
// to again; none at all can only be had in these steps.
rocksdb::Status OpenWithoutHistory(rocksdb::DBOptions options, const std::string& directory,
                                   std::vector<rocksdb::ColumnFamilyDescriptor> families,
                                   std::vector<rocksdb::ColumnFamilyHandle*>* handles,
                                   rocksdb::TransactionDB** opened) {
  std::vector<size_t> compacting;
  rocksdb::TransactionDB::PrepareWrap(&options, &families, &compacting);
  for (rocksdb::ColumnFamilyDescriptor& family : families) {
    family.options.max_write_buffer_size_to_maintain = 0;
  }
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Status status = rocksdb::DB::Open(options, directory, families, handles, &db);
  if (!status.ok()) return status;
  return rocksdb::TransactionDB::WrapDB(db.release(), TransactionOptionsOfDatabase(), compacting,
                                        *handles, opened);
}

}  // namespace

Store::Store(StoreOptions options)
    : options_(std::move(options)),
      cache_(NewBlockCache(options_)),
      statistics_(rocksdb::CreateDBStatistics()),
      time_to_live_(std::make_shared<TimeToLive>(options_.time_to_live)),
      policy_(options_.log, FoldersOf(options_)),
      files_{{},
             {[this](bool waits) { policy_.OnLogWaits(waits); },
              [this](const rocksdb::IOStatus& error) { policy_.OnLogFailure(error); }},
             nullptr,
             nullptr},
      database_options_(BuildDatabaseOptions()),
      families_({&options_, cache_, NewStatisticsCollectorFactory(options_.key_prefixes),
                 time_to_live_, &policy_}) {}

// Whoever wants to know how closing went calls Close() before.
Store::~Store() { (void)Close().ok(); }

Status Store::Open(StoreOptions options, std::unique_ptr<Store>* store) {
  if (options.directory.empty()) {
    return Status(Code::kInvalidArgument, "the store has no directory");
  }
  std::unique_ptr<Store> opened(new Store(std::move(options)));
  BASALT_RETURN_IF_ERROR(opened->families_.ReadOverrides());
  BASALT_RETURN_IF_ERROR(opened->PrepareDirectory());
  BASALT_RETURN_IF_ERROR(opened->OpenDatabase());
  BASALT_RETURN_IF_ERROR(opened->RemoveUnfinishedBulkLoads());
  BASALT_RETURN_IF_ERROR(opened->LoadStatistics());
  opened->StartWatcher();
  *store = std::move(opened);
  return {};
}

rocksdb::DBOptions Store::BuildDatabaseOptions() {
  statistics_->set_stats_level(options_.statistics_level);
  observed_.long_compactions = std::make_unique<LongCompactionLog>(
      options_.long_compaction,
      [this](const std::string& line) { Log(LogLevel::kInformation, line); });
  observed_.listener = std::make_shared<Listener>(&policy_, &observed_.keeper, &observed_.journal,
                                                  observed_.long_compactions.get());
  files_.ballast = std::make_unique<Ballast>(options_.directory, options_.reserved_free_bytes,
                                             kReservePerBallast);
  rocksdb::DBOptions options = DatabaseOptions(options_, cache_);
  files_.env = rocksdb::NewCompositeEnv(files_.wal_backlog.Wrap(
      files_.manifest_guard.Wrap(options.env->GetFileSystem()),
      options_.wal_directory.empty() ? options_.directory : options_.wal_directory));
  options.env = files_.env.get();
  options.statistics = statistics_;
  options.listeners.push_back(observed_.listener);
  return options;
}

Status Store::PrepareDirectory() {
  rocksdb::Env* env = database_options_.env;
  if (options_.create_if_missing) {
    BASALT_RETURN_IF_ERROR(
        MapStatus(env->CreateDirIfMissing(options_.directory), In("making the store")));
  } else if (env->FileExists(options_.directory).IsNotFound()) {
    // Before RocksDB makes the directory for its log.
    return Status(Code::kInvalidArgument,
                  options_.directory + " does not exist (create_if_missing is false)");
  }
  return ReadOnlyStore::CheckMarker(options_);
}

Status Store::RemoveUnfinishedBulkLoads() {
  rocksdb::Env* env = database_options_.env;
  std::vector<std::string> children;
  if (!env->GetChildren(options_.directory, &children).ok()) return {};
  for (const std::string& child : children) {
    if (!child.ends_with(kBulkLoadSuffix)) continue;
    BASALT_RETURN_IF_ERROR(MapStatus(env->DeleteFile(options_.directory + "/" + child),
                                     "removing an unfinished bulk load, " + child));
    ++removed_bulk_loads_;
  }
  return {};
}

Status Store::ListColumnFamilies(std::vector<std::string>* names) {
  names->clear();
  if (database_options_.env->FileExists(options_.directory + "/CURRENT").ok()) {
    BASALT_RETURN_IF_ERROR(
        MapStatus(rocksdb::DB::ListColumnFamilies(database_options_, options_.directory, names),
                  In("listing the column families")));
  }
  // In a new store they get the ids 0 and 1, in this order.
  for (const char* name : {kDefaultColumnFamilyName, kSystemColumnFamilyName}) {
    if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
  }
  return {};
}

Status Store::OpenDatabase() {
  std::vector<std::string> names;
  BASALT_RETURN_IF_ERROR(ListColumnFamilies(&names));
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) {
    rocksdb::ColumnFamilyOptions family;
    BASALT_RETURN_IF_ERROR(families_.BuildOptions(name, &family));
    families.emplace_back(name, family);
  }
  // Without a log file of its own the store still works; RocksDB's messages are lost then.
  std::shared_ptr<rocksdb::Logger> file;
  rocksdb::CreateLoggerFromOptions(options_.directory, database_options_, &file)
      .PermitUncheckedError();
  database_options_.info_log = NewInformationLog(std::move(file), options_.log);
  Status opened = OpenFamilies(families);
  if (opened.code() == Code::kNoSpace && files_.ballast->Remove()) {
    Log(LogLevel::kWarning,
        std::string(opened.message()) + "; trying again without " + std::string(Ballast::kName));
    opened = OpenFamilies(families);
  }
  BASALT_RETURN_IF_ERROR(std::move(opened));
  files_.ballast->Ensure();
  base_ = db_->GetBaseDB();
  time_to_live_->Attach(base_);
  default_ = FindColumnFamily(kDefaultColumnFamilyName);
  system_ = FindColumnFamily(kSystemColumnFamilyName);
  sync_group_ = std::make_unique<WalSyncGroup>([this] { return FlushLog(/*sync=*/true); });
  maintenance_ = std::make_unique<Maintenance>(this);
  return {};
}

Store::Maintenance::Maintenance(Store* store)
    : flushes({store->base_, store->statistics_.get(), &store->families_.all(), &store->policy_,
               &store->files_.wal_backlog, &store->observed_.keeper, &store->options_}),
      compactions({store->base_, store->statistics_.get(), &store->families_.all(),
                   &store->options_, &flushes, store->sync_group_.get(),
                   [store](const rocksdb::CompactionJobInfo& job) {
                     store->observed_.listener->CountFiles(job);
                   }}),
      checkpoints(store->base_, &store->options_, &flushes),
      settings({store->base_, store->cache_, store->statistics_.get(), &store->database_options_,
                &store->options_}) {}

Status Store::OpenFamilies(const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  BASALT_RETURN_IF_ERROR(OpenInSpiteOfDamage(families, &handles));
  families_.Attach(db_, handles);
  return {};
}

Status Store::OpenInSpiteOfDamage(const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors,
                                  std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  const auto open = [&] {
    return MapStatus(
        OpenWithoutHistory(database_options_, options_.directory, descriptors, handles, &db_),
        In("opening the store"));
  };
  Status status = open();
  if (status.code() != Code::kCorruption) return status;
  // Manifest and log are read again in the same way; if only they are well it goes on.
  OpenFilesLater(&database_options_);
  handles->clear();
  if (!open().ok()) return status;
  if (!CheckLiveFiles(db_->GetBaseDB(), database_options_.env).ok()) {
    CloseDatabase(*handles).PermitUncheckedError();
    return status;
  }
  Log(LogLevel::kError, "a table file is damaged; what needs it fails, everything else goes on: " +
                            std::string(status.message()));
  return {};
}

Status Store::LoadStatistics() {
  // Flushes and compactions run already; the keeper sorts out who was first.
  for (rocksdb::ColumnFamilyHandle* handle : families_.all().All()) {
    rocksdb::TablePropertiesCollection files;
    Status status = MapStatus(base_->GetPropertiesOfAllTables(handle, &files),
                              In("reading the properties of table files"));
    if (status.code() == Code::kCorruption) {
      LoadStatisticsOneByOne(handle);
      continue;
    }
    BASALT_RETURN_IF_ERROR(std::move(status));
    for (const auto& [path, properties] : files) {
      observed_.keeper.AddFile(StatisticsKeeper::FileNumber(path),
                               StatisticsKeeper::PropertyOf(*properties));
    }
  }
  return {};
}

void Store::LoadStatisticsOneByOne(rocksdb::ColumnFamilyHandle* handle) {
  std::vector<rocksdb::LiveFileMetaData> files;
  base_->GetLiveFilesMetaData(&files);
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (file.column_family_name != handle->GetName()) continue;
    const std::string path = file.db_path + file.name;
    rocksdb::SstFileReader reader(base_->GetOptions(handle));
    // The rows of a file that cannot be read count for nothing in estimates.
    const bool readable = reader.Open(path).ok();
    observed_.keeper.AddFile(
        StatisticsKeeper::FileNumber(path),
        readable ? StatisticsKeeper::PropertyOf(*reader.GetTableProperties()) : Bytes());
  }
}

void Store::StartWatcher() {
  SpaceWatcher::Target target;
  target.env = database_options_.env;
  target.directories.push_back(options_.directory);
  if (!options_.wal_directory.empty()) target.directories.push_back(options_.wal_directory);
  target.reserved_bytes = options_.reserved_free_bytes;
  watcher_ = std::make_unique<SpaceWatcher>(std::move(target), &policy_, [this] {
    // What cannot be resumed yet is tried again in a moment; the policy has the message.
    (void)ResumeWriting().ok();
  });
  watcher_->CheckNow();
  watcher_->Start();
}

Status Store::Close() {
  if (closed_) return {};
  closed_ = true;
  if (db_ == nullptr) return {};
  const BackgroundRateLimiter::Hurry hurry(options_.rate_limiter.get());
  Status result = SyncWal(/*sync=*/true);
  files_.wal_backlog.Release();
  // A recovery that the watcher has begun does not wait for its flush any more then.
  rocksdb::CancelAllBackgroundWork(base_, /*wait=*/false);
  if (watcher_) watcher_->Stop();
  rocksdb::CancelAllBackgroundWork(base_, /*wait=*/true);
  if (maintenance_) maintenance_->compactions.WaitForLeft();
  time_to_live_->Detach();
  const auto handles = families_.Detach();
  const rocksdb::Status closed = CloseDatabase(handles);
  base_ = nullptr;
  if (result.ok()) result = MapStatus(closed, In("closing the store"));
  return result;
}

rocksdb::Status Store::CloseDatabase(const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  rocksdb::Status closed = db_->Close();
  delete db_;
  db_ = nullptr;
  return closed;
}

std::string Store::In(std::string_view what) const {
  return std::string(what) + " in " + options_.directory;
}

void Store::Log(LogLevel level, std::string_view text) const {
  if (options_.log) options_.log(level, text);
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
  const MemtableRoom::Place place = flushes().room().Take(*batch);
  while (true) {
    const rocksdb::Status written = base_->Write(options, batch);
    if (!written.IsIncomplete()) return MapStatus(written, "writing without the log");
    BASALT_RETURN_IF_ERROR(maintenance_->flushes.WaitForFlush());
  }
}

// What a full disk keeps from the log is not durable, whatever RocksDB says.
rocksdb::Status Store::FlushLog(bool sync) {
  if (!files_.wal_backlog.pending() || files_.wal_backlog.Drain()) {
    const WalBacklog::SyncScope looks_at_pending;
    const rocksdb::Status flushed = base_->FlushWAL(sync);
    if (!flushed.ok() || !files_.wal_backlog.pending()) return flushed;
  }
  return rocksdb::Status::NoSpace("what was written waits in memory for free space");
}

Status Store::SyncWal(bool sync, WalCommitter* committer) {
  if (sync) return MapStatus(sync_group_->Sync(committer), "making the log durable");
  return MapStatus(FlushLog(/*sync=*/false), "writing the log");
}

Status Store::ResumeWriting() {
  if (watcher_) watcher_->CheckNow();
  if (files_.wal_backlog.pending()) files_.wal_backlog.Drain();
  if (policy_.ResumeIsWorthTrying()) {
    // Success is what OnErrorRecoveryEnd tells. RocksDB tells of an error before it counts it: for
    // that moment Resume finds nothing to do, and it is Ok though all is as bad as before.
    const rocksdb::Status status = base_->Resume();
    if (!status.ok()) policy_.OnResumeFailed(status);
  }
  if (writing_allowed()) files_.ballast->Ensure();
  return CheckWritingAllowed();
}

}  // namespace basalt::store
