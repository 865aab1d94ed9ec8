// SPDX-License-Identifier: GPL-2.0-only
#include "unit/store/faulty_file_system.h"

#include <filesystem>
#include <random>
#include <utility>

namespace basalt::test {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class FaultyFileSystem::WritableFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WritableFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path,
               FaultyFileSystem* system)
      : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), system_(system) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    const IOStatus status = system_->Check(kAppend, path_);
    return status.ok() ? target()->Append(data, options, context) : status;
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*information*/,
                  IODebugContext* context) override {
    return Append(data, options, context);
  }
  // A disk that fills up takes a part of what is written.
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* context) override {
    const IOStatus status = system_->Check(kAppend, path_);
    if (status.ok() || !status.IsNoSpace()) {
      return status.ok() ? target()->PositionedAppend(data, offset, options, context) : status;
    }
    const Slice half(data.data(), data.size() / 2);
    target()->PositionedAppend(half, offset, options, context).PermitUncheckedError();
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return Durable(target()->GetFileSize(options, context),
                   [&] { return target()->Sync(options, context); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return Durable(target()->GetFileSize(options, context),
                   [&] { return target()->Fsync(options, context); });
  }

 private:
  template <typename Call>
  IOStatus Durable(uint64_t size, Call call) {
    IOStatus status = system_->Check(kSync, path_);
    if (status.ok()) status = call();
    if (status.ok()) system_->NoteSynced(path_, size);
    return status;
  }

  const std::string path_;
  FaultyFileSystem* const system_;
};

class FaultyFileSystem::RandomAccessFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  RandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, std::string path,
                   FaultyFileSystem* system)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), path_(std::move(path)), system_(system) {}
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* context) const override {
    const IOStatus status = system_->Check(kRead, path_);
    return status.ok() ? target()->Read(offset, n, options, result, scratch, context) : status;
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* context) override {
    const IOStatus status = system_->Check(kRead, path_);
    return status.ok() ? target()->MultiRead(requests, count, options, context) : status;
  }

 private:
  const std::string path_;
  FaultyFileSystem* const system_;
};

class FaultyFileSystem::SequentialFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  SequentialFile(std::unique_ptr<rocksdb::FSSequentialFile> file, std::string path,
                 FaultyFileSystem* system)
      : FSSequentialFileOwnerWrapper(std::move(file)), path_(std::move(path)), system_(system) {}
  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* context) override {
    const IOStatus status = system_->Check(kRead, path_);
    return status.ok() ? target()->Read(n, options, result, scratch, context) : status;
  }

 private:
  const std::string path_;
  FaultyFileSystem* const system_;
};

class FaultyFileSystem::Directory : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(std::unique_ptr<rocksdb::FSDirectory>&& directory, std::string path,
            FaultyFileSystem* system)
      : FSDirectoryWrapper(std::move(directory)), path_(std::move(path)), system_(system) {}
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return Durable(FSDirectoryWrapper::Fsync(options, context));
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context,
                               const rocksdb::DirFsyncOptions& directory_options) override {
    return Durable(FSDirectoryWrapper::FsyncWithDirOptions(options, context, directory_options));
  }

 private:
  IOStatus Durable(IOStatus status) {
    if (status.ok()) status = system_->Check(kDirectorySync, path_);
    if (status.ok()) system_->NoteDirectorySynced(path_);
    return status;
  }

  const std::string path_;
  FaultyFileSystem* const system_;
};

void FaultyFileSystem::Fail(std::string part, Fault fault) {
  std::lock_guard lock(mutex_);
  part_ = std::move(part);
  fault_ = fault;
  kinds_ = fault == Fault::kNoSpace ? kAppend : kAppend | kSync;
  left_ = 0;
  stays_ = true;
  fired_ = false;
}

void FaultyFileSystem::FailFrom(uint64_t nth, unsigned kinds, Fault fault, bool stays) {
  std::lock_guard lock(mutex_);
  part_.clear();
  fault_ = fault;
  kinds_ = kinds;
  left_ = nth - 1;
  stays_ = stays;
  fired_ = false;
}

void FaultyFileSystem::Heal() {
  std::lock_guard lock(mutex_);
  fault_ = Fault::kNone;
}

bool FaultyFileSystem::fired() const {
  std::lock_guard lock(mutex_);
  return fired_;
}

void FaultyFileSystem::SetFreeSpace(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  free_space_ = bytes;
}

IOStatus FaultyFileSystem::Check(Io kind, const std::string& path) {
  std::lock_guard lock(mutex_);
  // RocksDB's own information log is nobody's data.
  if (fault_ == Fault::kNone || (kinds_ & kind) == 0 || path.ends_with("/LOG") ||
      path.find(part_) == std::string::npos) {
    return IOStatus::OK();
  }
  if (left_ > 0) {
    --left_;
    return IOStatus::OK();
  }
  const Fault fault = fault_;
  fired_ = true;
  if (!stays_) fault_ = Fault::kNone;
  return fault == Fault::kNoSpace ? IOStatus::NoSpace("injected: no space", path)
                                  : IOStatus::IOError("injected: I/O error", path);
}

void FaultyFileSystem::NoteSynced(const std::string& path, uint64_t size) {
  std::lock_guard lock(mutex_);
  synced_[path] = size;
}

void FaultyFileSystem::NoteDirectorySynced(const std::string& directory) {
  std::lock_guard lock(mutex_);
  std::erase_if(unsynced_names_, [&](const std::string& path) {
    return std::filesystem::path(path).parent_path() == std::filesystem::path(directory);
  });
}

void FaultyFileSystem::CutPower(uint32_t seed) {
  std::lock_guard lock(mutex_);
  std::mt19937 random(seed);
  for (const auto& [path, size] : synced_) {
    std::error_code error;
    const uint64_t present = std::filesystem::file_size(path, error);
    if (error) continue;
    if (unsynced_names_.contains(path) && (seed == 0 || random() % 2 == 0)) {
      std::filesystem::remove(path, error);
      continue;
    }
    if (present <= size) continue;
    const uint64_t kept = seed == 0 ? size : size + random() % (present - size + 1);
    std::filesystem::resize_file(path, kept, error);
  }
  synced_.clear();
  unsynced_names_.clear();
}

IOStatus FaultyFileSystem::NewWritableFile(const std::string& path,
                                           const rocksdb::FileOptions& options,
                                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                                           IODebugContext* context) {
  IOStatus status = Check(kOpen, path);
  std::unique_ptr<rocksdb::FSWritableFile> file;
  if (status.ok()) status = target()->NewWritableFile(path, options, &file, context);
  if (!status.ok()) return status;
  *result = std::make_unique<WritableFile>(std::move(file), path, this);
  std::lock_guard lock(mutex_);
  synced_[path] = 0;
  unsynced_names_.insert(path);
  return status;
}

IOStatus FaultyFileSystem::NewRandomAccessFile(const std::string& path,
                                               const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                               IODebugContext* context) {
  IOStatus status = Check(kRead, path);
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  if (status.ok()) status = target()->NewRandomAccessFile(path, options, &file, context);
  if (status.ok()) *result = std::make_unique<RandomAccessFile>(std::move(file), path, this);
  return status;
}

IOStatus FaultyFileSystem::NewSequentialFile(const std::string& path,
                                             const rocksdb::FileOptions& options,
                                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                             IODebugContext* context) {
  IOStatus status = Check(kRead, path);
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  if (status.ok()) status = target()->NewSequentialFile(path, options, &file, context);
  if (status.ok()) *result = std::make_unique<SequentialFile>(std::move(file), path, this);
  return status;
}

IOStatus FaultyFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                        std::unique_ptr<rocksdb::FSDirectory>* result,
                                        IODebugContext* context) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  IOStatus status = target()->NewDirectory(path, options, &directory, context);
  if (status.ok()) *result = std::make_unique<Directory>(std::move(directory), path, this);
  return status;
}

IOStatus FaultyFileSystem::RenameFile(const std::string& from, const std::string& to,
                                      const IOOptions& options, IODebugContext* context) {
  IOStatus status = Check(kRename, to);
  if (status.ok()) status = target()->RenameFile(from, to, options, context);
  if (!status.ok()) return status;
  std::lock_guard lock(mutex_);
  if (auto moved = synced_.extract(from); !moved.empty()) synced_[to] = moved.mapped();
  // A rename counts as durable at once. Then so do the names that were made before it: ext4, XFS
  // and btrfs write changes of names in their order, and RocksDB relies on it (it renames CURRENT
  // and syncs the directory, with the new manifest's name in it, once for both).
  const std::filesystem::path directory = std::filesystem::path(to).parent_path();
  std::erase_if(unsynced_names_, [&](const std::string& path) {
    return path == from || std::filesystem::path(path).parent_path() == directory;
  });
  return status;
}

IOStatus FaultyFileSystem::LinkFile(const std::string& from, const std::string& to,
                                    const IOOptions& options, IODebugContext* context) {
  const IOStatus status = Check(kRename, to);
  return status.ok() ? target()->LinkFile(from, to, options, context) : status;
}

IOStatus FaultyFileSystem::DeleteFile(const std::string& path, const IOOptions& options,
                                      IODebugContext* context) {
  {
    std::lock_guard lock(mutex_);
    synced_.erase(path);
    unsynced_names_.erase(path);
  }
  return target()->DeleteFile(path, options, context);
}

IOStatus FaultyFileSystem::GetFreeSpace(const std::string& path, const IOOptions& options,
                                        uint64_t* free, IODebugContext* context) {
  {
    std::lock_guard lock(mutex_);
    *free = free_space_;
  }
  return *free != 0 ? IOStatus::OK() : target()->GetFreeSpace(path, options, free, context);
}

}  // namespace basalt::test
