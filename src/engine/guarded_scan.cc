// SPDX-License-Identifier: GPL-2.0-only
#include "engine/guarded_scan.h"

#include <algorithm>

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
                        txn::LockWait wait, bool fill_cache, txn::ViewStamp stamp) {
  transaction_ = transaction;
  cursor_ = cursor;
  index_ = index;
  wait_ = wait;
  fill_cache_ = fill_cache;
  stamp_ = stamp;
  const store::IndexBounds bounds(index, /*reverse=*/false);
  first_.assign(bounds.first());
  past_end_.assign(bounds.past_end());
}

void GuardedScan::ForgetBound() {
  low_bound_ = first_;
  high_bound_ = past_end_;
}

bool GuardedScan::IsGuarded() const {
  return cursor_->Valid() && cursor_->key() >= low_ && cursor_->key() < high_;
}

Status GuardedScan::SeekForward(Bytes target, Bytes bound) {
  low_bound_ = first_;
  high_bound_.assign(bound);
  low_.assign(target);
  high_.assign(target);
  step_ = 1;
  if (high_ >= high_bound_) return Status(Code::kEndOfRange);
  return ExtendForward(/*placed=*/false);
}

Status GuardedScan::SeekBelow(Bytes target, Bytes bound) {
  high_bound_ = past_end_;
  low_bound_.assign(bound);
  low_.assign(target);
  high_.assign(target);
  step_ = 1;
  if (low_ <= low_bound_) return Status(Code::kEndOfRange);
  return ExtendBackward(/*placed=*/false);
}

Status GuardedScan::Next() {
  cursor_->Next();
  if (IsGuarded()) [[likely]]
    return Status::Ok();
  BASALT_RETURN_IF_ERROR(cursor_->status());
  if (high_ >= high_bound_) return Status(Code::kEndOfRange);
  return ExtendForward(/*placed=*/true);
}

Status GuardedScan::Previous() {
  cursor_->Prev();
  if (IsGuarded()) [[likely]]
    return Status::Ok();
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
    std::string end = WalkForward(&seen);
    BASALT_RETURN_IF_ERROR(cursor_->status());
    bool refreshed = false;
    BASALT_RETURN_IF_ERROR(LockAhead(high_, end, &refreshed));
    if (refreshed || seen > 1) cursor_->SeekForward(high_);
    high_ = std::move(end);
    if (IsGuarded()) return Status::Ok();
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
    std::string start = WalkBackward(&seen);
    BASALT_RETURN_IF_ERROR(cursor_->status());
    bool refreshed = false;
    BASALT_RETURN_IF_ERROR(LockAhead(start, low_, &refreshed));
    if (refreshed || seen > 1) PlaceBelow(low_);
    low_ = std::move(start);
    if (IsGuarded()) return Status::Ok();
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

// Locks the range, and makes the cursor show what has been committed until then.
Status GuardedScan::LockAhead(Bytes start, Bytes end, bool* refreshed) {
  BASALT_RETURN_IF_ERROR(transaction_->LockRange(index_, start, end, wait_));
  step_ = std::min(step_ * kStepGrowth, kLargestStep);
  const txn::ViewStamp latest = transaction_->LatestStamp();
  if (latest == stamp_) return Status::Ok();
  stamp_ = latest;
  *refreshed = true;
  return cursor_->Bind(nullptr, &transaction_->writes(), fill_cache_);
}

}  // namespace basalt::engine
