// SPDX-License-Identifier: GPL-2.0-only
#include "txn/range_locks.h"

#include <algorithm>

#include "base/assert.h"

namespace basalt::txn {

RangeSet* RangeLocks::SetOf(const LockOwner& owner, IndexId index) {
  // Newest first: a statement works on one index at a time.
  for (auto set = owner.ranges_.rbegin(); set != owner.ranges_.rend(); ++set) {
    if ((*set)->index == index) return set->get();
  }
  return nullptr;
}

RangeSet* RangeLocks::Asking(const LockOwner& owner) {
  for (const auto& set : owner.ranges_) {
    if (set->asking) return set.get();
  }
  return nullptr;
}

RangeSet* RangeLocks::AddSet(LockOwner* owner, IndexId index) {
  auto made = std::make_unique<RangeSet>();
  made->owner = owner;
  made->index = index;
  Bucket& bucket = BucketOf(index);
  WriterLock guard(bucket.mutex);
  owner->ranges_.push_back(std::move(made));
  bucket.members.push_back(owner->ranges_.back().get());
  // Before the asker looks into the write sets of others; see range_locks.h.
  bucket.sets.fetch_add(1);
  return owner->ranges_.back().get();
}

bool RangeLocks::Ask(LockOwner* owner, IndexId index, Bytes start, Bytes end) {
  BASALT_ASSERT(Asking(*owner) == nullptr, "R5: a request that fails leaves nothing behind");
  RangeSet* set = SetOf(*owner, index);
  if (set == nullptr) set = AddSet(owner, index);
  set->trimmable = false;
  auto after = set->ranges.upper_bound(start);
  if (after != set->ranges.begin() && std::prev(after)->second >= end) return false;
  WriterLock guard(BucketOf(index).mutex);
  set->asking = true;
  set->start.assign(start);
  set->end.assign(end);
  set->exempt.clear();
  return true;
}

void RangeLocks::SetExempt(LockOwner* owner, uint64_t other, bool exempt) {
  RangeSet* set = Asking(*owner);
  if (IsExempt(*owner, other) == exempt) return;
  WriterLock guard(BucketOf(set->index).mutex);
  if (exempt) {
    set->exempt.push_back(other);
  } else {
    std::erase(set->exempt, other);
  }
}

bool RangeLocks::WaitsForExemptOnly(const LockOwner& owner) const {
  return std::all_of(owner.waits_for_.begin(), owner.waits_for_.end(),
                     [&](const LockOwner* other) { return IsExempt(owner, other->id()); });
}

bool RangeLocks::IsExempt(const LockOwner& owner, uint64_t other) const {
  const std::vector<uint64_t>& exempt = Asking(owner)->exempt;
  return std::find(exempt.begin(), exempt.end(), other) != exempt.end();
}

void RangeLocks::Grant(LockOwner* owner) {
  RangeSet* set = Asking(*owner);
  WriterLock guard(BucketOf(set->index).mutex);
  NoteBefore(set);
  Add(set);
  set->asking = false;
  set->trimmable = true;
}

// Ranges are disjoint, so those that overlap the pending one lie side by side.
void RangeLocks::NoteBefore(RangeSet* set) {
  set->before.clear();
  auto range = set->ranges.upper_bound(set->start);
  if (range != set->ranges.begin() && std::prev(range)->second > set->start) --range;
  for (; range != set->ranges.end() && range->first < set->end; ++range) {
    set->before.emplace_back(*range);
  }
}

// Joins the pending range with those it touches.
void RangeLocks::Add(RangeSet* set) const {
  auto place = set->ranges.upper_bound(set->start);
  if (place != set->ranges.begin() && std::prev(place)->second >= set->start) {
    --place;
    place->second = std::max(place->second, set->end);
  } else {
    place = set->ranges.emplace_hint(place, set->start, set->end);
  }
  for (auto next = std::next(place); next != set->ranges.end() && next->first <= place->second;) {
    place->second = std::max(place->second, next->second);
    next = set->ranges.erase(next);
  }
  if (set->ranges.size() > options_.ranges_per_index) JoinNeighbours(set);
  BASALT_ASSERT(set->ranges.size() <= options_.ranges_per_index,
                "R6: an owner holds at most ranges_per_index ranges in an index");
}

// Makes one range of each two.
void RangeLocks::JoinNeighbours(RangeSet* set) {
  for (auto range = set->ranges.begin(); range != set->ranges.end(); ++range) {
    const auto next = std::next(range);
    if (next == set->ranges.end()) break;
    range->second = std::move(next->second);
    set->ranges.erase(next);
  }
}

void RangeLocks::Withdraw(LockOwner* owner) {
  RangeSet* set = Asking(*owner);
  {
    WriterLock guard(BucketOf(set->index).mutex);
    set->asking = false;
  }
  graph_->Changed(owner);
}

// Takes [start, end) out of the ranges; it lies in one of them.
void RangeLocks::Cut(RangeSet* set, Bytes start, Bytes end) {
  if (start >= end) return;
  const auto range = std::prev(set->ranges.upper_bound(start));
  BASALT_ASSERT(range->second >= end,
                "R7: Trim gives back only what the newest request alone has asked for");
  if (range->second > end) set->ranges.emplace(end, std::move(range->second));
  if (range->first == start) {
    set->ranges.erase(range);
  } else {
    range->second.assign(start);
  }
}

void RangeLocks::Trim(LockOwner* owner, IndexId index, Bytes start, Bytes end) {
  RangeSet* set = SetOf(*owner, index);
  if (set == nullptr || !set->trimmable) return;
  set->trimmable = false;
  {
    WriterLock guard(BucketOf(index).mutex);
    Bytes from = std::max(start, Bytes(set->start));
    const Bytes to = std::min(end, Bytes(set->end));
    for (const auto& [first, last] : set->before) {
      Cut(set, from, std::min(to, Bytes(first)));
      from = std::max(from, Bytes(last));
    }
    Cut(set, from, to);
    if (set->ranges.size() > options_.ranges_per_index) JoinNeighbours(set);
  }
  graph_->Changed(owner);
}

bool RangeLocks::Inside(const RangeSet& set, Bytes key) {
  const auto after = set.ranges.upper_bound(key);
  return after != set.ranges.begin() && key < std::prev(after)->second;
}

bool RangeLocks::Holds(const LockOwner& owner, IndexId index, Bytes key) const {
  const RangeSet* set = SetOf(owner, index);
  return set != nullptr && Inside(*set, key);
}

void RangeLocks::ReleaseAll(LockOwner* owner) {
  if (owner->ranges_.empty()) return;
  for (const auto& set : owner->ranges_) {
    Bucket& bucket = BucketOf(set->index);
    WriterLock guard(bucket.mutex);
    std::erase(bucket.members, set.get());
    bucket.sets.fetch_sub(1);
  }
  owner->ranges_.clear();
  graph_->Changed(owner);
}

bool RangeLocks::HasAny(const LockOwner& owner, IndexId index) const {
  const RangeSet* set = SetOf(owner, index);
  return set != nullptr && !set->ranges.empty();
}

void RangeLocks::ReleaseIndex(LockOwner* owner, IndexId index) {
  RangeSet* set = SetOf(*owner, index);
  if (set == nullptr) return;
  {
    WriterLock guard(BucketOf(index).mutex);
    set->ranges.clear();
    set->trimmable = false;
  }
  graph_->Changed(owner);
}

bool RangeLocks::OthersHave(const LockOwner& owner, IndexId index) const {
  const Bucket& bucket = BucketOf(index);
  ReaderLock guard(bucket.mutex);
  return std::any_of(bucket.members.begin(), bucket.members.end(), [&](const RangeSet* set) {
    if (set->owner == &owner || set->index != index) return false;
    if (!set->ranges.empty()) return true;
    return set->asking &&
           std::find(set->exempt.begin(), set->exempt.end(), owner.id()) == set->exempt.end();
  });
}

bool RangeLocks::Excludes(const RangeSet& set, const LockOwner& writer, IndexId index, Bytes key) {
  if (set.owner == &writer || set.index != index) return false;
  if (Inside(set, key)) return true;
  if (!set.asking || key < set.start || key >= set.end) return false;
  return std::find(set.exempt.begin(), set.exempt.end(), writer.id()) == set.exempt.end();
}

bool RangeLocks::Covers(const LockOwner& writer, IndexId index, Bytes key) const {
  const Bucket& bucket = BucketOf(index);
  ReaderLock guard(bucket.mutex);
  return std::any_of(bucket.members.begin(), bucket.members.end(),
                     [&](const RangeSet* set) { return Excludes(*set, writer, index, key); });
}

Status RangeLocks::WaitForKey(LockOwner* writer, IndexId index, Bytes key, uint64_t deadline) {
  const Bucket& bucket = BucketOf(index);
  ReaderLock guard(bucket.mutex);
  MutexLock wait_lock(graph_->mutex());
  graph_->ResetLocked(writer);
  bool covered = false;
  for (const RangeSet* set : bucket.members) {
    if (!Excludes(*set, *writer, index, key)) continue;
    WaitGraph::AddWatchLocked(writer, set->owner);
    covered = true;
  }
  guard.Unlock();
  if (!covered) return Status::Ok();
  return graph_->WaitForChangeLocked(writer, {index, key, LockKind::kInsert}, &wait_lock, deadline);
}

std::vector<RangeLocks::HeldRange> RangeLocks::HeldRanges() const {
  std::vector<HeldRange> held;
  for (const Bucket& bucket : buckets_) {
    ReaderLock guard(bucket.mutex);
    for (const RangeSet* set : bucket.members) {
      for (const auto& [start, end] : set->ranges) {
        held.push_back({set->owner->id(), set->index, start, end});
      }
    }
  }
  return held;
}

}  // namespace basalt::txn
