// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/removed_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/entry_name.h"

namespace basalt::engine {

RemovedRows::~RemovedRows() {
  if (file_ >= 0) close(file_);
}

Status RemovedRows::Failure(const char* doing) const {
  const int error = errno;
  return Status(error == ENOSPC || error == EDQUOT ? Code::kNoSpace : Code::kIoError,
                std::string(doing) + " " + path_ + ": " + std::generic_category().message(error));
}

Status RemovedRows::Add(Bytes key, Bytes value) {
  constexpr mode_t kOwnerOnly = 0600;
  if (file_ < 0) file_ = open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, kOwnerOnly);
  if (file_ < 0) return Failure("making");
  std::string line;
  AppendHex(key, &line);
  line.push_back(' ');
  AppendHex(value, &line);
  line.push_back('\n');
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = write(file_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failure("writing");
    done += static_cast<size_t>(written);
  }
  return Status::Ok();
}

Status RemovedRows::Sync() {
  if (file_ < 0 || fsync(file_) == 0) return Status::Ok();
  return Failure("syncing");
}

}  // namespace basalt::engine
