// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/manifest_guard.h"

#include <string_view>
#include <utility>

namespace basalt::store {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

class ManifestGuard::Manifest final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  Manifest(std::unique_ptr<rocksdb::FSWritableFile> file, rocksdb::FileSystem* files,
           ManifestGuard* guard)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files), guard_(guard) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    return guard_->Note(files_, target()->Append(data, options, context));
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& information,
                  IODebugContext* context) override {
    return guard_->Note(files_, target()->Append(data, options, information, context));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return guard_->Note(files_, target()->Sync(options, context));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return guard_->Note(files_, target()->Fsync(options, context));
  }

 private:
  rocksdb::FileSystem* const files_;
  ManifestGuard* const guard_;
};

class ManifestGuard::Files final : public rocksdb::FileSystemWrapper {
 public:
  Files(const std::shared_ptr<rocksdb::FileSystem>& target, ManifestGuard* guard)
      : FileSystemWrapper(target), guard_(guard) {}
  const char* Name() const override { return "basalt_manifest_guard"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* context) override {
    IOStatus made = target()->NewWritableFile(path, options, result, context);
    if (made.ok() && NameOf(path).starts_with("MANIFEST-")) {
      *result = std::make_unique<Manifest>(std::move(*result), target(), guard_);
    }
    return made;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* context) override {
    IOStatus renamed = target()->RenameFile(from, to, options, context);
    if (renamed.ok() && NameOf(to) == "CURRENT") guard_->NoteRenamed();
    return renamed;
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* context) override {
    if (path.ends_with(".sst") && guard_->Defer(path)) return IOStatus::OK();
    return target()->DeleteFile(path, options, context);
  }

 private:
  ManifestGuard* const guard_;
};

std::shared_ptr<rocksdb::FileSystem> ManifestGuard::Wrap(
    const std::shared_ptr<rocksdb::FileSystem>& target) {
  return std::make_shared<Files>(target, this);
}

IOStatus ManifestGuard::Note(rocksdb::FileSystem* files, IOStatus status) {
  if (status.ok() && !in_doubt()) [[likely]] {
    return status;
  }
  std::vector<std::string> removable;
  {
    MutexLock lock(mutex_);
    if (!status.ok()) {
      renamed_ = false;
      in_doubt_.store(true, std::memory_order_release);
    } else if (renamed_) {
      removable = std::exchange(deferred_, {});
      in_doubt_.store(false, std::memory_order_release);
    }
  }
  for (const std::string& path : removable) {
    // What cannot be removed is in no manifest: the next opening removes it.
    files->DeleteFile(path, IOOptions(), nullptr).PermitUncheckedError();
  }
  return status;
}

void ManifestGuard::NoteRenamed() {
  MutexLock lock(mutex_);
  renamed_ = true;
}

bool ManifestGuard::Defer(const std::string& path) {
  if (!in_doubt()) return false;
  MutexLock lock(mutex_);
  if (!in_doubt()) return false;
  deferred_.push_back(path);
  return true;
}

}  // namespace basalt::store
