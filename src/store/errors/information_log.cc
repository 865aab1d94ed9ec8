// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/information_log.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace basalt::store {
namespace {

// RocksDB says so each second while a flush or a compaction fails, with another count each time;
// the error policy has its own word for that, and says it once in a while.
constexpr std::string_view kBackgroundWorkWaits = "Waiting after background ";

// Errors that RocksDB repeats with each use of a damaged file: each is passed on once in a while.
// Few at a time are remembered, for there are few different ones at a time.
class Repetitions {
 public:
  // Has the same been passed on less than kAgainAfter ago? If not, it counts as passed on now.
  bool IsKnown(std::string_view text, InformationLogClock now) {
    const size_t hash = std::hash<std::string_view>()(text);
    const auto time = now();
    MutexLock lock(mutex_);
    for (const Line& line : lines_) {
      if (line.hash == hash && line.at + kAgainAfter > time) return true;
    }
    lines_[next_++ % lines_.size()] = {hash, time};
    return false;
  }

 private:
  static constexpr std::chrono::minutes kAgainAfter{10};
  struct Line {
    size_t hash = 0;
    std::chrono::steady_clock::time_point at;
  };
  Mutex mutex_;
  std::array<Line, 64> lines_;
  size_t next_ = 0;
};

class InformationLog final : public rocksdb::Logger {
 public:
  InformationLog(std::shared_ptr<rocksdb::Logger> file,
                 std::function<void(LogLevel, std::string_view)> log, InformationLogClock now)
      : rocksdb::Logger(file ? file->GetInfoLogLevel() : rocksdb::WARN_LEVEL),
        file_(std::move(file)),
        log_(std::move(log)),
        now_(now) {}

  // The destructor of the base class does not close what a derived one has opened.
  ~InformationLog() override {
    if (!closed_) CloseImpl().PermitUncheckedError();
  }

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    Logv(rocksdb::INFO_LEVEL, format, arguments);
  }

  void Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (log_ && level >= rocksdb::WARN_LEVEL && level <= rocksdb::FATAL_LEVEL) {
      va_list copy;
      va_copy(copy, arguments);
      PassOn(level, format, copy);
      va_end(copy);
    }
    if (file_) file_->Logv(level, format, arguments);
  }

  void LogHeader(const char* format, va_list arguments) override {
    if (file_) file_->LogHeader(format, arguments);
  }
  void Flush() override {
    if (file_) file_->Flush();
  }
  // Who writes to the log asks this first: errors go on whatever the file takes.
  rocksdb::InfoLogLevel GetInfoLogLevel() const override {
    return std::min(rocksdb::Logger::GetInfoLogLevel(), rocksdb::WARN_LEVEL);
  }
  size_t GetLogFileSize() const override { return file_ ? file_->GetLogFileSize() : 0; }
  void SetInfoLogLevel(rocksdb::InfoLogLevel level) override {
    rocksdb::Logger::SetInfoLogLevel(level);
    if (file_) file_->SetInfoLogLevel(level);
  }

 protected:
  rocksdb::Status CloseImpl() override { return file_ ? file_->Close() : rocksdb::Status::OK(); }

 private:
  void PassOn(rocksdb::InfoLogLevel level, const char* format, va_list arguments) {
    char line[1024];
    std::vsnprintf(line, sizeof(line), format, arguments);
    std::string_view text(line);
    while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
    if (text.find(kBackgroundWorkWaits) != std::string_view::npos) return;
    if (level >= rocksdb::ERROR_LEVEL) {
      if (said_.IsKnown(text, now_)) return;
      log_(LogLevel::kError, text);
    } else if (text.find(kReplayStopped) != std::string_view::npos) {
      log_(LogLevel::kWarning,
           std::string(text) +
               " (normal after a crash: the torn end of the log was never acknowledged; "
               "after a clean shutdown, check the disk)");
    }
  }

  const std::shared_ptr<rocksdb::Logger> file_;
  const std::function<void(LogLevel, std::string_view)> log_;
  const InformationLogClock now_;
  Repetitions said_;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> NewInformationLog(
    std::shared_ptr<rocksdb::Logger> file, std::function<void(LogLevel, std::string_view)> log,
    InformationLogClock now) {
  return std::make_shared<InformationLog>(std::move(file), std::move(log), now);
}

}  // namespace basalt::store
