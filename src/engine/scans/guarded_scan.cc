// SPDX-License-Identifier: GPL-2.0-only
#include "engine/scans/guarded_scan.h"

#include <algorithm>
#include <utility>

namespace basalt::engine {
namespace {

// The smallest key above this one.
std::string After(Bytes key) {
  std::string after(key);
  after.push_back('\0');
  return after;
}

}  // namespace

void GuardedScan::Begin(txn::Transaction* transaction, txn::Cursor* cursor, IndexId index,
                        Keep keep, txn::LockWait wait, bool fill_cache, txn::ViewStamp stamp) {
  transaction_ = transaction;
  cursor_ = cursor;
  index_ = index;
  keep_ = keep;
  wait_ = wait;
  fill_cache_ = fill_cache;
  stamp_ = stamp;
  stale_ = 0;
  rest_ = Rest::kNone;
  arrived_ = false;
  const store::IndexBounds bounds(index, /*reverse=*/false);
  first_.assign(bounds.first());
  past_end_.assign(bounds.past_end());
}

void GuardedScan::End() {
  if (!active()) return;
  if (keep_ == Keep::kRanges) {
    ReleaseRest();
  } else {
    transaction_->locks().ReleaseRanges(index_);
  }
  cursor_ = nullptr;
}

// The entry that the cursor stands on was looked at, and what the scan came past on the way to it.
void GuardedScan::ReleaseRest() {
  const Rest rest = std::exchange(rest_, Rest::kNone);
  if (!std::exchange(arrived_, false) || !cursor_->Valid()) return;
  const Bytes key = cursor_->key();
  if (rest == Rest::kBelow && low_ < key) transaction_->locks().TrimRange(index_, low_, key);
  if (rest != Rest::kAbove) return;
  const bool at_end = high_.size() == key.size() + 1 && high_.starts_with(key);
  if (!at_end) transaction_->locks().TrimRange(index_, After(key), high_);
}

void GuardedScan::ForgetBound() {
  low_bound_ = first_;
  high_bound_ = past_end_;
}

bool GuardedScan::IsGuarded() const {
  return cursor_->Valid() && cursor_->key() >= low_ && cursor_->key() < high_;
}

Status GuardedScan::SeekForward(Bytes target, Bytes bound) {
  ReleaseRest();
  low_bound_ = first_;
  high_bound_.assign(bound);
  low_.assign(target);
  high_.assign(target);
  step_ = 1;
  if (high_ >= high_bound_) return Status(Code::kEndOfRange);
  return ExtendForward(/*placed=*/false);
}

Status GuardedScan::SeekBelow(Bytes target, Bytes bound) {
  ReleaseRest();
  high_bound_ = past_end_;
  low_bound_.assign(bound);
  low_.assign(target);
  high_.assign(target);
  step_ = 1;
  if (low_ <= low_bound_) return Status(Code::kEndOfRange);
  return ExtendBackward(/*placed=*/false);
}

// The cursor shows own writes as of its last move.
Status GuardedScan::Arrived() {
  operations_ = transaction_->writes().logged().operations();
  arrived_ = true;
  return Status::Ok();
}

bool GuardedScan::ShowsLatest() {
  if (transaction_->writes().logged().operations() != operations_) [[unlikely]]
    return false;
  if (transaction_->reads().LatestStamp() == stamp_) [[likely]]
    return true;
  ++stale_;
  return false;
}

// Makes the cursor show what has been committed until now. It then stands nowhere.
Status GuardedScan::Refresh() {
  stale_ = 0;
  stamp_ = transaction_->reads().LatestStamp();
  return cursor_->Bind(nullptr, &transaction_->writes().logged(), fill_cache_);
}

Status GuardedScan::GuardAll() {
  Status locked =
      transaction_->locks().AcquireRange(index_, first_, past_end_, txn::LockWait::kNoWait);
  if (locked.code() == Code::kLockBusy) return Status::Ok();
  if (!locked.ok()) return locked;
  low_ = first_;
  high_ = past_end_;
  rest_ = Rest::kNone;
  // What others have added before is in the view of the next move.
  stale_ = kStaleEntries;
  return Status::Ok();
}

Status GuardedScan::Next() {
  arrived_ = false;
  if (rest_ == Rest::kBelow) rest_ = Rest::kNone;
  if (stale_ >= kStaleEntries) [[unlikely]] {
    const std::string after = After(cursor_->key());
    BASALT_RETURN_IF_ERROR(Refresh());
    cursor_->SeekForward(after);
  } else {
    cursor_->Next();
  }
  if (IsGuarded()) [[likely]]
    return Arrived();
  BASALT_RETURN_IF_ERROR(cursor_->status());
  if (high_ >= high_bound_) return Status(Code::kEndOfRange);
  return ExtendForward(/*placed=*/true);
}

Status GuardedScan::Previous() {
  arrived_ = false;
  if (rest_ == Rest::kAbove) rest_ = Rest::kNone;
  if (stale_ >= kStaleEntries) [[unlikely]] {
    const std::string key(cursor_->key());
    BASALT_RETURN_IF_ERROR(Refresh());
    PlaceBelow(key);
  } else {
    cursor_->Prev();
  }
  if (IsGuarded()) [[likely]]
    return Arrived();
  BASALT_RETURN_IF_ERROR(cursor_->status());
  if (low_ <= low_bound_) return Status(Code::kEndOfRange);
  return ExtendBackward(/*placed=*/true);
}

// Locks on from high_ until there is an entry, and stands on it. `placed`: the cursor stands on the
// first entry from there already.
Status GuardedScan::ExtendForward(bool placed) {
  while (true) {
    if (!placed) cursor_->SeekForward(high_);
    placed = false;
    size_t seen = 0;
    std::string end = step_ < kWholeRest ? WalkForward(&seen) : high_bound_;
    BASALT_RETURN_IF_ERROR(cursor_->status());
    bool refreshed = false;
    Status locked = LockAhead(high_, end, &refreshed);
    if (locked.code() == Code::kLockBusy && TakesOneEntry()) continue;
    BASALT_RETURN_IF_ERROR(std::move(locked));
    rest_ = Rest::kAbove;
    if (refreshed || seen > 1) cursor_->SeekForward(high_);
    high_ = std::move(end);
    if (IsGuarded()) return Arrived();
    BASALT_RETURN_IF_ERROR(cursor_->status());
    if (high_ >= high_bound_) return Status(Code::kEndOfRange);
  }
}

// Walks over the entries of the next step; returns where it ends, the bound when there are fewer.
std::string GuardedScan::WalkForward(size_t* seen) {
  for (; cursor_->Valid() && cursor_->key() < high_bound_; cursor_->Next()) {
    if (++*seen == step_) return After(cursor_->key());
  }
  // The cursor has moved, or stands beyond: it must be placed again.
  ++*seen;
  return high_bound_;
}

Status GuardedScan::ExtendBackward(bool placed) {
  while (true) {
    if (!placed) PlaceBelow(low_);
    placed = false;
    size_t seen = 0;
    std::string start = step_ < kWholeRest ? WalkBackward(&seen) : low_bound_;
    BASALT_RETURN_IF_ERROR(cursor_->status());
    bool refreshed = false;
    Status locked = LockAhead(start, low_, &refreshed);
    if (locked.code() == Code::kLockBusy && TakesOneEntry()) continue;
    BASALT_RETURN_IF_ERROR(std::move(locked));
    rest_ = Rest::kBelow;
    if (refreshed || seen > 1) PlaceBelow(low_);
    low_ = std::move(start);
    if (IsGuarded()) return Arrived();
    BASALT_RETURN_IF_ERROR(cursor_->status());
    if (low_ <= low_bound_) return Status(Code::kEndOfRange);
  }
}

std::string GuardedScan::WalkBackward(size_t* seen) {
  for (; cursor_->Valid() && cursor_->key() >= low_bound_; cursor_->Prev()) {
    if (++*seen == step_) return std::string(cursor_->key());
  }
  ++*seen;
  return low_bound_;
}

// To the last entry below the key.
void GuardedScan::PlaceBelow(Bytes key) {
  cursor_->SeekBackward(key);
  if (cursor_->Valid() && cursor_->key() == key) cursor_->Prev();
}

// After a step of several entries met somebody's new entry: it may lie beyond what the scan will
// look at, so the next step has one entry, and waits. False when the step had only one.
bool GuardedScan::TakesOneEntry() {
  const bool had_several = step_ > 1;
  step_ = 1;
  return had_several;
}

// Locks the range, and makes the cursor show what has been committed until then. Only a step of one
// entry waits.
Status GuardedScan::LockAhead(Bytes start, Bytes end, bool* refreshed) {
  const txn::LockWait wait = step_ == 1 ? wait_ : txn::LockWait::kNoWait;
  BASALT_RETURN_IF_ERROR(transaction_->locks().AcquireRange(index_, start, end, wait));
  step_ = std::min(step_ * kStepGrowth, kWholeRest);
  if (transaction_->reads().LatestStamp() == stamp_) return Status::Ok();
  *refreshed = true;
  return Refresh();
}

}  // namespace basalt::engine
