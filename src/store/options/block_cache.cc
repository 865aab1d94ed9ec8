// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/block_cache.h"

#include <algorithm>
#include <cmath>

#include <rocksdb/advanced_cache.h>

#include "store/options/block_memory.h"

namespace basalt::store {
namespace {

constexpr double kSmallestShare = 0.05;
// Each change drives blocks out of the part that gets smaller.
constexpr double kLeastChange = 0.05;

// What of the cache cannot be driven out, in bytes.
struct Held {
  double charges;  // memtables, writes of transactions: both parts shrink for them
  double blocks;   // blocks in use; of index and filter blocks as long as their file is open
};

// The compressed part is a charge of the cache itself, and what memtables take of it is released.
Held HeldBy(const rocksdb::Cache& cache, double share) {
  const auto compressed = static_cast<double>(CompressedCacheBytes(cache));
  size_t taken = 0;
  cache.GetSecondaryCachePinnedUsage(taken).PermitUncheckedError();
  const double charges = static_cast<double>(taken) / share;
  const double others =
      static_cast<double>(cache.GetPinnedUsage()) - (compressed - static_cast<double>(taken));
  return {charges, std::max(0.0, others - charges)};
}

}  // namespace

std::shared_ptr<rocksdb::Cache> NewBlockCache(const StoreOptions& options) {
  rocksdb::HyperClockCacheOptions blocks(options.block_cache_bytes);
  blocks.memory_allocator = NewBlockMemory();
  if (options.compressed_cache_percent == 0) return blocks.MakeSharedCache();
  rocksdb::TieredCacheOptions both;
  both.cache_opts = &blocks;
  both.cache_type = rocksdb::PrimaryCacheType::kCacheTypeHCC;
  both.total_capacity = options.block_cache_bytes;
  both.compressed_secondary_ratio = options.compressed_cache_percent / 100.0;
  both.adm_policy = rocksdb::TieredAdmissionPolicy::kAdmPolicyAllowAll;
  // RocksDB asks the C library how large the pieces of this part are, so they must be its own.
  both.comp_cache_opts.memory_allocator = nullptr;
  both.comp_cache_opts.compression_type = rocksdb::kLZ4Compression;
  return rocksdb::NewTieredCache(both);
}

uint64_t CompressedCacheBytes(const rocksdb::Cache& cache) {
  size_t bytes = 0;
  const rocksdb::Status status = cache.GetSecondaryCacheCapacity(bytes);
  return status.ok() ? bytes : 0;
}

void DivideBlockCache(const std::shared_ptr<rocksdb::Cache>& cache, uint32_t percent) {
  const auto capacity = static_cast<double>(cache->GetCapacity());
  const double share = static_cast<double>(CompressedCacheBytes(*cache)) / capacity;
  if (percent == 0 || share <= 0) return;
  const Held held = HeldBy(*cache, share);
  const double shared = capacity - held.charges;
  const double free = shared > 0 ? std::max(0.0, shared - held.blocks) / shared : 0;
  const double wanted = std::max(kSmallestShare, free * percent / 100);
  if (std::abs(wanted - share) < kLeastChange) return;
  rocksdb::UpdateTieredCache(cache, /*total_capacity=*/-1, wanted).PermitUncheckedError();
}

}  // namespace basalt::store
