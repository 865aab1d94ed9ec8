// SPDX-License-Identifier: GPL-2.0-only
#include "store/ballast.h"

#include <cstdint>
#include <utility>

namespace basalt::store {
namespace {

constexpr size_t kBytes = size_t{1} << 20;

// Not zeros: some file systems keep those, and what can be compressed, in no space.
std::string Noise() {
  std::string bytes;
  bytes.reserve(kBytes);
  uint64_t state = 0x9e3779b97f4a7c15;
  while (bytes.size() < kBytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes.append(reinterpret_cast<const char*>(&state), sizeof(state));
  }
  return bytes;
}

}  // namespace

Ballast::Ballast(rocksdb::Env* env, std::string directory)
    : env_(env), directory_(std::move(directory)), path_(directory_ + "/" + kName) {}

void Ballast::Load() {
  if (loaded_) return;
  uint64_t size = 0;
  if (env_->GetFileSize(path_, &size).ok() && size == kBytes) {
    loaded_ = true;
    return;
  }
  uint64_t free_bytes = 0;
  if (!env_->GetFreeSpace(directory_, &free_bytes).ok() || free_bytes < 2 * kBytes) return;
  loaded_ = rocksdb::WriteStringToFile(env_, Noise(), path_).ok();
  if (!loaded_) env_->DeleteFile(path_).PermitUncheckedError();
}

bool Ballast::Drop() {
  loaded_ = false;
  return env_->DeleteFile(path_).ok();
}

}  // namespace basalt::store
