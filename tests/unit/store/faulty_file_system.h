// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace basalt::test {

// A file system whose writes fail on demand, for files whose name ends or begins in a given way.
class FaultyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  enum class Fault { kNone, kNoSpace, kIoError };

  FaultyFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  // From now on appends and syncs of files whose path contains `part` give `fault`.
  void Fail(std::string part, Fault fault) {
    part_ = std::move(part);
    fault_ = fault;
  }
  void Heal() { fault_ = Fault::kNone; }
  // What GetFreeSpace answers; 0 = ask the operating system.
  void SetFreeSpace(uint64_t bytes) { free_space_ = bytes; }

  rocksdb::IOStatus Check(const std::string& path) const {
    const Fault fault = fault_;
    if (fault == Fault::kNone || path.find(part_) == std::string::npos) {
      return rocksdb::IOStatus::OK();
    }
    return fault == Fault::kNoSpace ? rocksdb::IOStatus::NoSpace("injected")
                                    : rocksdb::IOStatus::IOError("injected");
  }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 uint64_t* free, rocksdb::IODebugContext* context) override {
    if (free_space_ == 0) return target()->GetFreeSpace(path, options, free, context);
    *free = free_space_;
    return rocksdb::IOStatus::OK();
  }

 private:
  std::string part_;  // set while nothing runs
  std::atomic<Fault> fault_{Fault::kNone};
  std::atomic<uint64_t> free_space_{0};
};

class FaultyFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path,
             const FaultyFileSystem* system)
      : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), system_(system) {}

  using FSWritableFileOwnerWrapper::Append;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
    const rocksdb::IOStatus status = system_->Check(path_);
    return status.ok() ? target()->Append(data, options, context) : status;
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* context) override {
    const rocksdb::IOStatus status = system_->Check(path_);
    return status.ok() ? target()->Sync(options, context) : status;
  }

 private:
  const std::string path_;
  const FaultyFileSystem* const system_;
};

inline rocksdb::IOStatus FaultyFileSystem::NewWritableFile(
    const std::string& path, const rocksdb::FileOptions& options,
    std::unique_ptr<rocksdb::FSWritableFile>* result, rocksdb::IODebugContext* context) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status = target()->NewWritableFile(path, options, &file, context);
  if (status.ok()) *result = std::make_unique<FaultyFile>(std::move(file), path, this);
  return status;
}

}  // namespace basalt::test
