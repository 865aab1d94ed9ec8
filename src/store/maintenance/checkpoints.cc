// SPDX-License-Identifier: GPL-2.0-only
#include "store/maintenance/checkpoints.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include <rocksdb/utilities/checkpoint.h>

#include "store/compaction/background_rate_limiter.h"
#include "store/errors/status_map.h"

namespace basalt::store {

Status Checkpoints::Create(const std::string& path) {
  BASALT_RETURN_IF_ERROR(flushes_->CheckLogWritable());
  std::error_code error;
  const bool existed = std::filesystem::exists(path, error);
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(db_, &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const BackgroundRateLimiter::Hurry hurry(options_->rate_limiter.get());
  if (status.ok()) status = checkpoint->CreateCheckpoint(path);
  // RocksDB removes one in part, but not one whose name it could not make durable.
  if (!status.ok() && !existed) std::filesystem::remove_all(path, error);
  return MapStatus(status, "making a checkpoint in " + path);
}

Status Checkpoints::DisableFileDeletions() {
  return MapStatus(db_->DisableFileDeletions(), "keeping files for a backup");
}

Status Checkpoints::EnableFileDeletions() {
  return MapStatus(db_->EnableFileDeletions(), "letting files go after a backup");
}

}  // namespace basalt::store
