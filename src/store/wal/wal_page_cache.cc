// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_page_cache.h"

namespace basalt::store {
namespace {

// A call for each so many bytes costs nothing beside their syncs.
constexpr uint64_t kPortion = uint64_t{1} << 20;
// The largest page of the processors that Linux runs on.
constexpr uint64_t kLargestPage = uint64_t{64} << 10;

}  // namespace

WalPageCache::Range WalPageCache::TakeRange(uint64_t size) {
  const uint64_t end = size / kLargestPage * kLargestPage;
  if (end < forgotten_ + kPortion) return {};
  const Range range{forgotten_, end - forgotten_};
  forgotten_ = end;
  return range;
}

}  // namespace basalt::store
