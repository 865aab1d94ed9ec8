// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/ballast.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace basalt::store {
namespace {

constexpr uint64_t kLargestShare = 20;

bool CreateFile(const std::string& path, uint64_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
  if (file < 0) return false;
  // Space only: nothing is written.
  const bool taken = ::posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0;
  ::close(file);
  return taken;
}

}  // namespace

uint64_t ReserveOn(const std::string& directory, uint64_t wanted) {
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  return error ? wanted : std::min<uint64_t>(wanted, space.capacity / kLargestShare);
}

Ballast::Ballast(const std::string& directory, uint64_t wanted, uint64_t share)
    : directory_(directory), path_(directory + "/" + kName), wanted_(wanted), share_(share) {}

void Ballast::Ensure() {
  if (loaded_ || wanted_ == 0) return;
  std::error_code error;
  if (std::filesystem::exists(path_, error)) {
    loaded_ = true;
    return;
  }
  const uint64_t reserve = ReserveOn(directory_, wanted_);
  const auto space = std::filesystem::space(directory_, error);
  if (error || space.available < 2 * reserve) return;
  loaded_ = CreateFile(path_, reserve / share_);
  if (!loaded_) std::filesystem::remove(path_, error);
}

bool Ballast::Remove() {
  loaded_ = false;
  std::error_code error;
  return std::filesystem::remove(path_, error);
}

}  // namespace basalt::store
