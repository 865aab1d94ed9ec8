// SPDX-License-Identifier: GPL-2.0-only
//
// Reads of single rows, scans of indexes and of the whole table.
#include <utility>

#include "server/handler.h"
#include "server/read_free_apply.h"
#include "server/search_key.h"
#include "server/system_variables.h"

namespace basalt::server {
namespace {

using Direction = engine::Direction;

bool Matches(Bytes key, const std::string& prefix) { return key.starts_with(prefix); }

}  // namespace

// The columns the statement reads; all of them when it may write the row back, because a row's
// value is always written whole.
void Handler::LearnWantedColumns() {
  if (read_.wanted_known) return;
  const uint columns = table->s->fields;
  read_.may_write = (rows_->intent().lock || table_data()->lockless()) &&
                    lock_type_ >= TL_FIRST_WRITE && thd_sql_command(table->in_use) != SQLCOM_SELECT;
  read_.wanted.Reset(columns);
  const bool entries = EntriesSuffice();
  for (uint column = 0; column < columns; ++column) {
    if (!read_.may_write && !bitmap_is_set(table->read_set, column)) continue;
    if (entries && CanBeLeftOut(column)) {
      LeaveOut(column);
      continue;
    }
    read_.wanted.Add(column);
  }
  if (read_.compares_rows && active_index != MAX_KEY) {
    const KEY& key = table->key_info[active_index];
    for (uint i = 0; i < key.ext_key_parts; ++i) read_.wanted.Add(key.key_part[i].fieldnr - 1);
  }
  // Somebody is going to look at the virtual parts of this index in rows of an image of their own.
  if (active_index != MAX_KEY &&
      (read_.compares_rows || table->file != this ||
       (keyread_enabled() && !virtual_parts_.EntriesGive(active_index)))) {
    virtual_parts_.AddSources(active_index, &read_.wanted);
  }
  // Rows that a sort finds again by their position: the server has made the read set for the index
  // alone that it sorted from, without what virtual columns are computed from, and computes them.
  if (active_index == MAX_KEY) virtual_parts_.AddSourcesOf(*table->read_set, &read_.wanted);
  rows_->SetWantedColumns(read_.wanted);
  read_.wanted_known = true;
}

// The server has decided to read the index alone, because the statement names only columns that
// entries give back (index_flags). Its read set then has all columns of the index nevertheless, and
// those that virtual columns of the index are computed from.
// ANALYZE and the like read indexes that way, too, but do look at all of them; and so does the
// partitioning engine (whose table this handler is not the first of), which merges by them.
bool Handler::EntriesSuffice() {
  return table->file == this && active_index != MAX_KEY &&
         active_index != table_data()->primary_position() && keyread_enabled() &&
         keyread == active_index && !rows_->intent().lock &&
         table->covering_keys.is_set(active_index) &&
         thd_sql_command(table->in_use) == SQLCOM_SELECT;
}

// Not what entries give back anyway. Columns of the primary key are asked for also to find the row
// again.
bool Handler::CanBeLeftOut(uint column) const {
  return (table->field[column]->flags & PRI_KEY_FLAG) == 0 &&
         !table_data()->index(active_index).codec->IsColumnInKey(column);
}

// Join buffers copy all columns of the read set, looked at or not: what they copy of a BLOB must
// not be a pointer of long ago.
void Handler::LeaveOut(uint column) {
  Field* field = table->field[column];
  if (field->flags & BLOB_FLAG) memset(field->ptr, 0, field->pack_length());
}

void Handler::column_bitmaps_signal() { read_.wanted_known = false; }

// Opens the cursor on the active index (the primary one for a full scan), if it is not open. A scan
// that goes on keeps its place, whatever columns are wanted from here on.
int Handler::OpenScan() {
  const size_t index = active_index == MAX_KEY ? table_data()->primary_position() : active_index;
  const bool going_on = read_.scan_open && rows_->scan().index() == index;
  if (going_on && read_.wanted_known) return 0;
  LearnWantedColumns();
  const bool secondary = index != table_data()->primary_position();
  // A row that may be written is read whole; one that is to stay as it is has what its entry has.
  const engine::ReadIntent& intent = rows_->intent();
  const bool stays = intent.repeatable && intent.mode == txn::LockMode::kShared &&
                     !virtual_parts_.any() && !intent.skip_locked;
  read_.key_only = secondary && (!intent.lock || stays) && !read_.may_write &&
                   table_data()->index(index).codec->Covers(read_.wanted);
  if (going_on) {
    rows_->scan().SetKeyOnly(read_.key_only);
    return 0;
  }
  const bool fill_cache = session_->transaction()->settings().fill_cache;
  Status started = rows_->scan().Start(index, read_.key_only, fill_cache);
  if (!started.ok()) return Fail(std::move(started));
  read_.scan_open = true;
  return 0;
}

void Handler::CloseScan() {
  if (read_.scan_open) rows_->scan().End();
  read_.scan_open = false;
  read_.point_read = false;
  read_.limit.clear();
  read_.compares_rows = false;
  CompareNothing();
  read_.batch.active = false;
}

int Handler::rnd_init(bool scan) {
  CloseScan();
  active_index = MAX_KEY;
  read_.wanted_known = false;
  read_.first_row = true;
  ForgetLastRow();
  if (!scan) return 0;
  return OpenScan();
}

int Handler::rnd_end() {
  CloseScan();
  return 0;
}

int Handler::rnd_next(uchar* record) {
  if (int error = OpenScan()) return error;
  const bool first = read_.first_row;
  read_.first_row = false;
  const Direction direction = FastestDirection(table_data()->primary());
  Status moved = first ? rows_->scan().SeekToEnd(direction) : MoveOn(direction);
  return ReadAfterMove(std::move(moved), record, direction, /*prefix=*/nullptr);
}

void Handler::position(const uchar* record) {
  Bytes key;
  if (read_.position_from_entry || (read_.scan_open && read_.key_only)) {
    // The entry was checked when it was read.
    (void)rows_->scan().TakeRowKey();
    key = rows_->reader().key();
  } else if (table_data()->hidden_primary()) {
    key = rows_->reader().key();
  } else {
    key = rows_->RowKeyOf(record);
  }
  StoreReference(key, ref);
}

// The key, zeros, and in the last two bytes its length, so that references compare like keys.
void Handler::StoreReference(Bytes row_key, uchar* reference) const {
  const size_t room = ref_length - kRowReferenceLengthBytes;
  memcpy(reference, row_key.data(), row_key.size());
  memset(reference + row_key.size(), 0, room - row_key.size());
  StoreBigEndian16(reference + room, static_cast<uint16_t>(row_key.size()));
}

int Handler::rnd_pos(uchar* record, uchar* position) {
  LearnWantedColumns();
  const size_t bytes = LoadBigEndian16(position + ref_length - kRowReferenceLengthBytes);
  Status read = rows_->reader().Read(MakeBytes(position, bytes), record);
  if (!read.ok()) return Fail(std::move(read));
  virtual_parts_.ComputeUnread(record);
  Note(RowEvent::kRead);
  return 0;
}

// How a replica finds the row that a row event changes.
int Handler::rnd_pos_by_record(uchar* record) {
  const UnreadChange change = ChangeWithoutReading(table, *table_data());
  if (change == UnreadChange::kNone) return ::handler::rnd_pos_by_record(record);
  Status taken = rows_->reader().Take(rows_->RowKeyOf(record));
  if (!taken.ok()) return Fail(std::move(taken));
  const bool update = change == UnreadChange::kUpdate;
  session_->row_counters()->Note(update ? RowEvent::kUpdatedBlind : RowEvent::kDeletedBlind);
  return 0;
}

int Handler::index_init(uint index, bool) {
  CloseScan();
  active_index = index;
  read_.wanted_known = false;
  ForgetLastRow();
  read_.unique_value.clear();
  const uint64_t readable_from = table_data()->index(index).readable_from;
  if (readable_from == 0) [[likely]]
    return 0;
  // The snapshot holds none of the index's entries. What is locked is read as it is now.
  const txn::Transaction& transaction = *session_->transaction();
  const bool reads_snapshot = !rows_->intent().lock || transaction.detects_conflicts();
  return reads_snapshot && transaction.SnapshotIsBefore(readable_from) ? HA_ERR_TABLE_DEF_CHANGED
                                                                       : 0;
}

int Handler::index_end() {
  CloseScan();
  active_index = MAX_KEY;
  return 0;
}

// Rows from here on have to be compared with nothing.
void Handler::CompareNothing() { read_.low.key = read_.high.key = nullptr; }

// The bounds are compared with columns of the index, which must be read then.
void Handler::CompareRows(const TupleBound& low, const TupleBound& high) {
  read_.low = low;
  read_.high = high;
  if (read_.compares_rows || (low.key == nullptr && high.key == nullptr)) return;
  read_.compares_rows = true;
  read_.wanted_known = false;
}

// What rows must be to be found by a look-up, where the key bytes alone do not say it.
void Handler::CompareWithTuple(const uchar* key, uint bytes, enum ha_rkey_function find,
                               SearchPrecision precision) {
  TupleBound bound;
  bool equal = false;
  switch (find) {
    case HA_READ_KEY_OR_NEXT:
      bound.highest = 1;
      break;
    case HA_READ_AFTER_KEY:
      bound.lowest = bound.highest = 1;
      break;
    case HA_READ_BEFORE_KEY:
      bound.lowest = bound.highest = -1;
      break;
    case HA_READ_KEY_OR_PREV:
    case HA_READ_PREFIX_LAST_OR_PREV:
      bound.lowest = -1;
      break;
    default:
      equal = true;
      break;
  }
  const bool compare =
      precision == SearchPrecision::kWidened || (equal && precision == SearchPrecision::kWhole);
  if (compare) bound.key = key;
  bound.bytes = bytes;
  CompareRows(bound, TupleBound());
}

// Likewise for a range.
void Handler::CompareWithRange(const key_range* start, SearchPrecision start_precision,
                               const key_range* end, SearchPrecision end_precision) {
  TupleBound low;
  TupleBound high;
  if (start != nullptr && eq_range) {
    CompareWithTuple(start->key, start->length, HA_READ_KEY_EXACT, start_precision);
    return;
  }
  if (start != nullptr && start_precision == SearchPrecision::kWidened) {
    const bool above = start->flag == HA_READ_AFTER_KEY;
    low = TupleBound{start->key, start->length, above ? 1 : 0, 1};
  }
  if (end != nullptr && end_precision == SearchPrecision::kWidened) {
    const bool below = end->flag == HA_READ_BEFORE_KEY;
    high = TupleBound{end->key, end->length, -1, below ? -1 : 0};
  }
  CompareRows(low, high);
}

bool Handler::IsInBounds(uchar* record) const {
  return read_.low.Admits(table, active_index, record) &&
         read_.high.Admits(table, active_index, record);
}

// From the cursor's entry on, reads the first row that the pushed condition and the row-id filter
// let through. `prefix` (may be null): rows must begin with it. `nothing` is the error for none.
int Handler::ReadFromHere(uchar* record, Direction direction, const std::string* prefix,
                          int nothing) {
  while (true) {
    const Bytes entry = rows_->scan().entry_key();
    if (prefix != nullptr && !Matches(entry, *prefix)) return nothing;
    if (!read_.limit.empty() && direction == Direction::kForward && entry >= read_.limit) {
      return nothing;
    }
    int error = CheckEntry();
    if (error == 0) {
      Status read = rows_->scan().ReadRow(record);
      if (read.ok() && virtual_parts_.any()) read = FillVirtualParts(record);
      if (read.ok()) {
        if (IsInBounds(record)) return CountRow();
        rows_->reader().Unlock();
        read = Status(Code::kNotFound);
      }
      const bool passed_over = read.code() == Code::kNotFound ||
                               (read.code() == Code::kLockBusy && rows_->intent().skip_locked);
      if (!passed_over) return Fail(std::move(read));
    } else if (error != kEntryPassedOver) {
      return error == HA_ERR_END_OF_FILE ? nothing : error;
    }
    if (++read_.steps % kStepsBetweenKillChecks == 0 &&
        thd_kill_level(table->in_use) != THD_IS_NOT_KILLED) {
      return HA_ERR_ABORTED_BY_USER;
    }
    Status moved = rows_->scan().Step(direction);
    if (moved.code() == Code::kEndOfRange) return nothing;
    if (!moved.ok()) return Fail(std::move(moved));
  }
}

int Handler::CountRow() {
  Note(RowEvent::kRead);
  if (read_.key_only && !read_.point_read) session_->row_counters()->Note(RowEvent::kCoveredLookUp);
  return 0;
}

// The server computes virtual columns of a row after this returns, but only in its own record, and
// not when it reads the index alone; and bounds are compared before.
Status Handler::FillVirtualParts(uchar* record) {
  if (active_index == MAX_KEY || !virtual_parts_.IndexHas(active_index)) return Status::Ok();
  // Entries gave back what they can.
  if (read_.key_only) return Status::Ok();
  const bool alone = keyread_enabled();
  if (alone && !read_.compares_rows && virtual_parts_.EntriesGive(active_index)) {
    return rows_->scan().DecodeEntry(record);
  }
  if (alone || read_.compares_rows || record != table->record[0]) {
    virtual_parts_.Compute(active_index, record);
  }
  return Status::Ok();
}

// Applies index condition and row-id filter to the cursor's entry. 0: read its row;
// kEntryPassedOver: go on; else the error to return.
int Handler::CheckEntry() {
  const bool condition = pushed_idx_cond != nullptr && pushed_idx_cond_keyno == active_index;
  const bool filter = pushed_rowid_filter != nullptr && rowid_filter_is_active;
  if (!condition && !filter) return 0;
  if (active_index == MAX_KEY || active_index == table_data()->primary_position()) return 0;
  Status decoded = rows_->scan().DecodeEntry(table->record[0]);
  if (!decoded.ok()) return Fail(std::move(decoded));
  // The end of the range has been compared as key bytes already. The server's own comparison would
  // look at columns that the entry may not be able to give back.
  const key_range* end = end_range;
  end_range = nullptr;
  check_result_t verdict = CHECK_POS;
  if (condition) verdict = handler_index_cond_check(this);
  if (verdict == CHECK_POS && filter) {
    read_.position_from_entry = true;
    verdict = handler_rowid_filter_check(this);
    read_.position_from_entry = false;
  }
  end_range = const_cast<key_range*>(end);
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

// Does the running look-up read the one row of a SELECT that is a transaction of its own, from its
// only table? The server looks a row up this way once for each table and statement.
bool Handler::IsOnlyReadOfTransaction() const {
  THD* thd = table->in_use;
  const LEX* statement = thd->lex;
  return statement->sql_command == SQLCOM_SELECT && thd->in_sub_stmt == 0 &&
         !thd_test_options(thd, OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN) &&
         statement->query_tables != nullptr && statement->query_tables->next_global == nullptr;
}

int Handler::index_read_idx_map(uchar* record, uint index, const uchar* key, key_part_map parts,
                                enum ha_rkey_function find) {
  read_.only_read = IsOnlyReadOfTransaction();
  const int error = ::handler::index_read_idx_map(record, index, key, parts, find);
  read_.only_read = false;
  return error;
}

// A look-up by the whole primary key needs no cursor, and no snapshot when nothing else is read.
int Handler::ReadByPrimaryKey(uchar* record) {
  LearnWantedColumns();
  Status read = rows_->reader().Read(read_.search, record, /*alone=*/read_.only_read);
  read_.point_read = true;
  if (table->open_by_handler) read_.last_key.assign(rows_->reader().key());
  if (read.ok()) return CountRow();
  if (read.code() == Code::kLockBusy && rows_->intent().skip_locked) return HA_ERR_KEY_NOT_FOUND;
  return Fail(std::move(read));
}

int Handler::index_read_map(uchar* record, const uchar* key, key_part_map parts,
                            enum ha_rkey_function find) {
  const engine::Index& index = table_data()->index(active_index);
  if (table->part_info != nullptr) key = like_bounds_.Raise(active_index, key, parts, find);
  const SearchPrecision precision = EncodeSearchKey(*index.codec, key, parts, &read_.search);
  CompareWithTuple(key, calculate_key_len(table, active_index, key, parts), find, precision);
  ForgetLastRow();
  NoteSearch(parts, find == HA_READ_KEY_EXACT);
  if (find == HA_READ_KEY_EXACT && active_index == table_data()->primary_position() &&
      precision == SearchPrecision::kExact && HasAllParts(active_index, parts)) {
    return ReadByPrimaryKey(record);
  }
  if (int error = BeginUniqueLookUp(key, parts, find)) return error;
  if (int error = OpenScan()) return error;
  if (!read_.unique_value.empty()) rows_->scan().LeaveGapsOpen();
  const int error = SearchFrom(record, find, precision != SearchPrecision::kWidened);
  if (error == HA_ERR_KEY_NOT_FOUND && find == HA_READ_KEY_EXACT) {
    read_.last_key = read_.search;
    return error;
  }
  const bool down = find == HA_READ_BEFORE_KEY || find == HA_READ_KEY_OR_PREV;
  return NotePlace(error, down ? Direction::kBackward : Direction::kForward);
}

// Moves the cursor to where `find` says relative to read_.search and reads from there.
int Handler::SearchFrom(uchar* record, enum ha_rkey_function find, bool whole) {
  std::string target = read_.search;
  std::string after = read_.search;  // above all keys that begin with it
  MakeSuccessor(&after);
  Status moved;
  Direction direction = Direction::kForward;
  bool only_matching = false;
  switch (find) {
    case HA_READ_KEY_EXACT:
    case HA_READ_PREFIX:
      only_matching = true;
      moved = rows_->scan().Seek(target, after);
      break;
    case HA_READ_KEY_OR_NEXT:
      moved = rows_->scan().Seek(target);
      break;
    case HA_READ_AFTER_KEY:
      moved = rows_->scan().Seek(whole ? after : target);
      break;
    case HA_READ_BEFORE_KEY:
      direction = Direction::kBackward;
      moved = rows_->scan().SeekBelow(whole ? target : after);
      break;
    case HA_READ_KEY_OR_PREV:
    case HA_READ_PREFIX_LAST_OR_PREV:
      direction = Direction::kBackward;
      moved = rows_->scan().SeekBelow(after);
      break;
    case HA_READ_PREFIX_LAST:
      direction = Direction::kBackward;
      only_matching = true;
      moved = rows_->scan().SeekBelow(after, target);
      break;
    default:
      return HA_ERR_UNSUPPORTED;  // spatial searches
  }
  if (moved.code() == Code::kEndOfRange) return HA_ERR_KEY_NOT_FOUND;
  if (!moved.ok()) return Fail(std::move(moved));
  const std::string* prefix = only_matching ? &read_.search : UniqueLookUpPrefix();
  return ReadFromHere(record, direction, prefix, HA_ERR_KEY_NOT_FOUND);
}

int Handler::index_read_last_map(uchar* record, const uchar* key, key_part_map parts) {
  return index_read_map(record, key, parts, HA_READ_PREFIX_LAST);
}

// One entry on from the last row. After a look-up by primary key, and in the next statement of a
// HANDLER, there is no cursor on it yet; in the latter case the row may be gone as well.
Status Handler::MoveOn(Direction direction) {
  if (!read_.point_read && !read_.resumes) [[likely]]
    return Advance(direction);
  const bool resumes = std::exchange(read_.resumes, false);
  const bool point_read = std::exchange(read_.point_read, false);
  if (resumes && read_.beyond) {
    return read_.beyond_end == direction ? Status(Code::kEndOfRange)
                                         : rows_->scan().SeekToEnd(direction);
  }
  const std::string last(point_read ? rows_->reader().key() : Bytes(read_.last_key));
  if (direction == Direction::kBackward) return rows_->scan().SeekBelow(last);
  BASALT_RETURN_IF_ERROR(rows_->scan().Seek(last));
  return rows_->scan().entry_key() == last ? Advance(direction) : Status::Ok();
}

// Remembers where the scan of a HANDLER goes on in its next statement, and passes the result on.
int Handler::NotePlace(int error, Direction direction) {
  if (!table->open_by_handler) [[likely]]
    return error;
  read_.beyond = error == HA_ERR_END_OF_FILE || error == HA_ERR_KEY_NOT_FOUND;
  read_.beyond_end = direction;
  if (error == 0) read_.last_key.assign(rows_->scan().entry_key());
  return error;
}

// The row at the cursor, or the next one that qualifies.
int Handler::ReadAfterMove(Status moved, uchar* record, Direction direction,
                           const std::string* prefix) {
  const int error = moved.ok() ? ReadFromHere(record, direction, prefix, HA_ERR_END_OF_FILE)
                               : Fail(std::move(moved));
  return NotePlace(error, direction);
}

void Handler::ForgetLastRow() {
  read_.point_read = read_.resumes = read_.beyond = false;
  read_.last_key.clear();
}

int Handler::ReadNeighbour(uchar* record, Direction direction, const std::string* prefix) {
  if (int error = OpenScan()) return error;
  if (prefix == nullptr) rows_->scan().ForgetBound();
  return ReadAfterMove(MoveOn(direction), record, direction, prefix);
}

int Handler::index_next(uchar* record) {
  CompareNothing();
  return ReadNeighbour(record, Direction::kForward, UniqueLookUpPrefix());
}

int Handler::index_prev(uchar* record) {
  CompareNothing();
  return ReadNeighbour(record, Direction::kBackward, nullptr);
}

// The first row or the last one.
int Handler::ReadEnd(uchar* record, Direction direction) {
  ForgetLastRow();
  CompareNothing();
  if (int error = OpenScan()) return error;
  return ReadAfterMove(rows_->scan().SeekToEnd(direction), record, direction, /*prefix=*/nullptr);
}

int Handler::index_first(uchar* record) { return ReadEnd(record, Direction::kForward); }
int Handler::index_last(uchar* record) { return ReadEnd(record, Direction::kBackward); }

int Handler::index_next_same(uchar* record, const uchar* key, uint key_bytes) {
  const codec::KeyCodec& codec = *table_data()->index(active_index).codec;
  const unsigned parts = codec.PartsInSearchTuple(key_bytes);
  const key_part_map map = make_prev_keypart_map(parts);
  if (read_.point_read && HasAllParts(active_index, map)) return HA_ERR_END_OF_FILE;
  const SearchPrecision precision = EncodeSearchKey(codec, key, map, &read_.search);
  CompareWithTuple(key, key_bytes, HA_READ_KEY_EXACT, precision);
  return ReadNeighbour(record, Direction::kForward, &read_.search);
}

// Comes before each range that the server reads backwards by itself.
int Handler::prepare_range_scan(const key_range* start, const key_range* end) {
  like_bounds_.WidenInPlace(active_index, start, end);
  return 0;
}

// A range forward: its end is compared as key bytes, before a row is read or decoded.
int Handler::read_range_first(const key_range* start, const key_range* end, bool eq_range_arg,
                              bool) {
  eq_range = eq_range_arg;
  set_end_range(end);
  range_key_part = table->key_info[active_index].key_part;
  CountRange(start);
  return EndRangeRead(StartRange(start, end));
}

// As the server counts where it walks a range itself.
void Handler::CountRange(const key_range* start) {
  increment_statistics(start == nullptr ? &SSV::ha_read_first_count : &SSV::ha_read_key_count);
}

int Handler::StartRange(const key_range* start, const key_range* end) {
  read_.limit.clear();
  read_.point_read = false;
  const engine::Index& index = table_data()->index(active_index);
  NoteSearch(start == nullptr ? 0 : start->keypart_map, eq_range);
  if (start != nullptr && eq_range && active_index == table_data()->primary_position() &&
      HasAllParts(active_index, start->keypart_map)) {
    if (EncodeSearchKey(*index.codec, start->key, start->keypart_map, &read_.search) ==
        SearchPrecision::kExact) {
      CompareNothing();
      return ReadByPrimaryKey(table->record[0]);
    }
  }
  like_bounds_.Widen(active_index, &start, &end);
  const SearchPrecision start_precision = EncodeRangeStart(*index.codec, start, &read_.search);
  const SearchPrecision end_precision = EncodeRangeEnd(*index.codec, end, &read_.limit);
  CompareWithRange(start, start_precision, end, end_precision);
  if (int error = OpenScan()) return error;
  Status moved = rows_->scan().SeekRange(read_.search, read_.limit);
  if (!moved.ok()) return Fail(std::move(moved));
  return ReadFromHere(table->record[0], Direction::kForward, nullptr, HA_ERR_END_OF_FILE);
}

int Handler::read_range_next() {
  increment_statistics(&SSV::ha_read_next_count);
  if (read_.point_read) return EndRangeRead(HA_ERR_END_OF_FILE);
  if (int error = OpenScan()) return EndRangeRead(error);
  Status moved = Advance(Direction::kForward);
  if (!moved.ok()) return EndRangeRead(Fail(std::move(moved)));
  return EndRangeRead(
      ReadFromHere(table->record[0], Direction::kForward, nullptr, HA_ERR_END_OF_FILE));
}

// What the server's wrappers do after other reads; range reads are called without one.
int Handler::EndRangeRead(int error) {
  if (error == HA_ERR_KEY_NOT_FOUND) error = HA_ERR_END_OF_FILE;
  if (error == 0 && table->vfield != nullptr) {
    (void)table->update_virtual_fields(this, VCOL_UPDATE_FOR_READ);
  }
  table->status = error != 0 ? STATUS_NOT_FOUND : 0;
  return error;
}

bool Handler::HasAllParts(uint index, key_part_map parts) const {
  const unsigned count = table_data()->index(index).codec->user_parts();
  const key_part_map all = make_prev_keypart_map(count);
  return (parts & all) == all;
}

// The server takes every column of the primary key for readable from any index.
bool Handler::EntryGivesColumnsOf(uint index, Item* condition) const {
  List<Item_field> fields;
  if (condition->walk(&Item::collect_item_field_processor, false, &fields)) return false;
  List_iterator_fast<Item_field> field(fields);
  const codec::KeyCodec& codec = *table_data()->index(index).codec;
  while (const Item_field* item = field++) {
    if (item->field->table == table && !codec.IsColumnInKey(item->field->field_index)) return false;
  }
  return true;
}

Item* Handler::idx_cond_push(uint index, Item* condition) {
  if (index == table_data()->primary_position() || !EntryGivesColumnsOf(index, condition)) {
    return condition;
  }
  pushed_idx_cond = condition;
  pushed_idx_cond_keyno = index;
  in_range_check_pushed_down = true;
  return nullptr;
}

bool Handler::rowid_filter_push(Rowid_filter* filter) {
  pushed_rowid_filter = filter;
  return false;
}

// To the next entry. The server asks for it also when it wants the row it has just looked at, which
// was locked by another: then to the same one again, and wait.
Status Handler::Advance(Direction direction) {
  if (!rows_->reader().is_unlocked()) return rows_->scan().Step(direction);
  rows_->scan().WaitForNextRow();
  return Status::Ok();
}

void Handler::try_semi_consistent_read(bool yes) {
  engine::ReadIntent intent = rows_->intent();
  intent.semi_consistent =
      yes && intent.lock && !intent.repeatable && intent.wait == txn::LockWait::kWait &&
      session_->transaction()->settings().isolation == txn::Isolation::kReadCommitted;
  rows_->set_intent(intent);
}

bool Handler::was_semi_consistent_read() { return rows_->reader().is_unlocked(); }

void Handler::unlock_row() {
  if (rows_ != nullptr && !LockScannedRows(table->in_use)) rows_->reader().Unlock();
}

}  // namespace basalt::server
