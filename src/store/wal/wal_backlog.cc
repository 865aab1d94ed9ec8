// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_backlog.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "store/wal/wal_page_cache.h"
#include "store/wal/wal_preallocation.h"

namespace basalt::store {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

// Writes stop when the first byte waits, so that only what is under way can come on top.
constexpr size_t kMostBytes = size_t{1} << 30;

constexpr std::chrono::milliseconds kBetweenTries{200};

thread_local bool looks_at_pending = false;

bool IsLog(std::string_view path, std::string_view directory) {
  constexpr std::string_view kSuffix = ".log";
  if (!path.ends_with(kSuffix) || !path.starts_with(directory)) return false;
  path.remove_suffix(kSuffix.size());
  std::string_view stem = path.substr(directory.size());
  stem.remove_prefix(std::min(stem.find_first_not_of('/'), stem.size()));
  return !stem.empty() && stem.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// One log file. `file` is null while even making it found no space.
struct WalBacklog::Log {
  rocksdb::FileSystem* system = nullptr;
  std::string path;
  rocksdb::FileOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  uint64_t written = 0;
  WalPreallocation ahead;
  WalPageCache cached;
  std::string waiting;
  IOStatus failure;     // the first error that was not a full disk
  bool closed = false;  // RocksDB is through with it
  // RocksDB takes it for synced (SyncScope) though bytes of it wait: Drain syncs it.
  bool owes_sync = false;
};

// What RocksDB holds of a log.
class WalBacklog::File final : public rocksdb::FSWritableFile {
 public:
  File(WalBacklog* backlog, std::shared_ptr<Log> log) : backlog_(backlog), log_(std::move(log)) {}
  ~File() override { backlog_->Close(log_).PermitUncheckedError(); }

  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    MutexLock lock(backlog_->mutex_);
    if (backlog_->pending() && log_->failure.ok()) {
      return backlog_->Wait(log_, std::string_view(data.data(), data.size()));
    }
    const uint64_t before = log_->written;
    IOStatus written = backlog_->Append(log_.get(), data);
    if (!written.IsNoSpace()) return written;
    const size_t done = log_->written - before;
    return backlog_->Wait(log_, std::string_view(data.data() + done, data.size() - done));
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* context) override {
    return Append(data, options, context);
  }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    return backlog_->Sync(log_, /*full=*/false);
  }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return backlog_->Sync(log_, /*full=*/true);
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return backlog_->Close(log_); }
  bool IsSyncThreadSafe() const override { return true; }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override {
    MutexLock lock(backlog_->mutex_);
    return log_->written + log_->waiting.size();
  }

  // Space that is asked for ahead, and write-back: what does not work now is no error.
  void SetPreallocationBlockSize(size_t size) override {
    FSWritableFile::SetPreallocationBlockSize(size);
    if (log_->file) log_->file->SetPreallocationBlockSize(size);
  }
  void GetPreallocationStatus(size_t* block_size, size_t* last_allocated_block) override {
    if (log_->file) log_->file->GetPreallocationStatus(block_size, last_allocated_block);
  }
  void PrepareWrite(size_t offset, size_t length, const IOOptions& options,
                    IODebugContext* context) override {
    if (log_->file) log_->file->PrepareWrite(offset, length, options, context);
  }
  IOStatus RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options,
                     IODebugContext* context) override {
    if (backlog_->pending() || !log_->file) return IOStatus::OK();
    return log_->file->RangeSync(offset, bytes, options, context);
  }
  void SetWriteLifeTimeHint(rocksdb::Env::WriteLifeTimeHint hint) override {
    FSWritableFile::SetWriteLifeTimeHint(hint);
    if (log_->file) log_->file->SetWriteLifeTimeHint(hint);
  }

 private:
  WalBacklog* const backlog_;
  const std::shared_ptr<Log> log_;
};

class WalBacklog::Files final : public rocksdb::FileSystemWrapper {
 public:
  Files(const std::shared_ptr<rocksdb::FileSystem>& target, std::string directory,
        WalBacklog* backlog)
      : FileSystemWrapper(target), directory_(std::move(directory)), backlog_(backlog) {
    while (directory_.ends_with('/')) directory_.pop_back();
  }
  const char* Name() const override { return "basalt_log_backlog"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* context) override {
    if (!IsLog(path, directory_)) return target()->NewWritableFile(path, options, result, context);
    auto log = std::make_shared<Log>();
    log->system = target();
    log->path = path;
    log->options = options;
    IOStatus made = target()->NewWritableFile(path, options, &log->file, context);
    if (made.IsNoSpace()) {
      log->file.reset();
      MutexLock lock(backlog_->mutex_);
      made = backlog_->Wait(log, {});
    }
    if (made.ok()) *result = std::make_unique<File>(backlog_, std::move(log));
    return made;
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* context) override {
    if (IsLog(path, directory_)) backlog_->Forget(path);
    return target()->DeleteFile(path, options, context);
  }

 private:
  std::string directory_;
  WalBacklog* const backlog_;
};

WalBacklog::SyncScope::SyncScope() { looks_at_pending = true; }
WalBacklog::SyncScope::~SyncScope() { looks_at_pending = false; }

WalBacklog::WalBacklog(std::function<void(bool pending)> on_change,
                       std::function<void(const IOStatus&)> on_failure)
    : on_change_(std::move(on_change)), on_failure_(std::move(on_failure)) {}

std::shared_ptr<rocksdb::FileSystem> WalBacklog::Wrap(
    const std::shared_ptr<rocksdb::FileSystem>& target, std::string directory) {
  return std::make_shared<Files>(target, std::move(directory), this);
}

uint64_t WalBacklog::bytes() const {
  MutexLock lock(mutex_);
  uint64_t sum = 0;
  for (const auto& log : waiting_) sum += log->waiting.size();
  return sum;
}

bool WalBacklog::Drain() {
  MutexLock lock(mutex_);
  return DrainAll();
}

bool WalBacklog::DrainAll() {
  while (!waiting_.empty()) {
    if (!DrainOne(waiting_.front().get())) return false;
    waiting_.erase(waiting_.begin());
    drained_.NotifyAll();
  }
  if (pending_.exchange(false, std::memory_order_release)) on_change_(false);
  return true;
}

bool WalBacklog::DrainOne(Log* log) {
  if (!log->failure.ok()) return false;
  if (!log->file) {
    IOStatus made = log->system->NewWritableFile(log->path, log->options, &log->file, nullptr);
    // RocksDB has synced the directory when the name was not in it yet.
    if (made.ok()) made = SyncDirectoryOf(*log);
    if (!made.ok()) {
      log->file.reset();
      if (!made.IsNoSpace()) Failed(log, std::move(made)).PermitUncheckedError();
      return false;
    }
  }
  const uint64_t before = log->written;
  const IOStatus written = Append(log, log->waiting);
  log->waiting.erase(0, log->written - before);
  if (!written.ok()) return false;
  log->waiting.shrink_to_fit();
  if (log->owes_sync) {
    IOStatus synced = log->file->Fsync(IOOptions(), nullptr);
    if (!synced.ok()) {
      Failed(log, std::move(synced)).PermitUncheckedError();
      return false;
    }
    log->owes_sync = false;
  }
  if (log->closed) CloseFile(log).PermitUncheckedError();
  return true;
}

IOStatus WalBacklog::SyncDirectoryOf(const Log& log) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const std::string path = log.path.substr(0, log.path.rfind('/'));
  IOStatus status = log.system->NewDirectory(path, IOOptions(), &directory, nullptr);
  if (status.ok()) status = directory->Fsync(IOOptions(), nullptr);
  return status;
}

IOStatus WalBacklog::Append(Log* log, const Slice& data) {
  if (!log->failure.ok()) return log->failure;
  BASALT_ASSERT(waiting_.empty() || waiting_.front().get() == log,
                "B1: while bytes of one log wait, those of all later ones do");
  // By position: what a failed write has left behind is written over by the next try.
  IOStatus written = log->file->PositionedAppend(data, log->written, IOOptions(), nullptr);
  if (written.ok()) {
    log->written += data.size();
  } else if (!written.IsNoSpace()) {
    return Failed(log, std::move(written));
  }
  return written;
}

IOStatus WalBacklog::Wait(const std::shared_ptr<Log>& log, std::string_view data) {
  if (log->waiting.size() + data.size() > kMostBytes) {
    return Failed(log.get(), IOStatus::NoSpace("the disk is full, and so is the log's backlog"));
  }
  log->waiting.append(data);
  if (!Waits(log)) waiting_.push_back(log);
  if (!pending_.exchange(true, std::memory_order_release)) on_change_(true);
  return IOStatus::OK();
}

IOStatus WalBacklog::Failed(Log* log, IOStatus error) {
  log->failure = error;
  if (!failed_) on_failure_(error);
  failed_ = true;
  drained_.NotifyAll();
  return error;
}

IOStatus WalBacklog::Sync(const std::shared_ptr<Log>& log, bool full) {
  MutexLock lock(mutex_);
  if (!log->failure.ok()) return log->failure;
  if (Waits(log) && !DrainAll()) {
    if (looks_at_pending && log->failure.ok()) {
      log->owes_sync = true;
      return IOStatus::OK();
    }
    // Whoever drains otherwise may be waiting for the flush that this sync belongs to.
    do {
      drained_.WaitFor(lock, kBetweenTries);
    } while (!released_ && !failed_ && !DrainAll() && Waits(log));
    if (log->failure.ok() && Waits(log)) {
      return IOStatus::NoSpace("the log waits for space", log->path);
    }
  }
  if (!log->failure.ok()) return log->failure;
  BASALT_ASSERT(!Waits(log), "B2: no sync of a log succeeds while bytes of it wait");
  rocksdb::FSWritableFile* const file = log->file.get();
  log->ahead.BeforeSync(file, log->written);
  const WalPageCache::Range cached = log->cached.TakeRange(log->written);
  lock.Unlock();
  IOStatus synced = full ? file->Fsync(IOOptions(), nullptr) : file->Sync(IOOptions(), nullptr);
  if (synced.ok()) {
    // Pages that stay cost memory only.
    if (cached.bytes > 0) {
      file->InvalidateCache(cached.offset, cached.bytes).PermitUncheckedError();
    }
    return synced;
  }
  lock.Lock();
  return Failed(log.get(), std::move(synced));
}

bool WalBacklog::Waits(const std::shared_ptr<Log>& log) const {
  return std::find(waiting_.begin(), waiting_.end(), log) != waiting_.end();
}

IOStatus WalBacklog::Close(const std::shared_ptr<Log>& log) {
  MutexLock lock(mutex_);
  if (log->closed) return IOStatus::OK();
  log->closed = true;
  // Its file stays open for what waits.
  if (Waits(log) || !log->file) return IOStatus::OK();
  return CloseFile(log.get());
}

IOStatus WalBacklog::CloseFile(Log* log) {
  log->ahead.BeforeClose(log->file.get(), log->written);
  return log->file->Close(IOOptions(), nullptr);
}

void WalBacklog::Forget(const std::string& path) {
  MutexLock lock(mutex_);
  std::erase_if(waiting_, [&](const auto& log) { return log->path == path; });
  if (waiting_.empty()) DrainAll();
}

void WalBacklog::Release() {
  {
    MutexLock lock(mutex_);
    released_ = true;
  }
  drained_.NotifyAll();
}

}  // namespace basalt::store
