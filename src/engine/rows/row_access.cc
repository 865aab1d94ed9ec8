// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_access.h"

#include <bit>

#include "base/prefetch.h"
#include "engine/database.h"
#include "engine/entry_name.h"
#include "store/store.h"

namespace basalt::engine {
namespace {

// Entries that EstimateRange counts before it falls back to file sizes. A cursor's step costs a
// tenth of a microsecond, and the entries are kept for the scan that follows.
constexpr uint64_t kCountedRange = 128;
// Sizes of files know blocks, not entries: an estimate below this, of a few blocks, is counted.
constexpr uint64_t kCertainEstimate = 2048;

// Dead entries that counting passes over at a time. Where more lie side by side (the head of a
// queue, what was purged a moment ago) the way through them would cost each statement what only the
// scan may, and the estimate is made from file sizes and memtables, which know of deletions too.
constexpr uint64_t kMostSkipped = 2048;
// But ranges of which the store holds no more than this are worth the way: it ends soon, and the
// number is right.
constexpr uint64_t kWorthTheWay = 65536;

// Moves of a shared scan of a whole index after which it asks for all rows at once, and again after
// each doubling. A power of two.
constexpr uint64_t kRowsLockedOneByOne = 16384;

// Counts on from the cursor's entry to `end`, until there are `limit`; into `cache` as well when
// that is not null.
void CountOn(txn::Cursor* cursor, Bytes end, uint64_t limit, RangeCache* cache, RangeCount* count) {
  while (count->entries < limit && cursor->Valid() && cursor->key() < end) {
    if (cache != nullptr && !cache->Add(cursor->key(), cursor->value())) cache = nullptr;
    ++count->entries;
    cursor->Next();
  }
  count->complete = count->entries < limit && cursor->status().ok();
  count->cached = cache != nullptr && cursor->status().ok();
}

// Counts the entries in [start, end), up to kCountedRange.
RangeCount CountRange(txn::Cursor* cursor, Bytes start, Bytes end, RangeCache* cache) {
  RangeCount count;
  cursor->SeekForward(start);
  CountOn(cursor, end, kCountedRange, cache, &count);
  return count;
}

// Before a step: the next entry lies behind this one in its block, the last one in front of it,
// unless the block ends there, and is about as large. Wide rows would make the scan wait for memory
// with each of them otherwise, the more so backward, which no processor expects.
[[gnu::always_inline]] inline void FetchNeighbour(const txn::Cursor& cursor, bool forward) {
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

RowAccess::RowAccess(std::shared_ptr<Table> table)
    : table_(std::move(table)),
      life_(*table_),
      cursors_(table_->index_count()),
      estimate_cursors_(table_->index_count()),
      unique_cursors_(table_->index_count()),
      key_buffer_(table_->max_key_bytes()),
      unpack_buffer_(table_->max_unpack_bytes()),
      before_(table_->index_count()),
      after_(table_->index_count()) {}

RowAccess::~RowAccess() = default;

void RowAccess::Bind(txn::Transaction* transaction, const ReadIntent& intent) {
  transaction_ = transaction;
  set_intent(intent);
  life_.Begin();
  gap_.Forget();
  row_decoder_ready_ = row_unlocked_ = wait_for_next_ = false;
}

void RowAccess::Unbind() {
  EndScan();
  cache_.Clear();
  ParkCursors();
  row_value_.Reset();
  for (size_t i = 0; i < fetch_capacity_; ++i) fetch_values_[i].Reset();
  transaction_ = nullptr;
}

void RowAccess::ParkCursors() {
  if (!cursors_used_) return;
  cursors_used_ = false;
  for (Cursors* cursors : {&cursors_, &estimate_cursors_, &unique_cursors_}) {
    for (auto& cursor : *cursors) {
      if (cursor != nullptr) cursor->Park();
    }
  }
}

void RowAccess::ReleaseCursors() {
  EndScan();
  for (Cursors* cursors : {&cursors_, &estimate_cursors_, &unique_cursors_}) {
    for (auto& cursor : *cursors) cursor.reset();
  }
}

txn::Cursor* RowAccess::CursorOf(Cursors* cursors, size_t index, uint64_t most_skipped) {
  std::unique_ptr<txn::Cursor>& cursor = (*cursors)[index];
  if (cursor == nullptr) {
    const Index& data = table_->index(index);
    const Database* database = table_->database();
    cursor =
        std::make_unique<txn::Cursor>(database->store()->base(), data.family, data.reverse, data.id,
                                      database->transactions()->idle_cursors(), most_skipped);
  }
  cursors_used_ = true;
  return cursor.get();
}

void RowAccess::SetWantedColumns(const codec::ColumnSet& wanted) {
  if (wanted == wanted_) return;
  wanted_ = wanted;
  row_decoder_ready_ = false;
  if (cursor_ != nullptr && scan_index_ != table_->primary_position()) {
    entry_decoder_.Compile(table_->descriptor(), *table_->index(scan_index_).codec, wanted_);
  }
}

// A locking scan of a secondary index compares the row with the entry, and so needs the columns of
// both keys besides the wanted ones; all columns, when parts of the key are computed from others.
void RowAccess::CompileRowDecoder() {
  codec::ColumnSet columns = wanted_;
  const bool compares =
      intent_.lock && cursor_ != nullptr && scan_index_ != table_->primary_position();
  if (compares && table_->index(scan_index_).has_virtual_parts) {
    columns = codec::ColumnSet::All(table_->descriptor().columns.size());
  } else if (compares) {
    for (const codec::KeyPart& part : table_->descriptor().indexes[scan_index_].parts) {
      columns.Add(part.column);
    }
    for (const codec::KeyPart& part : table_->descriptor().primary_index().parts) {
      columns.Add(part.column);
    }
  }
  if (!row_decoder_.CompiledFor(columns)) {
    row_decoder_.Compile(table_->descriptor(), *table_->primary().codec, table_->row_codec(),
                         columns);
  }
  row_decoder_ready_ = true;
}

Status RowAccess::Malformed(size_t index, Bytes key) const {
  return Status(Code::kCorruption,
                NameOfEntry(*table_, index, key) + ": the entry contradicts the format");
}

// An entry of the scanned index led to this row, in the same snapshot.
Status RowAccess::EntryWithoutRow(Bytes row_key) const {
  if (life_.EntriesMayStandAlone()) return Status(Code::kNotFound);
  return Status(Code::kCorruption, NameOfEntry(*table_, table_->primary_position(), row_key) +
                                       ": there is no such row, but an entry of index " +
                                       table_->descriptor().indexes[scan_index_].name);
}

Status RowAccess::DecodeRow(Bytes key, Bytes value, uint8_t* record) {
  if (life_.Hides(value)) [[unlikely]] {
    UnlockRow();
    return Status(Code::kNotFound);
  }
  if (!row_decoder_ready_) CompileRowDecoder();
  if (row_decoder_.Decode(key, value, record)) [[likely]]
    return Status::Ok();
  return Malformed(table_->primary_position(), key);
}

Status RowAccess::LockRow(Bytes primary_key, txn::LockWait wait) {
  BASALT_RETURN_IF_ERROR(transaction_->Lock(table_->primary().id, primary_key, intent_.mode, wait,
                                            &row_newly_locked_));
  row_lock_position_ = transaction_->lock_count();
  return transaction_->CheckUnchanged(table_->primary().family, primary_key);
}

Status RowAccess::ReadRow(Bytes primary_key, uint8_t* record, bool alone) {
  row_newly_locked_ = false;
  if (primary_key.data() != row_key_.data()) row_key_.assign(primary_key);
  rocksdb::ColumnFamilyHandle* family = table_->primary().family;
  Status read;
  if (intent_.lock) {
    BASALT_RETURN_IF_ERROR(LockRow(row_key_, intent_.wait));
    read = transaction_->Get(family, row_key_, view(), &row_value_);
    // MyRocks locks the key of a row that is not there; here others may insert it where nothing is
    // repeatable.
    const bool as_myrocks = transaction_->settings().detect_conflicts;
    if (read.code() == Code::kNotFound && !as_myrocks) UnlockRow();
  } else if (alone) {
    read = transaction_->GetAlone(family, row_key_, &row_value_);
  } else {
    read = transaction_->Get(family, row_key_, view(), &row_value_);
  }
  if (!read.ok()) return WithEntry(*table_, table_->primary_position(), row_key_, std::move(read));
  life_.Observe(transaction_);
  return DecodeRow(row_key_, Bytes(row_value_.data(), row_value_.size()), record);
}

Status RowAccess::TakeRow(Bytes primary_key) {
  row_newly_locked_ = false;
  row_key_.assign(primary_key);
  return LockRow(row_key_, intent_.wait);
}

void RowAccess::FetchRows(const std::vector<std::string>& primary_keys, size_t count) {
  if (count > fetch_capacity_) {
    fetch_values_ = std::make_unique<rocksdb::PinnableSlice[]>(count);
    fetch_capacity_ = count;
  }
  fetch_keys_.assign(primary_keys.begin(), primary_keys.begin() + static_cast<ptrdiff_t>(count));
  fetch_codes_.assign(count, Code::kOk);
  transaction_->MultiGet(table_->primary().family, count, fetch_keys_.data(), view(),
                         /*sorted=*/false, fetch_values_.get(), fetch_codes_.data());
  life_.Observe(transaction_);
}

Status RowAccess::TakeFetched(size_t position, uint8_t* record) {
  const rocksdb::Slice& key = fetch_keys_[position];
  if (fetch_codes_[position] != Code::kOk) {
    if (fetch_codes_[position] == Code::kNotFound) {
      const bool from_entry = cursor_ != nullptr && scan_index_ != table_->primary_position();
      return from_entry ? EntryWithoutRow(Bytes(key.data(), key.size())) : Status(Code::kNotFound);
    }
    // Reading it alone tells why.
    return ReadRow(Bytes(key.data(), key.size()), record);
  }
  row_key_.assign(key.data(), key.size());
  const rocksdb::PinnableSlice& value = fetch_values_[position];
  return DecodeRow(row_key_, Bytes(value.data(), value.size()), record);
}

Status RowAccess::StartScan(size_t index, bool key_only, bool fill_cache) {
  replaying_ = scans_whole_ = all_locked_ = view_is_old_ = false;
  scan_moves_ = 0;
  scan_index_ = index;
  scan_key_only_ = key_only;
  row_decoder_ready_ = false;
  cursor_ = CursorOf(&cursors_, index);
  if (index != table_->primary_position()) {
    entry_decoder_.Compile(table_->descriptor(), *table_->index(index).codec, wanted_);
  }
  // A locking scan looks at the newest entries; each row is then locked and read again.
  const rocksdb::Snapshot* snapshot = ScansLatest() ? nullptr : transaction_->ReadSnapshot();
  life_.Observe(transaction_);
  const txn::ViewStamp stamp = transaction_->LatestStamp();
  BASALT_RETURN_IF_ERROR(
      WithEntry(*table_, index, Bytes(), cursor_->Bind(snapshot, &writes(), fill_cache)));
  if (intent_.lock && intent_.repeatable) {
    guard_.Begin(transaction_, cursor_, table_->index(index).id, intent_.wait, fill_cache, stamp);
  }
  return Status::Ok();
}

void RowAccess::EndScan() {
  replaying_ = false;
  guard_.End();
  if (cursor_ != nullptr) cursor_->Unbind();
  cursor_ = nullptr;
}

// The cache holds what the snapshot and the own writes were when it was filled.
bool RowAccess::CacheIsValid() const {
  return !cache_.empty() && !intent_.lock && cache_operations_ == writes().operations();
}

Status RowAccess::SeekRange(Bytes start, Bytes end) {
  const RangeCache::Range* range = CacheIsValid() ? cache_.Find(scan_index_, start, end) : nullptr;
  if (range == nullptr) return Seek(start, end);
  if (range->entries == 0) return Status(Code::kEndOfRange);
  replaying_ = true;
  replay_ = range->first_entry;
  replay_end_ = range->first_entry + range->entries;
  replays_all_ = range->complete;
  return Status::Ok();
}

// A row that was not locked and that the reader has not given up is wanted: a scan that comes to it
// again waits. One that has waited looks at what has been committed since.
Status RowAccess::BeforeSeek() {
  if (row_unlocked_) [[unlikely]]
    WaitForNextRow();
  if (!view_is_old_) [[likely]]
    return Status::Ok();
  view_is_old_ = false;
  return cursor_->Bind(nullptr, &writes(), transaction_->settings().fill_cache);
}

// What a move to `target` (empty: to an end) has come to.
Status RowAccess::AfterSeek(Bytes target, Status status) {
  ++scan_moves_;
  trail_.Begin(target);
  if (status.ok()) [[likely]]
    return status;
  return WithEntry(*table_, scan_index_, target, std::move(status));
}

Status RowAccess::Seek(Bytes target, Bytes bound) {
  replaying_ = scans_whole_ = false;
  if (guard_.active()) {
    return AfterSeek(target, guard_.SeekForward(target, bound.empty() ? guard_.past_end() : bound));
  }
  BASALT_RETURN_IF_ERROR(BeforeSeek());
  cursor_->SeekForward(target);
  return AfterSeek(target, OutcomeOf(*cursor_));
}

Status RowAccess::SeekBelow(Bytes target, Bytes bound) {
  replaying_ = scans_whole_ = false;
  if (guard_.active()) {
    return AfterSeek(target, guard_.SeekBelow(target, bound.empty() ? guard_.first() : bound));
  }
  BASALT_RETURN_IF_ERROR(BeforeSeek());
  cursor_->SeekBackward(target);
  if (cursor_->Valid() && cursor_->key() == target) cursor_->Prev();
  return AfterSeek(target, OutcomeOf(*cursor_));
}

Status RowAccess::SeekToEnd(Position direction) {
  replaying_ = false;
  scans_whole_ = guard_.active() && intent_.mode == txn::LockMode::kShared;
  const bool forward = direction == Position::kForward;
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

void RowAccess::ForgetBound() {
  if (guard_.active()) guard_.ForgetBound();
}

Status RowAccess::Step(Position direction) {
  const bool forward = direction == Position::kForward;
  if (replaying_) {
    if (forward) {
      if (replay_ + 1 < replay_end_) {
        ++replay_;
        return Status::Ok();
      }
      if (replays_all_) return Status(Code::kEndOfRange);
    }
    // The range goes on behind what was kept of it; or the scan turns round, which nobody does in a
    // range that is read forward, but it must not depend on that.
    const std::string key(entry_key());
    if (!forward) return SeekBelow(key);
    BASALT_RETURN_IF_ERROR(Seek(key));
    if (entry_key() != key) return Status::Ok();
  }
  if (!cursor_->Valid()) return Status(Code::kEndOfRange);
  ++scan_moves_;
  trail_.Pass(*cursor_);
  Status moved;
  FetchNeighbour(*cursor_, forward);
  if (guard_.active()) {
    moved = forward ? guard_.Next() : guard_.Previous();
  } else if (view_is_old_) [[unlikely]] {
    moved = StepInNewView(forward);
  } else {
    forward ? cursor_->Next() : cursor_->Prev();
    moved = OutcomeOf(*cursor_);
  }
  if (moved.ok()) [[likely]]
    return moved;
  return trail_.NameBreak(*table_, scan_index_, forward, std::move(moved));
}

// Makes the cursor show what has been committed until now, and goes on from its entry, which may be
// gone.
Status RowAccess::StepInNewView(bool forward) {
  view_is_old_ = false;
  const std::string key(cursor_->key());
  BASALT_RETURN_IF_ERROR(cursor_->Bind(nullptr, &writes(), transaction_->settings().fill_cache));
  forward ? cursor_->SeekForward(key) : cursor_->SeekBackward(key);
  if (cursor_->Valid() && cursor_->key() == key) forward ? cursor_->Next() : cursor_->Prev();
  return OutcomeOf(*cursor_);
}

Status RowAccess::DecodeEntry(uint8_t* record) {
  if (entry_decoder_.Decode(entry_key(), entry_value(), record)) [[likely]] {
    return Status::Ok();
  }
  return Malformed(scan_index_, entry_key());
}

Status RowAccess::TakeEntryRowKey() {
  if (scan_index_ == table_->primary_position()) {
    row_key_.assign(entry_key());
    return Status::Ok();
  }
  const size_t bytes =
      table_->index(scan_index_).codec->ExtractPrimaryKey(entry_key(), key_buffer_.data());
  if (bytes == 0) return Malformed(scan_index_, entry_key());
  row_key_.assign(reinterpret_cast<const char*>(key_buffer_.data()), bytes);
  return Status::Ok();
}

Bytes RowAccess::RowKeyOf(const uint8_t* record) {
  const size_t bytes =
      table_->primary().codec->EncodeKey(record, 0, key_buffer_.data(), nullptr, nullptr);
  return MakeBytes(key_buffer_.data(), bytes);
}

// Does the row, as it is now, still have this entry in the scanned index?
bool RowAccess::EntryBelongsTo(Bytes entry, uint8_t* record) {
  const Index& index = table_->index(scan_index_);
  if (index.has_virtual_parts) virtual_columns_->Compute(scan_index_, record);
  const size_t bytes =
      index.codec->EncodeKey(record, HiddenIdOfRow(), key_buffer_.data(), nullptr, nullptr);
  return entry == MakeBytes(key_buffer_.data(), bytes);
}

// The entry's value, where it outlives the scan: BLOB columns of the record point into it, and the
// server may close the scan before it looks at them. The store's iterator stays where it is; own
// writes and replayed entries do not.
Bytes RowAccess::LastingEntryValue() {
  const Bytes value = entry_value();
  if (!table_->has_blobs() || (!replaying_ && !cursor_->overlaid())) [[likely]]
    return value;
  row_value_.Reset();
  row_value_.PinSelf(rocksdb::Slice(value));
  return Bytes(row_value_.data(), row_value_.size());
}

// A scan of a whole index locks all rows in the end. From some length on it does so at once, if
// nobody is in the way: that spares locks and memory.
Status RowAccess::LockAllRows() {
  if (!transaction_->ShareIndex(table_->primary().id)) return Status::Ok();
  scans_whole_ = false;
  all_locked_ = true;
  return guard_.GuardAll();
}

// Locks the row of the scan's entry. Who has locked it may have added entries that the scan has not
// come to, and a scan that waited for that sees them.
Status RowAccess::LockOrWait(txn::LockWait wait) {
  const bool renews = wait == txn::LockWait::kWait && !guard_.active() && ScansLatest();
  if (!renews) return LockRow(row_key_, wait);
  Status locked = LockRow(row_key_, txn::LockWait::kNoWait);
  if (locked.code() != Code::kLockBusy) [[likely]]
    return locked;
  view_is_old_ = true;
  return LockRow(row_key_, wait);
}

Status RowAccess::LockEntryRow() {
  if (all_locked_) [[likely]]
    return Status::Ok();
  const bool lengthy = scans_whole_ && scan_moves_ >= kRowsLockedOneByOne;
  if (lengthy && std::has_single_bit(scan_moves_)) BASALT_RETURN_IF_ERROR(LockAllRows());
  const bool may_wait = wait_for_next_ || !intent_.semi_consistent;
  wait_for_next_ = false;
  Status locked = LockOrWait(may_wait ? intent_.wait : txn::LockWait::kNoWait);
  if (locked.code() == Code::kSnapshotConflict) [[unlikely]] {
    // The row has changed between the scan's snapshot and its lock. When nothing else was read by
    // that snapshot, no other row either, the scan goes on with a newer one, as in MyRocks.
    const rocksdb::Snapshot* newer =
        scan_moves_ == 1 ? transaction_->RenewFreshSnapshot() : nullptr;
    if (newer == nullptr) return locked;
    const std::string entry(entry_key());
    BASALT_RETURN_IF_ERROR(cursor_->Bind(newer, &writes(), /*fill_cache=*/true));
    life_.Observe(transaction_);
    cursor_->SeekForward(entry);
    return cursor_->Valid() && cursor_->key() == entry ? Status::Ok() : std::move(locked);
  }
  if (may_wait) return locked;
  row_unlocked_ = locked.code() == Code::kLockBusy;
  return row_unlocked_ ? Status::Ok() : std::move(locked);
}

void RowAccess::WaitForNextRow() {
  row_unlocked_ = false;
  wait_for_next_ = true;
}

Status RowAccess::ReadEntryRow(uint8_t* record) {
  row_newly_locked_ = false;
  row_unlocked_ = false;
  if (EntryHasExpired()) [[unlikely]]
    return Status(Code::kNotFound);
  const bool primary = scan_index_ == table_->primary_position();
  if (!intent_.lock) {
    if (primary) {
      row_key_.assign(entry_key());
      return DecodeRow(row_key_, LastingEntryValue(), record);
    }
    if (scan_key_only_) return DecodeEntry(record);
  }
  if (all_locked_ && scan_key_only_ && !primary && guard_.ShowsLatest()) {
    return DecodeEntry(record);
  }
  BASALT_RETURN_IF_ERROR(TakeEntryRowKey());
  if (intent_.lock) BASALT_RETURN_IF_ERROR(LockEntryRow());
  if (guard_.active() && !row_unlocked_ && (primary || scan_key_only_) && guard_.ShowsLatest()) {
    return primary ? DecodeRow(row_key_, LastingEntryValue(), record) : DecodeEntry(record);
  }
  Status read = transaction_->Get(table_->primary().family, row_key_, view(), &row_value_);
  if (read.code() == Code::kNotFound) {
    if (!intent_.lock) return EntryWithoutRow(row_key_);
    ReleaseRow();
    return read;
  }
  if (!read.ok()) return WithEntry(*table_, table_->primary_position(), row_key_, std::move(read));
  BASALT_RETURN_IF_ERROR(DecodeRow(row_key_, Bytes(row_value_.data(), row_value_.size()), record));
  if (!primary && intent_.lock && !EntryBelongsTo(entry_key(), record)) {
    ReleaseRow();
    return Status(Code::kNotFound);
  }
  return Status::Ok();
}

void RowAccess::UnlockRow() {
  if (!intent_.repeatable) ReleaseRow();
}

void RowAccess::ReleaseRow() {
  row_unlocked_ = false;
  // Only while it is the newest lock: one that came after it may be for a row that was written.
  if (row_newly_locked_ && transaction_->lock_count() == row_lock_position_) {
    transaction_->UnlockAfter(row_lock_position_ - 1);
  }
  row_newly_locked_ = false;
}

// The index's cursor of these, ready to be moved; null when it stands in the running scan or cannot
// be bound.
txn::Cursor* RowAccess::EstimateCursor(Cursors* cursors, size_t index, uint64_t most_skipped) {
  if (transaction_ == nullptr) return nullptr;
  txn::Cursor* cursor = CursorOf(cursors, index, most_skipped);
  if (cursor == cursor_) return nullptr;
  if (cursor->bound()) return cursor;
  const rocksdb::Snapshot* snapshot = ReadsLatest() ? nullptr : transaction_->EstimateSnapshot();
  return cursor->Bind(snapshot, &writes()).ok() ? cursor : nullptr;
}

// Counts a range for the scan that follows as well, which reads it from the cache: all of it when
// all has been counted, else where it begins.
RangeCount RowAccess::CountAndCache(txn::Cursor* cursor, size_t index, Bytes start, Bytes end) {
  if (cache_operations_ != writes().operations()) {
    cache_.Clear();
    cache_operations_ = writes().operations();
  }
  cache_.Begin(index, start, end);
  const RangeCount count = CountRange(cursor, start, end, &cache_);
  if (!count.cached) {
    cache_.Abandon();
  } else if (count.complete) {
    cache_.Keep();
  } else {
    cache_.KeepBeginning();
  }
  return count;
}

// Counts the beginning of a range, or all of it. *cursor: whose place is behind what was counted;
// null when there is none.
RangeCount RowAccess::CountSome(size_t index, Bytes start, Bytes end, txn::Cursor** cursor) {
  const auto count = [&] {
    // A locking scan reads what is there when it comes by, and nothing that was read before.
    if (*cursor == nullptr) return RangeCount();
    return intent_.lock ? CountRange(*cursor, start, end, nullptr)
                        : CountAndCache(*cursor, index, start, end);
  };
  *cursor = EstimateCursor(&estimate_cursors_, index, kMostSkipped);
  RangeCount counted = count();
  if (*cursor == nullptr || (*cursor)->status().code() != Code::kInterrupted) return counted;
  if (table_->statistics().StoredBetween(index, start, end) > kWorthTheWay) return counted;
  *cursor = EstimateCursor(&cursors_, index, 0);
  return count();
}

uint64_t RowAccess::EstimateRange(size_t index, Bytes start, Bytes end) {
  if (start >= end) return 0;
  txn::Cursor* cursor;
  RangeCount count = CountSome(index, start, end, &cursor);
  if (count.complete) return count.entries;
  const auto with_rest = [&](Bytes rest) {
    return count.entries + table_->statistics().EntriesBetween(index, rest, end);
  };
  // The cursor stands behind what it has counted, and behind deletions that it has passed.
  uint64_t estimate = with_rest(cursor != nullptr && cursor->Valid() ? cursor->key() : start);
  if (cursor != nullptr && estimate < kCertainEstimate) {
    CountOn(cursor, end, kCertainEstimate, nullptr, &count);
    if (count.complete) return count.entries;
    // There are more than was estimated, and the rest is not behind what misled the estimate. A
    // cursor that gave up on the way stands nowhere.
    if (cursor->Valid()) estimate = with_rest(cursor->key());
  }
  return std::max(count.entries, estimate);
}

}  // namespace basalt::engine
