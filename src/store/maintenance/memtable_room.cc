// SPDX-License-Identifier: GPL-2.0-only
#include "store/maintenance/memtable_room.h"

#include <algorithm>
#include <string>

#include "store/compaction/background_rate_limiter.h"
#include "store/maintenance/flushes.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
namespace {

// What smaller batches bring is below the size of the pieces that memtables grow by.
constexpr uint64_t kLargeBatchBytes = 64u << 10;
// What an entry takes in a memtable beside its key and value: a node of the skip list, lengths.
constexpr uint64_t kNodeBytes = 40;
// Looks without any progress, a millisecond each, before a writer goes on: background work may be
// paused, or the disk may not answer.
constexpr int kMostLooks = 10'000;
// A memtable that has so little of the limit is not worth a file of its own.
constexpr uint64_t kLeastShareToFlush = 8;

using Properties = rocksdb::DB::Properties;

}  // namespace

MemtableRoom::Place::Place(std::atomic<uint64_t>* promised, uint64_t bytes)
    : promised_(promised), bytes_(bytes) {
  promised_->fetch_add(bytes_, std::memory_order_relaxed);
}

void MemtableRoom::Place::Release() {
  if (promised_ != nullptr) promised_->fetch_sub(bytes_, std::memory_order_relaxed);
  promised_ = nullptr;
}

MemtableRoom::Place MemtableRoom::Take(const rocksdb::WriteBatch& batch) {
  const uint64_t bytes = batch.GetDataSize() + kNodeBytes * batch.Count();
  if (!Fits(parts_.memtables->memory_usage(), bytes)) [[unlikely]]
    Wait(bytes);
  return bytes < kLargeBatchBytes ? Place() : Place(&promised_, bytes);
}

bool MemtableRoom::Fits(uint64_t used, uint64_t bytes) const {
  const uint64_t promised = promised_.load(std::memory_order_relaxed);
  return used + promised + bytes <= parts_.memtables->buffer_size();
}

uint64_t MemtableRoom::Sum(const std::string& property) const {
  uint64_t sum = 0;
  return parts_.db->GetAggregatedIntProperty(property, &sum) ? sum : 0;
}

// What memtables take that are not written out, with what they have taken and not used yet.
uint64_t MemtableRoom::Unflushed() const {
  const uint64_t all = Sum(Properties::kSizeAllMemTables);
  const uint64_t written_out = all - std::min(all, Sum(Properties::kCurSizeAllMemTables));
  const uint64_t used = parts_.memtables->memory_usage();
  return used - std::min(used, written_out);
}

void MemtableRoom::Wait(uint64_t bytes) {
  const bool large = bytes >= kLargeBatchBytes;
  if (!large && hopeless_.load(std::memory_order_relaxed) == parts_.memtables->memory_usage()) {
    return;
  }
  const BackgroundRateLimiter::Hurry hurry(parts_.options->rate_limiter.get());
  uint64_t last = 0;
  for (int looks = 0; looks < kMostLooks; ++looks) {
    const uint64_t used = Unflushed();
    if (Fits(used, bytes) || !FlushIsUnderWay(large)) break;
    if (!parts_.flushes->WaitForFlush().ok()) break;
    if (used != last) looks = 0;
    last = used;
  }
  hopeless_.store(parts_.memtables->memory_usage(), std::memory_order_relaxed);
}

// `may_begin`: one is begun when none is. For small batches RocksDB does so by itself.
bool MemtableRoom::FlushIsUnderWay(bool may_begin) const {
  return Sum(Properties::kNumImmutableMemTable) > 0 || (may_begin && BeginFlush());
}

bool MemtableRoom::BeginFlush() const {
  rocksdb::ColumnFamilyHandle* largest = nullptr;
  uint64_t most = parts_.memtables->buffer_size() / kLeastShareToFlush;
  for (rocksdb::ColumnFamilyHandle* handle : parts_.families->All()) {
    const uint64_t bytes = NumberProperty(parts_.db, handle, Properties::kCurSizeActiveMemTable);
    if (bytes <= most) continue;
    most = bytes;
    largest = handle;
  }
  return largest != nullptr && parts_.flushes->Request(largest).ok();
}

}  // namespace basalt::store
