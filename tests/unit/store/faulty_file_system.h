// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace basalt::test {

// A file system that fails on demand, and that forgets on demand what was never synced.
//
//   Fail(part, fault)     every write and sync of files whose path contains `part`, until Heal()
//   FailFrom(n, ...)      the nth I/O of some kinds from now on: that one only, or all from there
//   on Fill()                every write that needs space, as on a full disk, until Heal()
//   CutPower()            once nothing has a file open: what was not synced is gone
//
// Thread-safety: all functions, from any thread, except CutPower.
class FaultyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  enum class Fault { kNone, kNoSpace, kIoError };
  // Kinds of I/O; combined by |.
  enum Io : unsigned {
    kOpen = 1,           // making a file, or opening it for reading
    kAppend = 2,         // writing to it
    kSync = 4,           // making its content durable
    kRead = 8,           // reading from it
    kRename = 16,        // renaming, linking
    kDirectorySync = 32  // making names durable
  };
  static constexpr unsigned kWrites = kOpen | kAppend | kSync | kRename | kDirectorySync;

  FaultyFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  void Fail(std::string part, Fault fault);
  void FailFrom(uint64_t nth, unsigned kinds, Fault fault, bool stays);
  void Fill() { Fail("", Fault::kNoSpace); }
  void Heal();
  // Has an I/O failed since the last call of Fail or FailFrom?
  bool fired() const;
  // What GetFreeSpace answers; 0 = ask the operating system.
  void SetFreeSpace(uint64_t bytes);
  // Cuts every file back to what was synced of it and removes those whose names never were. With
  // `seed` other than 0 a random part of what was not synced stays, as on a real disk.
  void CutPower(uint32_t seed = 0);

  // For the files: Ok, or the error that this I/O has to give.
  rocksdb::IOStatus Check(Io kind, const std::string& path);
  void NoteSynced(const std::string& path, uint64_t size);
  void NoteDirectorySynced(const std::string& directory);

  using rocksdb::FileSystemWrapper::NewDirectory;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 uint64_t* free, rocksdb::IODebugContext* context) override;

 private:
  class WritableFile;
  class RandomAccessFile;
  class SequentialFile;
  class Directory;

  mutable std::mutex mutex_;  // guards what is below
  Fault fault_ = Fault::kNone;
  std::string part_;
  unsigned kinds_ = 0;
  uint64_t left_ = 0;  // I/Os until one fails; 0 = now
  bool stays_ = true;
  bool fired_ = false;
  uint64_t free_space_ = 0;
  std::map<std::string, uint64_t> synced_;  // of files made since the last power cut: durable bytes
  std::set<std::string> unsynced_names_;    // of these, the ones whose directory was not synced
};

}  // namespace basalt::test
