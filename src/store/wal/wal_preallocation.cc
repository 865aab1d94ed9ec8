// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_preallocation.h"

#include <algorithm>
#include <string>

namespace basalt::store {
namespace {

// What commits of a few clients bring together. Larger ones gain nothing and would pay twice.
constexpr uint64_t kSmallSync = uint64_t{32} << 10;
// A thousand small commits; one sync of so much is not felt.
constexpr uint64_t kAhead = uint64_t{256} << 10;

}  // namespace

void WalPreallocation::BeforeSync(rocksdb::FSWritableFile* file, uint64_t size) {
  const bool small = size - synced_ <= kSmallSync;
  synced_ = size;
  if (!works_ || !small || size + kSmallSync <= zeroed_) return;
  static const std::string kZeros(kAhead, '\0');
  const uint64_t from = std::max(size, zeroed_);
  const rocksdb::Slice zeros(kZeros.data(), size + kAhead - from);
  works_ = file->PositionedAppend(zeros, from, rocksdb::IOOptions(), nullptr).ok();
  zeroed_ = size + kAhead;  // or a part of it, when that failed
}

void WalPreallocation::BeforeClose(rocksdb::FSWritableFile* file, uint64_t size) {
  if (zeroed_ <= size) return;
  file->Truncate(size, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  zeroed_ = 0;
}

}  // namespace basalt::store
