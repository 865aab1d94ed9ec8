// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/version_ids.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <rocksdb/write_batch.h>

#include "catalog/dictionary_reader.h"
#include "catalog/dictionary_records.h"
#include "store/errors/status_map.h"

namespace basalt::catalog {
namespace {

// Each block costs a sync; what a crash leaves of one is lost, and there are 2^64 ids.
constexpr uint64_t kBlock = 4096;
// InnoDB's ids have 48 bits.
constexpr uint64_t kAboveInnoDb = uint64_t{1} << 48;

uint64_t FirstId() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return std::max(kAboveInnoDb, static_cast<uint64_t>(microseconds));
}

}  // namespace

Status VersionIds::Take(uint64_t* id) {
  MutexLock lock(mutex_);
  if (next_ == reserved_) BASALT_RETURN_IF_ERROR(Reserve());
  *id = next_++;
  return {};
}

Status VersionIds::Reserve() {
  const std::string key = TypeKey(RecordType::kVersionIds);
  uint64_t next = reserved_;
  if (next == 0) {
    std::string value;
    Status read = ReadRecord(store_, key, &value);
    if (read.code() == Code::kNotFound) {
      next = FirstId();
    } else {
      BASALT_RETURN_IF_ERROR(std::move(read));
      BASALT_RETURN_IF_ERROR(DecodeVersionIds(key, value, &next));
    }
  }
  // The end of a row that lives is the highest number.
  if (next > UINT64_MAX - 2 * kBlock)
    return Status(Code::kCorruption, "no ids of versions are left");
  rocksdb::WriteBatch batch;
  BASALT_RETURN_IF_ERROR(
      store::MapStatus(batch.Put(store_->system(), key, EncodeVersionIds(next + kBlock))));
  BASALT_RETURN_IF_ERROR(store_->Write(&batch, /*sync=*/true));
  next_ = next;
  reserved_ = next + kBlock;
  return {};
}

}  // namespace basalt::catalog
