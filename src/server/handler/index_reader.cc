// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/index_reader.h"

#include <utility>

#include "engine/entry_name.h"
#include "server/handler/window_key.h"

namespace basalt::server {

int IndexReader::OpenScan() {
  const engine::Table& data = *table_->data();
  const size_t index = active_index() == MAX_KEY ? data.primary_position() : active_index();
  const bool going_on = scan_open_ && scan().index() == index;
  if (going_on && wanted_.known()) return 0;
  LearnWantedColumns();
  const bool secondary = index != data.primary_position();
  // A row that may be written is read whole; one that is to stay as it is has what its entry has.
  const engine::ReadIntent& intent = table_->rows()->intent();
  const bool stays = intent.repeatable && intent.mode == txn::LockMode::kShared &&
                     !table_->virtual_parts()->any() && !intent.skip_locked;
  key_only_ = secondary && (!intent.lock || stays) && !wanted_.may_write() &&
              data.index(index).codec->Covers(wanted_.columns());
  if (going_on) {
    scan().SetKeyOnly(key_only_);
    return 0;
  }
  const bool fill_cache = table_->session()->transaction()->settings().fill_cache;
  Status started = scan().BeginScan(index, key_only_, fill_cache);
  if (!started.ok()) return table_->Fail(std::move(started));
  scan_open_ = true;
  return 0;
}

void IndexReader::Close() {
  if (scan_open_) scan().End();
  scan_open_ = false;
  point_read_ = false;
  limit_.clear();
  bounds_.Reset();
}

void IndexReader::Reset() {
  NoteScanTaken();
  Close();
  ForgetLastRow();
  unique_.End();
  first_row_ = true;
  key_only_ = false;
}

int IndexReader::BeginTable(bool opens) {
  wanted_.Forget();
  first_row_ = true;
  ForgetLastRow();
  return opens ? OpenScan() : 0;
}

int IndexReader::BeginIndex() {
  wanted_.Forget();
  ForgetLastRow();
  unique_.End();
  return CheckReadable(active_index());
}

int IndexReader::CheckReadable(uint position) const {
  const uint64_t readable_from = table_->data()->index(position).readable_from;
  if (readable_from == 0) [[likely]]
    return 0;
  // The snapshot holds none of the index's entries. What is locked is read as it is now.
  const txn::Transaction& transaction = *table_->session()->transaction();
  const bool reads_snapshot = !table_->rows()->intent().lock || transaction.detects_conflicts();
  return reads_snapshot && transaction.snapshot().IsBefore(readable_from) ? HA_ERR_TABLE_DEF_CHANGED
                                                                          : 0;
}

int IndexReader::ReadByPosition(Bytes row_key, uchar* record) {
  LearnWantedColumns();
  Status read = table_->rows()->reader().Read(row_key, record);
  if (!read.ok()) return table_->Fail(std::move(read));
  table_->virtual_parts()->ComputeUnread(record);
  table_->Note(RowEvent::kRead);
  return 0;
}

int IndexReader::NextOfTable(uchar* record) {
  if (int error = OpenScan()) return error;
  const bool first = std::exchange(first_row_, false);
  const Direction direction = FastestDirection(table_->data()->primary());
  Status moved = first ? scan().SeekToEnd(direction) : MoveOn(direction);
  return ReadAfterMove(std::move(moved), record, direction, /*prefix=*/nullptr);
}

Bytes IndexReader::RowKeyOf(const uchar* record) {
  if (position_from_entry_ || (scan_open_ && key_only_)) {
    // The entry was checked when it was read.
    (void)scan().TakeRowKey();
  } else if (!table_->data()->hidden_primary()) {
    return table_->rows()->RowKeyOf(record);
  }
  return table_->rows()->reader().key();
}

void IndexReader::SetLookUpBounds(const uchar* key, uint bytes, enum ha_rkey_function find,
                                  SearchPrecision precision) {
  if (bounds_.SetLookUp(key, bytes, find, precision)) wanted_.Forget();
}

// Is the cursor's entry behind what the read may return? `prefix`, unless null: rows begin with it.
[[gnu::always_inline]] inline bool IndexReader::IsBeyond(Direction direction,
                                                         const std::string* prefix) const {
  const Bytes entry = scan().entry_key();
  if (prefix != nullptr && !entry.starts_with(*prefix)) return true;
  return !limit_.empty() && direction == Direction::kForward && entry >= limit_;
}

// The row of the cursor's entry, when it is in the bounds; else kNotFound.
[[gnu::always_inline]] inline Status IndexReader::ReadEntry(uchar* record) {
  BASALT_RETURN_IF_ERROR(scan().ReadRow(record));
  if (table_->virtual_parts()->any()) BASALT_RETURN_IF_ERROR(FillVirtualParts(record));
  if (bounds_.Admit(table(), active_index(), record)) return Status::Ok();
  table_->rows()->reader().Unlock();
  return Status(Code::kNotFound);
}

// The row of the cursor's entry. 0: it was read; kEntryPassedOver: conditions, filters or bounds do
// not let it through; else the error to return.
[[gnu::always_inline]] inline int IndexReader::ReadIfAdmitted(uchar* record) {
  if (const int error = CheckEntry()) return error;
  Status read = ReadEntry(record);
  if (read.ok()) [[likely]]
    return CountRow();
  const bool passed_over = read.code() == Code::kNotFound ||
                           (read.code() == Code::kLockBusy && table_->rows()->intent().skip_locked);
  return passed_over ? kEntryPassedOver : table_->Fail(std::move(read));
}

// Asked for each entry; looks now and then.
[[gnu::always_inline]] inline bool IndexReader::IsKilled() {
  return ++steps_ % kStepsBetweenKillChecks == 0 &&
         thd_kill_level(table()->in_use) != THD_IS_NOT_KILLED;
}

// From the cursor's entry on, reads the first row that conditions, filters and bounds let through.
// `nothing` is the error for none.
int IndexReader::ReadFromHere(uchar* record, Direction direction, const std::string* prefix,
                              int nothing) {
  while (true) {
    if (IsBeyond(direction, prefix)) return nothing;
    const int error = ReadIfAdmitted(record);
    if (error != kEntryPassedOver) return error == HA_ERR_END_OF_FILE ? nothing : error;
    if (IsKilled()) return HA_ERR_ABORTED_BY_USER;
    Status moved = scan().Step(direction);
    if (moved.code() == Code::kEndOfRange) return nothing;
    if (!moved.ok()) return table_->Fail(std::move(moved));
  }
}

// To the next entry that a search by extent may want. `moved`: the scan has come to an entry, or to
// its end. 0, HA_ERR_END_OF_FILE, or an error.
int IndexReader::MoveToCandidate(Status moved) {
  using Verdict = codec::WindowSearch::Verdict;
  while (moved.ok()) {
    if (IsKilled()) return HA_ERR_ABORTED_BY_USER;
    const Verdict verdict = window_.Check(scan().entry_key());
    if (verdict == Verdict::kFound) return 0;
    if (verdict == Verdict::kEnd) return HA_ERR_END_OF_FILE;
    if (verdict == Verdict::kMalformed) {
      return table_->Fail(
          engine::MalformedEntry(*table_->data(), active_index(), scan().entry_key()));
    }
    moved = verdict == Verdict::kSeek ? scan().SeekNear(window_.target())
                                      : scan().Step(Direction::kForward);
  }
  return moved.code() == Code::kEndOfRange ? HA_ERR_END_OF_FILE : table_->Fail(std::move(moved));
}

// The row of the next such entry.
int IndexReader::ReadInWindow(Status moved, uchar* record) {
  while (true) {
    if (const int end = MoveToCandidate(std::move(moved))) return end;
    const int error = ReadIfAdmitted(record);
    if (error != kEntryPassedOver) return error;
    moved = scan().Step(Direction::kForward);
  }
}

// Rows that are locked are read one after the other; entries that suffice need no rows, and virtual
// parts of the index come from entries.
bool IndexReader::MayReadAhead() const {
  return !table_->rows()->intent().lock && !key_only_ && !table()->open_by_handler &&
         !table_->virtual_parts()->IndexHas(active_index());
}

// Reads rows of such entries at once, as many as a batch holds.
void IndexReader::ReadAheadInWindow(Status moved) {
  ahead_.Clear();
  behind_ahead_ = GatherInWindow(std::move(moved));
  if (ahead_.count() != 0) table_->rows()->FetchRows(ahead_.keys(), ahead_.count());
}

// Fills the batch with the keys of the rows. 0: it is full; HA_ERR_END_OF_FILE, or an error.
int IndexReader::GatherInWindow(Status moved) {
  while (true) {
    if (const int end = MoveToCandidate(std::move(moved))) return end;
    Bytes row_key;
    const int error = TakeRowKey(&row_key);
    if (error == 0) {
      ahead_.Add(row_key);
      if (ahead_.full()) return 0;
    } else if (error != kEntryPassedOver) {
      return error;
    }
    moved = scan().Step(Direction::kForward);
  }
}

int IndexReader::NextReadAhead(uchar* record) {
  while (true) {
    while (ahead_.has_next()) {
      Status taken = table_->rows()->TakeFetched(ahead_.Next(), record);
      if (taken.ok()) [[likely]]
        return CountRow();
      if (taken.code() != Code::kNotFound) return table_->Fail(std::move(taken));
    }
    if (behind_ahead_ != 0) return behind_ahead_;
    ReadAheadInWindow(scan().Step(Direction::kForward));
  }
}

int IndexReader::CountRow() {
  table_->Note(RowEvent::kRead);
  if (key_only_ && !point_read_) table_->session()->row_counters()->Note(RowEvent::kCoveredLookUp);
  return 0;
}

// Makes the virtual parts of the active index right before the server has computed them: it
// computes virtual columns of a row later, but only in its own record, and not when it reads the
// index alone; and bounds are compared before.
Status IndexReader::FillVirtualParts(uchar* record) {
  VirtualParts* virtual_parts = table_->virtual_parts();
  if (active_index() == MAX_KEY || !virtual_parts->IndexHas(active_index())) return Status::Ok();
  // Entries gave back what they can.
  if (key_only_) return Status::Ok();
  const bool alone = table_->handler()->keyread_enabled();
  if (alone && !bounds_.compares() && virtual_parts->EntriesGive(active_index())) {
    return scan().DecodeEntry(record);
  }
  if (alone || bounds_.compares() || record != table()->record[0]) {
    virtual_parts->Compute(active_index(), record);
  }
  return Status::Ok();
}

int IndexReader::TakeRowKey(Bytes* row_key) {
  if (scan().HasExpired()) return kEntryPassedOver;
  if (const int error = CheckEntry()) return error;
  Status taken = scan().TakeRowKey();
  if (!taken.ok()) return table_->Fail(std::move(taken));
  *row_key = table_->rows()->reader().key();
  return 0;
}

// Applies index condition and row-id filter to the cursor's entry. 0: it may be read.
int IndexReader::CheckEntry() {
  const ::handler& handler = *table_->handler();
  const bool condition =
      handler.pushed_idx_cond != nullptr && handler.pushed_idx_cond_keyno == handler.active_index;
  const bool filter = handler.pushed_rowid_filter != nullptr && handler.rowid_filter_is_active;
  if (!condition && !filter) return 0;
  if (active_index() == MAX_KEY || OnPrimary()) return 0;
  return ApplyConditions(condition, filter);
}

int IndexReader::ApplyConditions(bool condition, bool filter) {
  Status decoded = scan().DecodeEntry(table()->record[0]);
  if (!decoded.ok()) return table_->Fail(std::move(decoded));
  // The end of the range has been compared as key bytes already. The server's own comparison would
  // look at columns that the entry may not be able to give back.
  ::handler* handler = table_->handler();
  key_range* const end = std::exchange(handler->end_range, nullptr);
  check_result_t verdict = CHECK_POS;
  if (condition) verdict = handler_index_cond_check(handler);
  if (verdict == CHECK_POS && filter) {
    position_from_entry_ = true;
    verdict = handler_rowid_filter_check(handler);
    position_from_entry_ = false;
  }
  handler->end_range = end;
  switch (verdict) {
    case CHECK_POS:
      return 0;
    case CHECK_NEG:
      return kEntryPassedOver;
    case CHECK_OUT_OF_RANGE:
      return HA_ERR_END_OF_FILE;
    case CHECK_ABORTED_BY_USER:
      return HA_ERR_ABORTED_BY_USER;
    case CHECK_ERROR:
      break;
  }
  return HA_ERR_INTERNAL_ERROR;
}

// A look-up by the whole primary key needs no cursor, and no snapshot when nothing else is read.
int IndexReader::ReadByPrimaryKey(uchar* record, bool only_read) {
  LearnWantedColumns();
  Status read = table_->rows()->reader().Read(search_, record, /*alone=*/only_read);
  point_read_ = true;
  if (table()->open_by_handler) place_.last_key.assign(table_->rows()->reader().key());
  if (read.ok()) return CountRow();
  if (read.code() == Code::kLockBusy && table_->rows()->intent().skip_locked) {
    return HA_ERR_KEY_NOT_FOUND;
  }
  return table_->Fail(std::move(read));
}

int IndexReader::Find(uchar* record, const uchar* key, key_part_map parts,
                      enum ha_rkey_function find, bool only_read) {
  if (table()->part_info != nullptr) {
    key = table_->like_bounds()->Raise(active_index(), key, parts, find);
  }
  const SearchPrecision precision = EncodeSearchKey(*index().codec, key, parts, &search_);
  SetLookUpBounds(key, calculate_key_len(table(), active_index(), key, parts), find, precision);
  ForgetLastRow();
  table_->NoteSearch(parts, find == HA_READ_KEY_EXACT);
  if (find == HA_READ_KEY_EXACT && OnPrimary() && precision == SearchPrecision::kExact &&
      table_->HasAllParts(active_index(), parts)) {
    return ReadByPrimaryKey(record, only_read);
  }
  if (int error = unique_.Begin(key, parts, find)) return error;
  if (int error = OpenScan()) return error;
  if (unique_.running()) scan().LeaveGapsOpen();
  const int error = SearchFrom(record, find, precision != SearchPrecision::kWidened);
  if (error == HA_ERR_KEY_NOT_FOUND && find == HA_READ_KEY_EXACT) {
    place_.last_key = search_;
    return error;
  }
  const bool down = find == HA_READ_BEFORE_KEY || find == HA_READ_KEY_OR_PREV;
  return NotePlace(error, down ? Direction::kBackward : Direction::kForward);
}

// Moves the cursor to where `find` says relative to search_ and reads from there.
int IndexReader::SearchFrom(uchar* record, enum ha_rkey_function find, bool whole) {
  std::string after = search_;  // above all keys that begin with it
  MakeSuccessor(&after);
  Status moved;
  Direction direction = Direction::kForward;
  bool only_matching = false;
  switch (find) {
    case HA_READ_KEY_EXACT:
    case HA_READ_PREFIX:
      only_matching = true;
      moved = scan().Seek(search_, after);
      break;
    case HA_READ_KEY_OR_NEXT:
      moved = scan().Seek(search_);
      break;
    case HA_READ_AFTER_KEY:
      moved = scan().Seek(whole ? after : search_);
      break;
    case HA_READ_BEFORE_KEY:
      direction = Direction::kBackward;
      moved = scan().SeekBelow(whole ? search_ : after);
      break;
    case HA_READ_KEY_OR_PREV:
    case HA_READ_PREFIX_LAST_OR_PREV:
      direction = Direction::kBackward;
      moved = scan().SeekBelow(after);
      break;
    case HA_READ_PREFIX_LAST:
      direction = Direction::kBackward;
      only_matching = true;
      moved = scan().SeekBelow(after, search_);
      break;
    default:
      return HA_ERR_UNSUPPORTED;
  }
  if (moved.code() == Code::kEndOfRange) return HA_ERR_KEY_NOT_FOUND;
  if (!moved.ok()) return table_->Fail(std::move(moved));
  const std::string* prefix = only_matching ? &search_ : unique_.prefix();
  return ReadFromHere(record, direction, prefix, HA_ERR_KEY_NOT_FOUND);
}

// One entry on from the last row. After a look-up by primary key, and in the next statement of a
// HANDLER, there is no cursor on it yet; in the latter case the row may be gone as well.
Status IndexReader::MoveOn(Direction direction) {
  if (!point_read_ && !place_.resumes) [[likely]]
    return Advance(direction);
  const bool resumes = std::exchange(place_.resumes, false);
  const bool point_read = std::exchange(point_read_, false);
  if (resumes && place_.beyond) {
    return place_.beyond_end == direction ? Status(Code::kEndOfRange) : scan().SeekToEnd(direction);
  }
  const std::string last(point_read ? table_->rows()->reader().key() : Bytes(place_.last_key));
  if (direction == Direction::kBackward) return scan().SeekBelow(last);
  BASALT_RETURN_IF_ERROR(scan().Seek(last));
  return scan().entry_key() == last ? Advance(direction) : Status::Ok();
}

// To the next entry. The server asks for it also when it wants the row it has just looked at, which
// was locked by another: then to the same one again, and wait.
Status IndexReader::Advance(Direction direction) {
  if (!table_->rows()->reader().is_unlocked()) return scan().Step(direction);
  scan().WaitForNextRow();
  return Status::Ok();
}

// Remembers where the scan of a HANDLER goes on in its next statement, and passes the result on.
int IndexReader::NotePlace(int error, Direction direction) {
  if (!table()->open_by_handler) [[likely]]
    return error;
  place_.beyond = error == HA_ERR_END_OF_FILE || error == HA_ERR_KEY_NOT_FOUND;
  place_.beyond_end = direction;
  if (error == 0) place_.last_key.assign(scan().entry_key());
  return error;
}

// The row at the cursor, or the next one that qualifies.
int IndexReader::ReadAfterMove(Status moved, uchar* record, Direction direction,
                               const std::string* prefix) {
  const int error = moved.ok() ? ReadFromHere(record, direction, prefix, HA_ERR_END_OF_FILE)
                               : table_->Fail(std::move(moved));
  return NotePlace(error, direction);
}

void IndexReader::ForgetLastRow() {
  point_read_ = place_.resumes = place_.beyond = false;
  place_.last_key.clear();
}

int IndexReader::ReadNeighbour(uchar* record, Direction direction, const std::string* prefix) {
  if (int error = OpenScan()) return error;
  if (prefix == nullptr) scan().ForgetBound();
  return ReadAfterMove(MoveOn(direction), record, direction, prefix);
}

int IndexReader::ReadNext(uchar* record) {
  bounds_.Clear();
  return ReadNeighbour(record, Direction::kForward, unique_.prefix());
}

int IndexReader::ReadPrevious(uchar* record) {
  bounds_.Clear();
  return ReadNeighbour(record, Direction::kBackward, nullptr);
}

int IndexReader::ReadEnd(uchar* record, Direction direction) {
  ForgetLastRow();
  bounds_.Clear();
  if (int error = OpenScan()) return error;
  return ReadAfterMove(scan().SeekToEnd(direction), record, direction, /*prefix=*/nullptr);
}

int IndexReader::FindInWindow(uchar* record, const uchar* window, enum ha_rkey_function condition) {
  ForgetLastRow();
  bounds_.Clear();
  table_->NoteSearch(1, /*equal=*/false);
  if (int error = OpenScan()) return error;
  BeginWindow(*index().codec, window, condition, &window_);
  reads_ahead_ = MayReadAhead();
  Status moved = scan().SeekWindow(window_);
  int error;
  if (reads_ahead_) {
    ahead_.Begin();
    ReadAheadInWindow(std::move(moved));
    error = NextReadAhead(record);
  } else {
    error = ReadInWindow(std::move(moved), record);
  }
  return error == HA_ERR_END_OF_FILE ? HA_ERR_KEY_NOT_FOUND : error;
}

int IndexReader::ReadNextSame(uchar* record, const uchar* key, uint key_bytes) {
  if (table_->data()->index(active_index()).codec->IsSpatial()) {
    if (int error = OpenScan()) return error;
    if (reads_ahead_) return NextReadAhead(record);
    return ReadInWindow(Advance(Direction::kForward), record);
  }
  const codec::KeyCodec& codec = *index().codec;
  const key_part_map parts = make_prev_keypart_map(codec.PartsInSearchTuple(key_bytes));
  if (point_read_ && table_->HasAllParts(active_index(), parts)) return HA_ERR_END_OF_FILE;
  const SearchPrecision precision = EncodeSearchKey(codec, key, parts, &search_);
  SetLookUpBounds(key, key_bytes, HA_READ_KEY_EXACT, precision);
  return ReadNeighbour(record, Direction::kForward, &search_);
}

void IndexReader::CountRange(const key_range* start) const {
  table_->CountForServer(start == nullptr ? &SSV::ha_read_first_count : &SSV::ha_read_key_count);
}

bool IndexReader::IsWholePrimaryKey(const key_range* start, bool equal, std::string* search) const {
  return start != nullptr && equal && OnPrimary() &&
         table_->HasAllParts(active_index(), start->keypart_map) &&
         EncodeSearchKey(*index().codec, start->key, start->keypart_map, search) ==
             SearchPrecision::kExact;
}

int IndexReader::BeginRange(const key_range* start, const key_range* end) {
  limit_.clear();
  point_read_ = false;
  const bool equal = table_->handler()->eq_range;
  table_->NoteSearch(start == nullptr ? 0 : start->keypart_map, equal);
  if (IsWholePrimaryKey(start, equal, &search_)) {
    bounds_.Clear();
    return ReadByPrimaryKey(table()->record[0], /*only_read=*/false);
  }
  table_->like_bounds()->Widen(active_index(), &start, &end);
  const SearchPrecision start_precision = EncodeRangeStart(*index().codec, start, &search_);
  const SearchPrecision end_precision = EncodeRangeEnd(*index().codec, end, &limit_);
  if (start != nullptr && equal) {
    SetLookUpBounds(start->key, start->length, HA_READ_KEY_EXACT, start_precision);
  } else if (bounds_.SetRange(start, start_precision, end, end_precision)) {
    wanted_.Forget();
  }
  if (int error = OpenScan()) return error;
  Status moved = scan().SeekRange(search_, limit_);
  if (!moved.ok()) return table_->Fail(std::move(moved));
  return ReadFromHere(table()->record[0], Direction::kForward, nullptr, HA_ERR_END_OF_FILE);
}

int IndexReader::NextOfRange() {
  table_->CountForServer(&SSV::ha_read_next_count);
  if (point_read_) return HA_ERR_END_OF_FILE;
  if (int error = OpenScan()) return error;
  Status moved = Advance(Direction::kForward);
  if (!moved.ok()) return table_->Fail(std::move(moved));
  return ReadFromHere(table()->record[0], Direction::kForward, nullptr, HA_ERR_END_OF_FILE);
}

int IndexReader::EndRangeRead(int error) const {
  if (error == HA_ERR_KEY_NOT_FOUND) error = HA_ERR_END_OF_FILE;
  TABLE* table = table_->server_table();
  if (error == 0 && table->vfield != nullptr) {
    (void)table->update_virtual_fields(table_->handler(), VCOL_UPDATE_FOR_READ);
  }
  table->status = error != 0 ? STATUS_NOT_FOUND : 0;
  return error;
}

}  // namespace basalt::server
