// SPDX-License-Identifier: GPL-2.0-only
#include "store/opening/read_only_store.h"

#include <utility>

#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

#include "base/bytes.h"
#include "store/errors/information_log.h"
#include "store/errors/status_map.h"
#include "store/format/auto_increment_merge_operator.h"
#include "store/format/column_family_names.h"
#include "store/format/comparator.h"
#include "store/opening/live_files.h"
#include "store/options/database_defaults.h"
#include "store/wal/wal_repair.h"

namespace basalt::store {
namespace {

// Left in the directory by the old plugin when it has read damaged data.
constexpr std::string_view kCorruptionMarker = "ROCKSDB_CORRUPTED";
// Few table files are opened: those of the dictionary, one after the other.
constexpr int kOpenFiles = 20;

// Says whether a batch of the log changes the dictionary. Counters do not count: a transaction
// with rows has one for each table, and nothing is decided by them.
class FindsDictionaryChange final : public rocksdb::WriteBatch::Handler {
 public:
  explicit FindsDictionaryChange(uint32_t system) : system_(system) {}
  bool found() const { return found_; }

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return Look(family);
  }
  rocksdb::Status DeleteCF(uint32_t family, const rocksdb::Slice&) override { return Look(family); }
  rocksdb::Status SingleDeleteCF(uint32_t family, const rocksdb::Slice&) override {
    return Look(family);
  }
  rocksdb::Status DeleteRangeCF(uint32_t family, const rocksdb::Slice&,
                                const rocksdb::Slice&) override {
    return Look(family);
  }
  rocksdb::Status MergeCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status MarkNoop(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkBeginPrepare(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkEndPrepare(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkCommit(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkRollback(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  void LogData(const rocksdb::Slice&) override {}
  bool Continue() override { return !found_; }

 private:
  rocksdb::Status Look(uint32_t family) {
    found_ = found_ || family == system_;
    return rocksdb::Status::OK();
  }

  const uint32_t system_;
  bool found_ = false;
};

rocksdb::Env* EnvFor(const StoreOptions& options) {
  return options.env != nullptr ? options.env : rocksdb::Env::Default();
}

rocksdb::ColumnFamilyOptions FamilyOptions(const std::string& name) {
  rocksdb::ColumnFamilyOptions family;
  family.comparator = ComparatorFor(name);
  if (name == kSystemColumnFamilyName) family.merge_operator = NewAutoIncrementMergeOperator();
  return family;
}

}  // namespace

// Passes on of the log what concerns the dictionary, so that a log of any size needs neither the
// memory nor the time of a replay.
class ReadOnlyStore::DictionaryOnly final : public rocksdb::WalFilter {
 public:
  const char* Name() const override { return "basalt_dictionary_only"; }

  void ColumnFamilyLogNumberMap(const std::map<uint32_t, uint64_t>& first_logs,
                                const std::map<std::string, uint32_t>& ids) override {
    all_first_logs_.clear();
    for (const auto& [family, log] : first_logs) all_first_logs_.push_back(log);
    const auto id = ids.find(kSystemColumnFamilyName);
    if (id == ids.end()) return;
    system_ = id->second;
    const auto first = first_logs.find(system_);
    if (first != first_logs.end()) first_log_ = first->second;
  }

  WalProcessingOption LogRecordFound(unsigned long long log, const std::string&,
                                     const rocksdb::WriteBatch& batch, rocksdb::WriteBatch*,
                                     bool*) override {
    // What older logs say of the dictionary is in its table files.
    if (log < first_log_) return WalProcessingOption::kIgnoreCurrentRecord;
    FindsDictionaryChange handler(system_);
    // What cannot be read is for the replay to judge.
    if (!batch.Iterate(&handler).ok()) return WalProcessingOption::kContinueProcessing;
    return handler.found() ? WalProcessingOption::kContinueProcessing
                           : WalProcessingOption::kIgnoreCurrentRecord;
  }

  const std::vector<uint64_t>& all_first_logs() const { return all_first_logs_; }

 private:
  std::vector<uint64_t> all_first_logs_;
  uint32_t system_ = 1;
  uint64_t first_log_ = 0;
};

// Holds the lock that every opening takes, so that the directory of a running server is refused
// for that reason and not for what it looks like in the middle of its work.
class ReadOnlyStore::DirectoryLock {
 public:
  DirectoryLock(rocksdb::Env* env, std::string path) : env_(env), path_(std::move(path)) {}
  ~DirectoryLock() {
    if (lock_ == nullptr) return;
    env_->UnlockFile(lock_).PermitUncheckedError();
    if (made_) env_->DeleteFile(path_).PermitUncheckedError();
  }

  Status Acquire() {
    made_ = !env_->FileExists(path_).ok();
    const rocksdb::Status locked = env_->LockFile(path_, &lock_);
    // RocksDB has one status for a lock that is taken and for a disk that does not even let the
    // file be opened; its words tell them apart.
    const bool opened = locked.ToString().find("while open a file") == std::string::npos;
    return MapStatus(locked, opened ? "another process has the store open"
                                    : "the store's directory cannot be written");
  }

 private:
  rocksdb::Env* const env_;
  const std::string path_;
  rocksdb::FileLock* lock_ = nullptr;
  bool made_ = false;
};

ReadOnlyStore::ReadOnlyStore(std::string directory) : directory_(std::move(directory)) {}

ReadOnlyStore::~ReadOnlyStore() {
  if (db_ == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  db_->Close().PermitUncheckedError();
}

Status ReadOnlyStore::CheckMarker(const StoreOptions& options) {
  const std::string marker = options.directory + "/" + std::string(kCorruptionMarker);
  if (options.ignore_corruption_marker || !EnvFor(options)->FileExists(marker).ok()) return {};
  return Status(Code::kCorruption,
                "the file " + marker +
                    " says that damaged data was met here; check the disk, then restore a backup, "
                    "or set rocksdb_allow_to_start_after_corruption to save what can be read");
}

Status ReadOnlyStore::Open(const StoreOptions& options, std::unique_ptr<ReadOnlyStore>* read_only) {
  read_only->reset();
  rocksdb::Env* env = EnvFor(options);
  const std::string& directory = options.directory;
  BASALT_RETURN_IF_ERROR(CheckMarker(options));
  if (!env->FileExists(directory + "/CURRENT").ok()) return {};
  std::unique_ptr<ReadOnlyStore> opened(new ReadOnlyStore(directory));
  opened->lock_ = std::make_unique<DirectoryLock>(env, directory + "/LOCK");
  Status status = opened->lock_->Acquire();
  if (status.ok()) status = ReadOptionsFile(env, directory, &opened->options_file_);
  if (status.ok()) status = CheckOptionsFile(opened->options_file_);
  if (status.ok()) status = opened->OpenReadOnly(options);
  if (!status.ok()) return opened->Refuse(status);
  *read_only = std::move(opened);
  return {};
}

Status ReadOnlyStore::Refuse(const Status& reason) const {
  return Status(reason.code(),
                "the store in " + directory_ +
                    " cannot be served and is left as it is: " + std::string(reason.message()));
}

Status ReadOnlyStore::CheckEmpty() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  if (files.empty()) return {};
  return Refuse(Status(Code::kCorruption, std::string("it has data but no column family ") +
                                              kSystemColumnFamilyName +
                                              ": neither MyRocks nor Basalt has made it"));
}

Status ReadOnlyStore::OpenReadOnly(const StoreOptions& options) {
  rocksdb::DBOptions db = DatabaseOptions(options, nullptr);
  db.max_open_files = kOpenFiles;
  // Without one RocksDB would begin a new LOG.
  db.info_log = NewInformationLog(nullptr, [this](LogLevel, std::string_view text) {
    if (text.find(kReplayStopped) == std::string_view::npos) return;
    if (!log_is_torn_.exchange(true)) torn_ = text;
  });
  db.skip_stats_update_on_db_open = true;
  filter_ = std::make_unique<DictionaryOnly>();
  db.wal_filter = filter_.get();
  Status opened = OpenFamilies(options.directory, db);
  if (opened.code() == Code::kCorruption && log_is_torn_ && MayReadPast(options)) {
    // An old torn end. RocksDB goes on behind it when the next entry has the next number; but the
    // filter leaves entries out, so it takes the end for a hole.
    db.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
    opened = OpenFamilies(options.directory, db);
  }
  if (opened.code() == Code::kCorruption) {
    // A damaged table file is no reason to refuse, unless the dictionary lies in it; one that is
    // missing or cut off is: nobody knows then what else is.
    OpenFilesLater(&db);
    if (OpenFamilies(options.directory, db).ok() && CheckLiveFiles(db_.get(), db.env).ok()) {
      opened = {};
    }
  }
  if (!opened.ok() && log_is_torn_) {
    return Status(opened.code(), std::string(opened.message()) + " (" + torn_ + ")");
  }
  BASALT_RETURN_IF_ERROR(std::move(opened));
  TakeHandles();
  return {};
}

bool ReadOnlyStore::MayReadPast(const StoreOptions& options) const {
  TornWalFiles torn;
  return CutsTornWalFiles(options) && FindTornWalFiles(options, first_logs(), &torn).ok() &&
         !torn.cuts.empty() && torn.ends_only;
}

Status ReadOnlyStore::OpenFamilies(const std::string& directory, const rocksdb::DBOptions& db) {
  std::vector<std::string> names;
  BASALT_RETURN_IF_ERROR(MapStatus(rocksdb::DB::ListColumnFamilies(db, directory, &names),
                                   "listing the column families"));
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.reserve(names.size());
  for (const std::string& name : names) descriptors.emplace_back(name, FamilyOptions(name));
  handles_.clear();
  return MapStatus(rocksdb::DB::OpenForReadOnly(db, directory, descriptors, &handles_, &db_),
                   "reading it");
}

std::vector<uint64_t> ReadOnlyStore::first_logs() const { return filter_->all_first_logs(); }

void ReadOnlyStore::TakeHandles() {
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    names_[handle->GetID()] = handle->GetName();
    if (handle->GetName() == kSystemColumnFamilyName) system_ = handle;
  }
}

}  // namespace basalt::store
