// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/status_map.h"

#include <atomic>
#include <string>

namespace basalt::store {
namespace {

// Of the process, as MapStatus knows no store: there is one, and nobody asks for that of a test.
std::atomic<uint64_t> corruption_errors{0};

Code CodeOfIoError(const rocksdb::Status& status) {
  return status.IsNoSpace() || status.subcode() == rocksdb::Status::kSpaceLimit ? Code::kNoSpace
                                                                                : Code::kIoError;
}

Code CodeOf(const rocksdb::Status& status) {
  // A write that meets a background error gets that error back, with its severity: what has
  // happened to the caller is that the store takes no writes.
  const bool stopped = status.severity() >= rocksdb::Status::kHardError;
  switch (status.code()) {
    case rocksdb::Status::kNotFound:
      return Code::kNotFound;
    case rocksdb::Status::kCorruption:
      return stopped ? Code::kReadOnly : Code::kCorruption;
    case rocksdb::Status::kNotSupported:
      return Code::kNotSupported;
    case rocksdb::Status::kInvalidArgument:
    case rocksdb::Status::kColumnFamilyDropped:
      return Code::kInvalidArgument;
    case rocksdb::Status::kIOError:
      if (!stopped || CodeOfIoError(status) == Code::kNoSpace) return CodeOfIoError(status);
      return Code::kReadOnly;
    case rocksdb::Status::kIncomplete:
      return Code::kInterrupted;
    case rocksdb::Status::kShutdownInProgress:
      return Code::kReadOnly;
    case rocksdb::Status::kTimedOut:
      return Code::kLockTimeout;
    case rocksdb::Status::kAborted:
      return status.subcode() == rocksdb::Status::kMemoryLimit ? Code::kOutOfMemory
                                                               : Code::kInternal;
    case rocksdb::Status::kBusy:
      return status.subcode() == rocksdb::Status::kDeadlock ? Code::kDeadlock : Code::kLockBusy;
    case rocksdb::Status::kTryAgain:
      return Code::kSnapshotConflict;
    default:
      return Code::kInternal;
  }
}

// "000123.sst, offset 4711: " when the message ends with "... DIRECTORY/000123.sst offset 4711
// ...": servers cut messages, and the directory alone may be longer than what is shown.
std::string PlaceIn(std::string_view message) {
  constexpr std::string_view kMark = ".sst offset ";
  const size_t mark = message.find(kMark);
  if (mark == std::string_view::npos) return {};
  const size_t name = message.find_last_of("/ ", mark) + 1;
  const size_t number = mark + kMark.size();
  const size_t end = std::min(message.find_first_not_of("0123456789", number), message.size());
  std::string place(message.substr(name, mark - name));
  return place.append(".sst, offset ").append(message.substr(number, end - number)).append(": ");
}

}  // namespace

uint64_t CorruptionErrors() { return corruption_errors.load(std::memory_order_relaxed); }

void CountIfCorruption(const rocksdb::Status& error) {
  if (error.IsCorruption()) corruption_errors.fetch_add(1, std::memory_order_relaxed);
}

bool OnlyOptionsFileFailed(const rocksdb::Status& status) {
  return status.IsIOError() && status.severity() < rocksdb::Status::kHardError &&
         status.ToString().find("Unable to persist options") != std::string::npos;
}

Status MapStatus(const rocksdb::Status& status, std::string_view context) {
  if (status.ok()) [[likely]] {
    return {};
  }
  // The common answer of a point read; nobody reads its message, so it gets none.
  if (status.IsNotFound() && context.empty()) return Status(Code::kNotFound);
  if (status.severity() < rocksdb::Status::kHardError) CountIfCorruption(status);
  std::string message(context);
  if (!message.empty()) message.append(": ");
  if (status.IsIOError() && CodeOfIoError(status) == Code::kNoSpace) {
    message.append("the disk is full: ");
  }
  if (status.severity() >= rocksdb::Status::kHardError) {
    message.append("the store has stopped taking writes after this error: ");
  }
  const std::string text = status.ToString();
  message.append(PlaceIn(text)).append(text);
  return Status(CodeOf(status), message);
}

Status MapChange(const rocksdb::Status& status, const std::string& what,
                 const std::function<void(LogLevel, std::string_view)>& log) {
  if (!OnlyOptionsFileFailed(status)) return MapStatus(status, what);
  if (log) {
    log(LogLevel::kWarning,
        what + " was done, and is not in the OPTIONS file yet: " + status.ToString());
  }
  return {};
}

}  // namespace basalt::store
