// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/index_scan.h"

#include <bit>
#include <utility>

#include "base/prefetch.h"
#include "engine/entry_name.h"

namespace basalt::engine {
namespace {

// Moves of a shared scan of a whole index after which it asks for all rows at once, and again after
// each doubling. A power of two.
constexpr uint64_t kRowsLockedOneByOne = 16384;

// Before a step: the next entry lies behind this one in its block, the last one in front of it,
// unless the block ends there, and is about as large. Wide rows would make the scan wait for memory
// with each of them otherwise, the more so backward, which no processor expects.
[[gnu::always_inline]] inline void PrefetchNeighbour(const txn::Cursor& cursor, bool forward) {
  constexpr size_t kWide = 128;
  const Bytes value = cursor.value();
  const size_t entry = value.size() + cursor.key().size();
  if (value.size() <= kWide) return;
  Prefetch(forward ? value.data() + value.size() : value.data() - entry, entry);
}

// What a move of the cursor has come to.
Status OutcomeOf(const txn::Cursor& cursor) {
  if (cursor.Valid()) [[likely]]
    return Status::Ok();
  Status status = cursor.status();
  return status.ok() ? Status(Code::kEndOfRange) : std::move(status);
}

}  // namespace

Status IndexScan::BeginScan(size_t index, bool key_only, bool fill_cache) {
  scans_whole_ = all_locked_ = view_is_old_ = false;
  replay_.End();
  moves_ = 0;
  index_ = index;
  key_only_ = key_only;
  const Table& table = context_->table();
  cursor_ = cursors_->Get(index);
  reader_->CompareWithIndex(secondary_index());
  WantedColumnsChanged();
  // A locking scan looks at the newest entries; each row is then locked and read again.
  txn::Transaction* transaction = context_->transaction();
  const rocksdb::Snapshot* snapshot =
      context_->ScansLatest() ? nullptr : transaction->snapshot().ForReads();
  context_->ttl_clock().Observe(transaction);
  const txn::ViewStamp stamp = transaction->reads().LatestStamp();
  BASALT_RETURN_IF_ERROR(
      WithEntry(table, index, Bytes(), cursor_->Bind(snapshot, &context_->writes(), fill_cache)));
  const ReadIntent& intent = context_->intent();
  if (intent.repeatable || intent.awaits_entries) {
    const auto keep = intent.repeatable ? GuardedScan::Keep::kRanges : GuardedScan::Keep::kNothing;
    guard_.Begin(transaction, cursor_, table.index(index).id, keep, intent.wait, fill_cache, stamp);
  }
  return Status::Ok();
}

void IndexScan::End() {
  replay_.End();
  guard_.End();
  if (cursor_ != nullptr) cursor_->Unbind();
  cursor_ = nullptr;
}

void IndexScan::WantedColumnsChanged() {
  if (!secondary_index()) return;
  const Table& table = context_->table();
  entry_decoder_.Compile(table.descriptor(), *table.index(index_).codec, reader_->wanted());
}

Status IndexScan::SeekRange(Bytes start, Bytes end) {
  const RangeCache::Range* kept = estimator_->Find(index_, start, end);
  if (kept == nullptr) return Seek(start, end);
  if (kept->entries == 0) return Status(Code::kEndOfRange);
  replay_.Begin(estimator_->cache(), *kept);
  return Status::Ok();
}

Status IndexScan::SeekWindow(const codec::WindowSearch& search) {
  const RangeCache::Range* kept = estimator_->Find(index_, search.identity(), Bytes());
  if (kept == nullptr) return Seek(search.target());
  if (kept->entries == 0) return Status(Code::kEndOfRange);
  replay_.Begin(estimator_->cache(), *kept);
  return Status::Ok();
}

// A scan that locks ranges leaves what it passes over free, so it does not step there.
Status IndexScan::SeekNear(Bytes target) {
  constexpr int kMostSteps = 4;  // which cost a fifth of a seek
  for (int i = 0; i < kMostSteps && !guard_.active(); ++i) {
    Status moved = Step(Direction::kForward);
    if (!moved.ok() || entry_key() >= target) return moved;
  }
  return Seek(target);
}

// A row that was not locked and that the reader has not given up is wanted: a scan that comes to it
// again waits. One that has waited looks at what has been committed since.
Status IndexScan::BeforeSeek() {
  if (reader_->is_unlocked()) [[unlikely]]
    WaitForNextRow();
  if (!view_is_old_) [[likely]]
    return Status::Ok();
  view_is_old_ = false;
  return cursor_->Bind(nullptr, &context_->writes(),
                       context_->transaction()->settings().fill_cache);
}

// What a move to `target` (empty: to an end) has come to.
Status IndexScan::AfterSeek(Bytes target, Status status) {
  ++moves_;
  locator_.Begin(target);
  if (status.ok()) [[likely]]
    return status;
  return WithEntry(context_->table(), index_, target, std::move(status));
}

Status IndexScan::Seek(Bytes target, Bytes bound) {
  replay_.End();
  scans_whole_ = false;
  if (guard_.active()) {
    return AfterSeek(target, guard_.SeekForward(target, bound.empty() ? guard_.past_end() : bound));
  }
  BASALT_RETURN_IF_ERROR(BeforeSeek());
  cursor_->SeekForward(target);
  return AfterSeek(target, OutcomeOf(*cursor_));
}

Status IndexScan::SeekBelow(Bytes target, Bytes bound) {
  replay_.End();
  scans_whole_ = false;
  if (guard_.active()) {
    return AfterSeek(target, guard_.SeekBelow(target, bound.empty() ? guard_.first() : bound));
  }
  BASALT_RETURN_IF_ERROR(BeforeSeek());
  cursor_->SeekBackward(target);
  if (cursor_->Valid() && cursor_->key() == target) cursor_->Prev();
  return AfterSeek(target, OutcomeOf(*cursor_));
}

Status IndexScan::SeekToEnd(Direction direction) {
  replay_.End();
  scans_whole_ = guard_.active() && context_->intent().mode == txn::LockMode::kShared;
  const bool forward = direction == Direction::kForward;
  if (guard_.active()) {
    return AfterSeek(Bytes(), forward ? guard_.SeekForward(guard_.first(), guard_.past_end())
                                      : guard_.SeekBelow(guard_.past_end(), guard_.first()));
  }
  BASALT_RETURN_IF_ERROR(BeforeSeek());
  if (forward) {
    cursor_->SeekFirst();
  } else {
    cursor_->SeekLast();
  }
  return AfterSeek(Bytes(), OutcomeOf(*cursor_));
}

void IndexScan::ForgetBound() {
  if (guard_.active()) guard_.ForgetBound();
}

Status IndexScan::Step(Direction direction) {
  const bool forward = direction == Direction::kForward;
  if (replay_.active()) {
    if (forward && replay_.HasNext()) [[likely]] {
      replay_.Next();
      return Status::Ok();
    }
    bool arrived = false;
    Status left = EndReplay(forward, &arrived);
    if (!left.ok() || arrived) return left;
  }
  if (!cursor_->Valid()) return Status(Code::kEndOfRange);
  ++moves_;
  locator_.NoteStep(*cursor_);
  PrefetchNeighbour(*cursor_, forward);
  Status moved = StepCursor(forward);
  if (moved.ok()) [[likely]]
    return moved;
  return locator_.NameBreak(context_->table(), index_, forward, std::move(moved));
}

Status IndexScan::StepCursor(bool forward) {
  if (guard_.active()) return forward ? guard_.Next() : guard_.Previous();
  if (view_is_old_) [[unlikely]]
    return StepInNewView(forward);
  forward ? cursor_->Next() : cursor_->Prev();
  return OutcomeOf(*cursor_);
}

// The step from the last entry that was kept, or backward. *arrived: it has been made; otherwise
// the cursor stands on the same entry now. The range goes on behind what was kept of it; or the
// scan turns round, which nobody does in a range that is read forward, but it must not depend on
// that.
Status IndexScan::EndReplay(bool forward, bool* arrived) {
  *arrived = true;
  if (forward && replay_.complete()) return Status(Code::kEndOfRange);
  const std::string key(entry_key());
  if (!forward) return SeekBelow(key);
  BASALT_RETURN_IF_ERROR(Seek(key));
  *arrived = entry_key() != key;
  return Status::Ok();
}

// Makes the cursor show what has been committed until now, and goes on from its entry, which may be
// gone.
Status IndexScan::StepInNewView(bool forward) {
  view_is_old_ = false;
  const std::string key(cursor_->key());
  BASALT_RETURN_IF_ERROR(
      cursor_->Bind(nullptr, &context_->writes(), context_->transaction()->settings().fill_cache));
  forward ? cursor_->SeekForward(key) : cursor_->SeekBackward(key);
  if (cursor_->Valid() && cursor_->key() == key) forward ? cursor_->Next() : cursor_->Prev();
  return OutcomeOf(*cursor_);
}

Status IndexScan::DecodeEntry(uint8_t* record) {
  if (entry_decoder_.Decode(entry_key(), entry_value(), record)) [[likely]] {
    return Status::Ok();
  }
  return MalformedEntry(context_->table(), index_, entry_key());
}

Status IndexScan::TakeRowKey() {
  const Bytes row_key = encoder_->RowKeyOfEntry(index_, entry_key());
  if (row_key.empty()) return MalformedEntry(context_->table(), index_, entry_key());
  reader_->SetKey(row_key);
  return Status::Ok();
}

// Does the row, as it is now, still have this entry in the scanned index?
bool IndexScan::EntryIsOf(uint8_t* record) {
  if (context_->table().index(index_).has_virtual_parts) {
    context_->virtual_columns()->Compute(index_, record);
  }
  return entry_key() == encoder_->EntryKey(index_, record, reader_->hidden_id());
}

// The entry's value, where it outlives the scan: BLOB columns of the record point into it, and the
// server may close the scan before it looks at them. The store's iterator stays where it is; own
// writes and replayed entries do not.
Bytes IndexScan::LastingEntryValue() {
  const Bytes value = entry_value();
  if (!context_->table().has_blobs() || (!replay_.active() && !cursor_->overlaid())) [[likely]]
    return value;
  return reader_->Keep(value);
}

// A scan of a whole index locks all rows in the end. From some length on it does so at once, if
// nobody is in the way: that spares locks and memory.
Status IndexScan::LockAllRows() {
  if (!context_->transaction()->locks().ShareIndex(context_->table().primary().id))
    return Status::Ok();
  scans_whole_ = false;
  all_locked_ = true;
  return guard_.GuardAll();
}

// Locks the row of the scan's entry. Who has locked it may have added entries that the scan has not
// come to, and a scan that waited for that sees them.
Status IndexScan::LockOrWait(txn::LockWait wait) {
  const bool renews = wait == txn::LockWait::kWait && !guard_.active() && context_->ScansLatest();
  if (!renews) return reader_->Lock(wait);
  Status locked = reader_->Lock(txn::LockWait::kNoWait);
  if (locked.code() != Code::kLockBusy) [[likely]]
    return locked;
  view_is_old_ = true;
  return reader_->Lock(wait);
}

Status IndexScan::LockRow() {
  if (all_locked_) [[likely]]
    return Status::Ok();
  const bool lengthy = scans_whole_ && moves_ >= kRowsLockedOneByOne;
  if (lengthy && std::has_single_bit(moves_)) BASALT_RETURN_IF_ERROR(LockAllRows());
  const ReadIntent& intent = context_->intent();
  const bool may_wait = wait_for_next_ || !intent.semi_consistent;
  wait_for_next_ = false;
  Status locked = LockOrWait(may_wait ? intent.wait : txn::LockWait::kNoWait);
  if (locked.code() == Code::kSnapshotConflict) [[unlikely]]
    return RefreshSnapshot(std::move(locked));
  if (may_wait) return locked;
  reader_->set_unlocked(locked.code() == Code::kLockBusy);
  return reader_->is_unlocked() ? Status::Ok() : std::move(locked);
}

// The row has changed between the scan's snapshot and its lock. When nothing else was read by that
// snapshot, no other row either, the scan goes on with a newer one, as in MyRocks.
Status IndexScan::RefreshSnapshot(Status conflict) {
  const rocksdb::Snapshot* newer =
      moves_ == 1 ? context_->transaction()->snapshot().RefreshIfReadOnce() : nullptr;
  if (newer == nullptr) return conflict;
  const std::string entry(entry_key());
  BASALT_RETURN_IF_ERROR(cursor_->Bind(newer, &context_->writes(), /*fill_cache=*/true));
  context_->ttl_clock().Observe(context_->transaction());
  cursor_->SeekForward(entry);
  return cursor_->Valid() && cursor_->key() == entry ? Status::Ok() : std::move(conflict);
}

void IndexScan::WaitForNextRow() {
  reader_->set_unlocked(false);
  wait_for_next_ = true;
}

// After the lock: is the entry what there is now, and all that is wanted of the row?
bool IndexScan::EntrySuffices() const {
  return guard_.active() && !reader_->is_unlocked() && (context_->IsPrimary(index_) || key_only_);
}

Status IndexScan::ReadRow(uint8_t* record) {
  reader_->BeginRow();
  if (HasExpired()) [[unlikely]]
    return Status(Code::kNotFound);
  const bool primary = context_->IsPrimary(index_);
  const bool locks = context_->intent().lock;
  if (!locks && primary) {
    reader_->SetKey(entry_key());
    return reader_->Decode(LastingEntryValue(), record);
  }
  if (!locks && key_only_) return DecodeEntry(record);
  if (all_locked_ && key_only_ && !primary && guard_.ShowsLatest()) return DecodeEntry(record);
  BASALT_RETURN_IF_ERROR(TakeRowKey());
  if (locks) BASALT_RETURN_IF_ERROR(LockRow());
  if (EntrySuffices() && guard_.ShowsLatest()) {
    return primary ? reader_->Decode(LastingEntryValue(), record) : DecodeEntry(record);
  }
  Status read = reader_->Fetch();
  if (read.code() == Code::kNotFound) {
    if (!locks) return context_->EntryWithoutRow(index_, reader_->key());
    reader_->Release();
    return read;
  }
  BASALT_RETURN_IF_ERROR(std::move(read));
  BASALT_RETURN_IF_ERROR(reader_->DecodeFetched(record));
  if (primary || !locks || EntryIsOf(record)) return Status::Ok();
  reader_->Release();
  return Status(Code::kNotFound);
}

}  // namespace basalt::engine
