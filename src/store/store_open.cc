// SPDX-License-Identifier: GPL-2.0-only

// Opening and closing a store; store.cc has the rest of the class.

#include <algorithm>
#include <utility>

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>

#include "store/errors/information_log.h"
#include "store/errors/space_watcher.h"
#include "store/opening/live_files.h"
#include "store/opening/read_only_store.h"
#include "store/options/block_memory.h"
#include "store/options/column_family_defaults.h"
#include "store/options/database_defaults.h"
#include "store/options/memory_budget.h"
#include "store/statistics/statistics_collector.h"
#include "store/store.h"
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

}  // namespace

Store::Store(StoreOptions options)
    : options_(std::move(options)),
      time_to_live_(std::make_shared<TimeToLive>(options_.time_to_live)),
      policy_(options_.log, FoldersOf(options_)),
      backlog_([this](bool waits) { policy_.OnLogWaits(waits); },
               [this](const rocksdb::IOStatus& error) { policy_.OnLogFailure(error); }) {}

// Whoever wants to know how closing went calls Close() before.
Store::~Store() { (void)Close().ok(); }

Status Store::Open(StoreOptions options, std::unique_ptr<Store>* store) {
  if (options.directory.empty()) {
    return Status(Code::kInvalidArgument, "the store has no directory");
  }
  std::unique_ptr<Store> opened(new Store(std::move(options)));
  BASALT_RETURN_IF_ERROR(ParseColumnFamilyOverrides(opened->options_.override_column_family_options,
                                                    "rocksdb_override_cf_options",
                                                    &opened->overrides_));
  opened->BuildDatabaseOptions();
  rocksdb::ColumnFamilyOptions checked;
  BASALT_RETURN_IF_ERROR(opened->BuildColumnFamilyOptions(kDefaultColumnFamilyName, &checked));
  // Of families that are not there yet as well: some CREATE would fail by a mistake of this file.
  for (const auto& [name, text] : opened->overrides_) {
    BASALT_RETURN_IF_ERROR(opened->BuildColumnFamilyOptions(name, &checked));
  }
  BASALT_RETURN_IF_ERROR(opened->PrepareDirectory());
  BASALT_RETURN_IF_ERROR(opened->OpenDatabase());
  BASALT_RETURN_IF_ERROR(opened->RemoveUnfinishedBulkLoads());
  BASALT_RETURN_IF_ERROR(opened->LoadStatistics());
  opened->StartWatcher();
  *store = std::move(opened);
  return {};
}

void Store::BuildDatabaseOptions() {
  rocksdb::HyperClockCacheOptions cache(options_.block_cache_bytes);
  cache.memory_allocator = NewBlockMemory();
  cache_ = cache.MakeSharedCache();
  statistics_ = rocksdb::CreateDBStatistics();
  statistics_->set_stats_level(options_.statistics_level);
  collector_factory_ = NewStatisticsCollectorFactory(options_.key_prefixes);
  listener_ = std::make_shared<Listener>(&policy_, &keeper_, &journal_);
  database_options_ = DatabaseOptions(options_, cache_);
  ballast_ = std::make_unique<Ballast>(options_.directory, options_.reserved_free_bytes,
                                       kReservePerBallast);
  env_ = rocksdb::NewCompositeEnv(
      backlog_.Wrap(manifest_guard_.Wrap(database_options_.env->GetFileSystem()),
                    options_.wal_directory.empty() ? options_.directory : options_.wal_directory));
  database_options_.env = env_.get();
  database_options_.statistics = statistics_;
  database_options_.listeners.push_back(listener_);
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

Status Store::BuildColumnFamilyOptions(const std::string& name,
                                       rocksdb::ColumnFamilyOptions* options) const {
  *options = DefaultColumnFamilyOptions(name, options_, cache_);
  BASALT_RETURN_IF_ERROR(ApplyColumnFamilyOptionString(options_.default_column_family_options,
                                                       "rocksdb_default_cf_options", options));
  if (const auto found = overrides_.find(name); found != overrides_.end()) {
    BASALT_RETURN_IF_ERROR(ApplyColumnFamilyOptionString(
        found->second, "rocksdb_override_cf_options for " + name, options));
  }
  if (options->arena_block_size == 0) {
    options->arena_block_size = MemtableBlockBytes(options->write_buffer_size);
  }
  options->table_properties_collector_factories.push_back(collector_factory_);
  if (options_.deletion_trigger != nullptr) {
    options->table_properties_collector_factories.push_back(
        NewDeletionTriggerFactory(options_.deletion_trigger));
  }
  if (name != kSystemColumnFamilyName) {
    options->compaction_filter_factory = NewExpiryFilterFactory(time_to_live_);
  }
  return {};
}

Status Store::OpenDatabase() {
  std::vector<std::string> names;
  BASALT_RETURN_IF_ERROR(ListColumnFamilies(&names));
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) {
    rocksdb::ColumnFamilyOptions family;
    BASALT_RETURN_IF_ERROR(BuildColumnFamilyOptions(name, &family));
    families.emplace_back(name, family);
  }
  // Without a log file of its own the store still works; RocksDB's messages are lost then.
  std::shared_ptr<rocksdb::Logger> file;
  rocksdb::CreateLoggerFromOptions(options_.directory, database_options_, &file)
      .PermitUncheckedError();
  database_options_.info_log = NewInformationLog(std::move(file), options_.log);
  Status opened = OpenFamilies(families);
  if (opened.code() == Code::kNoSpace && ballast_->Drop()) {
    Log(LogLevel::kWarning,
        std::string(opened.message()) + "; trying again without " + std::string(Ballast::kName));
    opened = OpenFamilies(families);
  }
  BASALT_RETURN_IF_ERROR(std::move(opened));
  ballast_->Load();
  base_ = db_->GetBaseDB();
  time_to_live_->Attach(base_);
  default_ = FindColumnFamily(kDefaultColumnFamilyName);
  system_ = FindColumnFamily(kSystemColumnFamilyName);
  sync_group_ = std::make_unique<WalSyncGroup>([this] { return FlushLog(/*sync=*/true); });
  return {};
}

Status Store::OpenFamilies(const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  BASALT_RETURN_IF_ERROR(OpenInSpiteOfDamage(families, &handles));
  for (rocksdb::ColumnFamilyHandle* handle : handles) families_.Add(handle);
  return {};
}

Status Store::OpenInSpiteOfDamage(const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors,
                                  std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  const auto open = [&] {
    return MapStatus(rocksdb::TransactionDB::Open(database_options_, TransactionOptionsOfDatabase(),
                                                  options_.directory, descriptors, handles, &db_),
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
  for (rocksdb::ColumnFamilyHandle* handle : families_.All()) {
    rocksdb::TablePropertiesCollection files;
    Status status = MapStatus(base_->GetPropertiesOfAllTables(handle, &files),
                              In("reading the properties of table files"));
    if (status.code() == Code::kCorruption) {
      LoadStatisticsOneByOne(handle);
      continue;
    }
    BASALT_RETURN_IF_ERROR(std::move(status));
    for (const auto& [path, properties] : files) {
      keeper_.AddFile(StatisticsKeeper::FileNumber(path),
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
    keeper_.AddFile(
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
  backlog_.Release();
  // A recovery that the watcher has begun does not wait for its flush any more then.
  rocksdb::CancelAllBackgroundWork(base_, /*wait=*/false);
  if (watcher_) watcher_->Stop();
  rocksdb::CancelAllBackgroundWork(base_, /*wait=*/true);
  time_to_live_->Detach();
  const auto handles = families_.AllEver();
  families_.Clear();
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

}  // namespace basalt::store
