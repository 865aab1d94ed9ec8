// SPDX-License-Identifier: GPL-2.0-only
#include "engine/scans/range_cache.h"

#include <algorithm>

namespace basalt::engine {

void RangeCache::Clear() {
  if (ranges_.empty() && buffer_.empty()) return;
  buffer_.clear();
  entries_.clear();
  ranges_.clear();
}

void RangeCache::Begin(size_t index, Bytes start, Bytes end) {
  pending_ = {index, start.size(), end.size(), buffer_.size(), entries_.size(), 0, true};
  buffer_.append(start).append(end);
}

bool RangeCache::Add(Bytes key, Bytes value) {
  if (entries_.size() >= kMaximumEntries ||
      buffer_.size() + key.size() + value.size() > kMaximumBytes) {
    return false;
  }
  entries_.push_back({buffer_.size(), key.size(), value.size()});
  buffer_.append(key).append(value);
  return true;
}

void RangeCache::Keep() {
  pending_.entries = entries_.size() - pending_.first_entry;
  ranges_.push_back(pending_);
}

void RangeCache::KeepBeginning() {
  const size_t end = std::min(entries_.size(), pending_.first_entry + kBeginning);
  if (end == pending_.first_entry) return Abort();
  const Entry& last = entries_[end - 1];
  buffer_.resize(last.offset + last.key_bytes + last.value_bytes);
  entries_.resize(end);
  pending_.complete = false;
  Keep();
}

void RangeCache::Abort() {
  entries_.resize(pending_.first_entry);
  buffer_.resize(pending_.offset);
}

const RangeCache::Range* RangeCache::Find(size_t index, Bytes start, Bytes end) const {
  // A statement has few ranges: a hundred comparisons cost less than one seek.
  for (const Range& range : ranges_) {
    if (range.index == index && At(range.offset, range.start_bytes) == start &&
        At(range.offset + range.start_bytes, range.end_bytes) == end) {
      return &range;
    }
  }
  return nullptr;
}

}  // namespace basalt::engine
