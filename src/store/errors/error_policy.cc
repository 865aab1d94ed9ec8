// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/error_policy.h"

#include <utility>

namespace basalt::store {
namespace {

using rocksdb::BackgroundErrorReason;

constexpr std::chrono::minutes kSaySameAfter{10};
constexpr std::string_view kOffUntilRestart =
    "writing is off until the server is restarted, reading goes on; check the disk";
constexpr std::string_view kOffUntilTheCauseIsGone =
    "writing is off and resumes by itself when the cause is gone, reading goes on";

std::string_view NameOf(BackgroundErrorReason reason) {
  switch (reason) {
    case BackgroundErrorReason::kFlush:
    case BackgroundErrorReason::kFlushNoWAL:
      return "writing a memtable to disk";
    case BackgroundErrorReason::kCompaction:
      return "compaction";
    case BackgroundErrorReason::kWriteCallback:
      return "writing the log";
    case BackgroundErrorReason::kMemTable:
      return "applying a logged write";
    case BackgroundErrorReason::kManifestWrite:
    case BackgroundErrorReason::kManifestWriteNoWAL:
      return "writing the manifest";
    case BackgroundErrorReason::kAsyncFileOpen:
      return "opening a table file";
  }
  return "background work";
}

bool IsNoSpace(const rocksdb::Status& error) {
  return error.IsNoSpace() || error.subcode() == rocksdb::Status::kSpaceLimit;
}

// Work of making a new file: what went wrong is thrown away and made again, nothing is lost.
bool IsRepeatable(BackgroundErrorReason reason) {
  return reason == BackgroundErrorReason::kFlush || reason == BackgroundErrorReason::kFlushNoWAL ||
         reason == BackgroundErrorReason::kManifestWrite ||
         reason == BackgroundErrorReason::kManifestWriteNoWAL;
}

std::string InMegabytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

}  // namespace

ErrorPolicy::ErrorPolicy(std::function<void(LogLevel, std::string_view)> log,
                         std::vector<std::string> folders)
    : log_(std::move(log)), folders_(std::move(folders)) {}

void ErrorPolicy::Log(LogLevel level, std::string_view text) const {
  if (log_) log_(level, text);
}

Status ErrorPolicy::CheckWritingAllowed() const {
  if (writing_allowed()) [[likely]] {
    return {};
  }
  const uint32_t reasons = reasons_.load(std::memory_order_acquire);
  MutexLock lock(mutex_);
  if ((reasons & (kBackgroundError | kNeedsRestart)) != 0) return Status(code_, message_);
  return Status(Code::kNoSpace, (reasons & kLogWaits) != 0
                                    ? "the disk is full: no writes until there is free space"
                                    : "the disk is almost full: no writes until there is more "
                                      "free space");
}

Status ErrorPolicy::CheckFreeingAllowed() const {
  if (reasons_.load(std::memory_order_acquire) == kLowSpace) return {};
  return CheckWritingAllowed();
}

// The server cuts messages off behind 192 bytes: what to do comes first, and files are named
// without the folders of the store.
std::string ErrorPolicy::MessageOf(std::string_view remedy, std::string cause) const {
  for (const std::string& folder : folders_) {
    for (size_t at = 0; (at = cause.find(folder + "/", at)) != std::string::npos;) {
      cause.erase(at, cause.find_first_not_of('/', at + folder.size()) - at);
    }
  }
  return (code_ == Code::kNoSpace ? "the disk is full: " : "") + std::string(remedy) + ": " + cause;
}

// A compaction that fails comes again every second: the same is said once in a while.
void ErrorPolicy::LogCompactionError(const rocksdb::Status& error, const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  {
    MutexLock lock(mutex_);
    if (text == compaction_text_ && now < compaction_text_again_) return;
    compaction_text_ = text;
    compaction_text_again_ = now + kSaySameAfter;
  }
  if (error.IsCorruption()) {
    Log(LogLevel::kError, text +
                              "; the file stays as it is and its tables can be read but for the " +
                              "damage; CHECK TABLE finds them; restore or drop them");
  } else {
    Log(LogLevel::kWarning, text + "; it will be tried again");
  }
}

void ErrorPolicy::OnBackgroundError(BackgroundErrorReason reason, rocksdb::Status* error) {
  const std::string text = std::string(NameOf(reason)) + " failed: " + error->ToString();
  if (reason == BackgroundErrorReason::kCompaction &&
      (error->IsIOError() || error->IsCorruption())) {
    // The output is thrown away and the compaction is tried again, after a second. Not passing the
    // error on matters: with two-phase commit RocksDB makes a full disk here fatal for the process,
    // and a damaged input would stop all writing after every restart again, so that nobody could
    // even drop the table it belongs to.
    LogCompactionError(*error, text);
    *error = rocksdb::Status::OK();
    return;
  }
  if (reason == BackgroundErrorReason::kAsyncFileOpen) {
    // Whoever needs that file gets the error then; there is nothing to stop for.
    Log(LogLevel::kError, text);
    *error = rocksdb::Status::OK();
    return;
  }
  if (IsRepeatable(reason) && error->IsIOError() && !IsNoSpace(*error) &&
      error->severity() >= rocksdb::Status::kFatalError) {
    // One step milder, so that DB::Resume() may repeat the work; see ResumeIsWorthTrying. (For an
    // error of the log RocksDB ignores this change and stays with the fatal one.)
    *error = rocksdb::Status(*error, rocksdb::Status::kHardError);
  }
  if (error->severity() < rocksdb::Status::kHardError) {
    Log(LogLevel::kWarning, text);
    return;
  }
  const bool restart = error->severity() >= rocksdb::Status::kFatalError;
  Stop(*error, text, restart);
}

void ErrorPolicy::Stop(const rocksdb::Status& error, const std::string& text, bool restart) {
  const std::string_view remedy = restart ? kOffUntilRestart : kOffUntilTheCauseIsGone;
  {
    MutexLock lock(mutex_);
    // What follows an error that lasts only says that there was one.
    if (NeedsRestart()) return;
    code_ = IsNoSpace(error) ? Code::kNoSpace : Code::kReadOnly;
    message_ = MessageOf(remedy, text);
    const uint32_t reason = restart ? kNeedsRestart : kBackgroundError;
    // An error for a reason that stands already came of the next try: it is not logged again.
    if ((reasons_.fetch_or(reason, std::memory_order_release) & reason) != 0) return;
  }
  Log(LogLevel::kError, text + "; " + std::string(remedy));
}

void ErrorPolicy::OnRecovered() {
  const uint32_t before =
      reasons_.fetch_and(~static_cast<uint32_t>(kBackgroundError), std::memory_order_release);
  if ((before & kBackgroundError) != 0 && (before & kNeedsRestart) == 0) {
    Log(LogLevel::kInformation, "the store has recovered from its error");
  }
}

void ErrorPolicy::OnLogWaits(bool waits) {
  if (waits) {
    reasons_.fetch_or(kLogWaits, std::memory_order_release);
    Log(LogLevel::kError,
        "the disk is full and the log cannot be written: writing is off and resumes by itself when "
        "there is space, reading goes on; until then commits fail, and what they wrote becomes "
        "durable when the log does");
  } else {
    reasons_.fetch_and(~static_cast<uint32_t>(kLogWaits), std::memory_order_release);
    Log(LogLevel::kInformation, "the log has found space again: writing is on");
  }
}

void ErrorPolicy::OnLogFailure(const rocksdb::Status& error) {
  StopUntilRestart("the log cannot be written: " + error.ToString(),
                   IsNoSpace(error) ? Code::kNoSpace : Code::kReadOnly);
}

void ErrorPolicy::StopUntilRestart(const std::string& reason, Code code) {
  {
    MutexLock lock(mutex_);
    if (NeedsRestart()) return;
    code_ = code;
    message_ = MessageOf(kOffUntilRestart, reason);
    reasons_.fetch_or(kNeedsRestart, std::memory_order_release);
  }
  Log(LogLevel::kError, reason + "; " + std::string(kOffUntilRestart));
}

void ErrorPolicy::OnResumeFailed(const rocksdb::Status& error) {
  // Somebody else is resuming, or the store is closing.
  if (error.IsBusy() || error.IsShutdownInProgress()) return;
  const bool restart = error.severity() >= rocksdb::Status::kFatalError;
  // What is known already is not said again at each try.
  if (!restart && !writing_allowed()) return;
  if (!NeedsRestart()) Stop(error, "recovering from an error failed: " + error.ToString(), restart);
}

bool ErrorPolicy::ResumeIsWorthTrying() const {
  return reasons_.load(std::memory_order_acquire) == kBackgroundError;
}

void ErrorPolicy::OnDisk(const DiskSpace& disk) {
  disk_free_.store(disk.free, std::memory_order_relaxed);
  disk_total_.store(disk.total, std::memory_order_relaxed);
}

DiskSpace ErrorPolicy::disk() const {
  return {disk_free_.load(std::memory_order_relaxed), disk_total_.load(std::memory_order_relaxed)};
}

void ErrorPolicy::OnFreeSpace(uint64_t free_bytes, uint64_t reserved_bytes) {
  const bool low = (reasons_.load(std::memory_order_relaxed) & kLowSpace) != 0;
  if (!low && free_bytes < reserved_bytes) {
    reasons_.fetch_or(kLowSpace, std::memory_order_release);
    Log(LogLevel::kError, "only " + InMegabytes(free_bytes) +
                              " of disk space are free, less than " + InMegabytes(reserved_bytes) +
                              " in reserve: writing is off and resumes by itself when there is "
                              "more, reading goes on");
  } else if (low && free_bytes >= reserved_bytes + reserved_bytes / 2) {
    reasons_.fetch_and(~static_cast<uint32_t>(kLowSpace), std::memory_order_release);
    Log(LogLevel::kInformation,
        InMegabytes(free_bytes) + " of disk space are free again: writing is on");
  }
}

}  // namespace basalt::store
