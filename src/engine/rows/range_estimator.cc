// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/range_estimator.h"

#include <algorithm>
#include <string>

#include "engine/rows/window_estimate.h"

namespace basalt::engine {
namespace {

// Entries that Estimate counts before it falls back to file sizes. A cursor's step costs a tenth of
// a microsecond, and the entries are kept for the scan that follows.
constexpr uint64_t kCountedRange = 128;
// And no more bytes than these, three blocks of a file: of wide rows sizes of files tell the number
// well, and each block may have to be read from the disk and unpacked.
constexpr uint64_t kCountedBytes = 24 << 10;
// Sizes of files know blocks, not entries: an estimate below this, of a few blocks, is counted.
constexpr uint64_t kCertainEstimate = 2048;
// And one below this where the sizes may mislead: twice as many as are counted then.
constexpr uint64_t kUncertainEstimate = 2 * kCertainEstimate;
// That many entries of an index, or fewer rows.
constexpr uint64_t kMostBytes = 96 << 10;

// Dead entries that counting passes over at a time. Where more lie side by side (the head of a
// queue, what was purged a moment ago) the way through them would cost each statement what only the
// scan may, and the estimate is made from file sizes and memtables, which know of deletions too.
constexpr uint64_t kMostSkipped = 2048;
// But ranges of which the store holds no more than this are worth the way: it ends soon, and the
// number is right.
constexpr uint64_t kWorthTheWay = 65536;

struct Limit {
  uint64_t entries;
  uint64_t bytes;
};

// Counts on from the cursor's entry to `end`, until a limit is reached; into `cache` as well when
// that is not null.
void CountOn(txn::Cursor* cursor, Bytes end, const Limit& limit, RangeCache* cache,
             RangeCount* count) {
  const auto goes_on = [&] { return count->entries < limit.entries && count->bytes < limit.bytes; };
  while (goes_on() && cursor->Valid() && cursor->key() < end) {
    if (cache != nullptr && !cache->Add(cursor->key(), cursor->value())) cache = nullptr;
    ++count->entries;
    count->bytes += cursor->key().size() + cursor->value().size();
    cursor->Next();
  }
  count->complete = goes_on() && cursor->status().ok();
  count->cached = cache != nullptr && cursor->status().ok();
}

// Counts the entries in [start, end), up to kCountedRange or kCountedBytes.
RangeCount CountRange(txn::Cursor* cursor, Bytes start, Bytes end, RangeCache* cache) {
  RangeCount count;
  cursor->SeekForward(start);
  CountOn(cursor, end, {kCountedRange, kCountedBytes}, cache, &count);
  return count;
}

}  // namespace

// The cache holds what the snapshot and the own writes were when it was filled.
const RangeCache::Range* RangeEstimator::Find(size_t index, Bytes start, Bytes end) const {
  const bool valid = !cache_.empty() && !context_->intent().lock &&
                     cache_operations_ == context_->writes().operations();
  return valid ? cache_.Find(index, start, end) : nullptr;
}

// The index's cursor of these, ready to be moved; null when it cannot be bound.
txn::Cursor* RangeEstimator::Place(CursorSet* cursors, size_t index, uint64_t most_skipped) const {
  txn::Cursor* cursor = cursors->Get(index, most_skipped);
  if (cursor->bound()) return cursor;
  const rocksdb::Snapshot* snapshot =
      context_->ReadsLatest() ? nullptr : context_->transaction()->snapshot().ForEstimate();
  return cursor->Bind(snapshot, &context_->writes()).ok() ? cursor : nullptr;
}

// What was kept before the newest own write.
void RangeEstimator::DropOutdated() {
  if (cache_operations_ == context_->writes().operations()) return;
  cache_.Clear();
  cache_operations_ = context_->writes().operations();
}

// Counts a range for the scan that follows as well, which reads it from the cache: all of it when
// all has been counted, else where it begins.
RangeCount RangeEstimator::CountAndCache(txn::Cursor* cursor, size_t index, Bytes start,
                                         Bytes end) {
  DropOutdated();
  cache_.Begin(index, start, end);
  const RangeCount count = CountRange(cursor, start, end, &cache_);
  if (!count.cached) {
    cache_.Abort();
  } else if (count.complete) {
    cache_.Keep();
  } else {
    cache_.KeepBeginning();
  }
  return count;
}

// Counts the beginning of a range, or all of it. *cursor: whose place is behind what was counted;
// null when there is none.
RangeCount RangeEstimator::CountSome(size_t index, Bytes start, Bytes end,
                                     const txn::Cursor* running, txn::Cursor** cursor) {
  const auto count = [&] {
    // A locking scan reads what is there when it comes by, and nothing that was read before.
    if (*cursor == nullptr) return RangeCount();
    return context_->intent().lock ? CountRange(*cursor, start, end, nullptr)
                                   : CountAndCache(*cursor, index, start, end);
  };
  *cursor = nullptr;
  if (context_->transaction() == nullptr) return RangeCount();
  *cursor = Place(&cursors_, index, kMostSkipped);
  RangeCount counted = count();
  if (*cursor == nullptr || (*cursor)->status().code() != Code::kInterrupted) return counted;
  if (context_->table().statistics().StoredBetween(index, start, end) > kWorthTheWay) {
    return counted;
  }
  const bool taken = running != nullptr && scan_cursors_->Get(index) == running;
  *cursor = taken ? nullptr : Place(scan_cursors_, index, 0);
  return count();
}

uint64_t RangeEstimator::Estimate(size_t index, Bytes start, Bytes end,
                                  const txn::Cursor* running) {
  if (start >= end) return 0;
  txn::Cursor* cursor;
  RangeCount count = CountSome(index, start, end, running, &cursor);
  if (count.complete) return count.entries;
  // The cursor stands behind what it has counted, and behind deletions that it has passed.
  const TableStatistics::Estimate rest = context_->table().statistics().EntriesBetween(
      index, cursor != nullptr && cursor->Valid() ? cursor->key() : start, end);
  uint64_t estimate = count.entries + rest.entries;
  if (cursor != nullptr && estimate < (rest.certain ? kCertainEstimate : kUncertainEstimate)) {
    const uint64_t certain = count.entries;
    const std::string from(cursor->Valid() ? cursor->key() : end);
    CountOn(cursor, end, {kCertainEstimate, kMostBytes}, nullptr, &count);
    if (count.complete) return count.entries;
    // There are more than was estimated. A cursor that gave up on the way stands nowhere.
    if (cursor->Valid()) {
      estimate =
          count.entries + EstimateRest(index, {from, cursor->key(), count.entries - certain}, end);
    }
  }
  return std::max(count.entries, estimate);
}

uint64_t RangeEstimator::Estimate(size_t index, const codec::WindowSearch& search) {
  txn::Cursor* cursor =
      context_->transaction() == nullptr ? nullptr : Place(&cursors_, index, kMostSkipped);
  if (cursor == nullptr) return context_->table().statistics().Rows();
  DropOutdated();
  // A locking scan reads what is there when it comes by.
  return EstimateWindow(context_->table(), index, search, cursor,
                        context_->intent().lock ? nullptr : &cache_);
}

// What is behind entries that were counted, up to `end`. Files tell sizes, and how many entries of
// the whole index are dead: where only the oldest of them has rows, there are more in a block than
// on average. So the estimate is off behind the counted entries as it is for these.
uint64_t RangeEstimator::EstimateRest(size_t index, const CountedPart& counted, Bytes end) {
  constexpr double kMostOff = 4;
  TableStatistics& statistics = context_->table().statistics();
  const auto rest = static_cast<double>(statistics.EntriesBetween(index, counted.end, end).entries);
  const auto estimated =
      static_cast<double>(statistics.EntriesBetween(index, counted.start, counted.end).entries);
  if (estimated == 0) return static_cast<uint64_t>(rest);
  const double off = static_cast<double>(counted.entries) / estimated;
  return static_cast<uint64_t>(rest * std::clamp(off, 1 / kMostOff, kMostOff));
}

}  // namespace basalt::engine
