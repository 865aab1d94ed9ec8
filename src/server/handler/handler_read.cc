// SPDX-License-Identifier: GPL-2.0-only
//
// Reads: what the server asks for one row after the other goes to IndexReader and MultiRangeReader.
#include <utility>

#include "server/handler/handler.h"
#include "server/handler/window_key.h"
#include "server/tables/read_free_apply.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

// The way that a search goes from its key.
constexpr Direction DirectionOf(enum ha_rkey_function find) {
  switch (find) {
    case HA_READ_BEFORE_KEY:
    case HA_READ_KEY_OR_PREV:
    case HA_READ_PREFIX_LAST:
    case HA_READ_PREFIX_LAST_OR_PREV:
      return Direction::kBackward;
    default:
      return Direction::kForward;
  }
}

}  // namespace

void Handler::column_bitmaps_signal() { reader_.ForgetWantedColumns(); }

void Handler::CloseScan() {
  reader_.Close();
  ranges_.End();
}

int Handler::rnd_init(bool scan) {
  CloseScan();
  active_index = MAX_KEY;
  return Measured([&] { return reader_.BeginTable(/*opens=*/scan); });
}

int Handler::rnd_end() {
  CloseScan();
  return 0;
}

int Handler::rnd_next(uchar* record) {
  return Measured([&] { return reader_.NextOfTable(record); });
}

void Handler::position(const uchar* record) { StoreReference(reader_.RowKeyOf(record), ref); }

// The key, zeros, and in the last two bytes its length, so that references compare like keys.
void Handler::StoreReference(Bytes row_key, uchar* reference) const {
  const size_t room = ref_length - kRowReferenceLengthBytes;
  memcpy(reference, row_key.data(), row_key.size());
  memset(reference + row_key.size(), 0, room - row_key.size());
  StoreBigEndian16(reference + room, static_cast<uint16_t>(row_key.size()));
}

int Handler::rnd_pos(uchar* record, uchar* position) {
  const size_t bytes = LoadBigEndian16(position + ref_length - kRowReferenceLengthBytes);
  return Measured([&] { return reader_.ReadByPosition(MakeBytes(position, bytes), record); });
}

// How a replica finds the row that a row event changes.
int Handler::rnd_pos_by_record(uchar* record) {
  const bool has_references = references_.is_child() || references_.is_parent();
  const UnreadChange change =
      has_references ? UnreadChange::kNone : ChangeWithoutReading(table, *table_data());
  if (change == UnreadChange::kNone) return ::handler::rnd_pos_by_record(record);
  Status taken = rows()->reader().LockKey(rows()->RowKeyOf(record));
  if (!taken.ok()) return Fail(std::move(taken));
  const bool update = change == UnreadChange::kUpdate;
  session()->row_counters()->Note(update ? RowEvent::kUpdatedBlind : RowEvent::kDeletedBlind);
  return 0;
}

int Handler::index_init(uint index, bool) {
  CloseScan();
  active_index = index;
  return reader_.BeginIndex();
}

int Handler::index_end() {
  CloseScan();
  active_index = MAX_KEY;
  return 0;
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
  only_read_ = IsOnlyReadOfTransaction();
  const int error = ::handler::index_read_idx_map(record, index, key, parts, find);
  only_read_ = false;
  return error;
}

int Handler::index_read_map(uchar* record, const uchar* key, key_part_map parts,
                            enum ha_rkey_function find) {
  if (IsWindowSearch(find)) [[unlikely]] {
    return Measured([&] { return reader_.FindInWindow(record, key, find); });
  }
  return Measured([&] { return reader_.Find(record, key, parts, find, only_read_); },
                  DirectionOf(find));
}

int Handler::index_read_last_map(uchar* record, const uchar* key, key_part_map parts) {
  return index_read_map(record, key, parts, HA_READ_PREFIX_LAST);
}

int Handler::index_next(uchar* record) {
  return Measured([&] { return reader_.ReadNext(record); });
}

int Handler::index_prev(uchar* record) {
  return Measured([&] { return reader_.ReadPrevious(record); }, Direction::kBackward);
}

int Handler::index_first(uchar* record) {
  return Measured([&] { return reader_.ReadEnd(record, Direction::kForward); });
}

int Handler::index_last(uchar* record) {
  return Measured([&] { return reader_.ReadEnd(record, Direction::kBackward); },
                  Direction::kBackward);
}

int Handler::index_next_same(uchar* record, const uchar* key, uint key_bytes) {
  return Measured([&] { return reader_.ReadNextSame(record, key, key_bytes); });
}

// Comes before each range that the server reads backwards by itself.
int Handler::prepare_range_scan(const key_range* start, const key_range* end) {
  open_.like_bounds()->WidenInPlace(active_index, start, end);
  return 0;
}

int Handler::read_range_first(const key_range* start, const key_range* end, bool eq_range_arg,
                              bool) {
  eq_range = eq_range_arg;
  set_end_range(end);
  range_key_part = table->key_info[active_index].key_part;
  reader_.CountRange(start);
  return reader_.EndRangeRead(Measured([&] { return reader_.BeginRange(start, end); }));
}

int Handler::read_range_next() {
  return reader_.EndRangeRead(Measured([&] { return reader_.NextOfRange(); }));
}

int Handler::multi_range_read_init(RANGE_SEQ_IF* sequence, void* parameter, uint ranges, uint mode,
                                   HANDLER_BUFFER* buffer) {
  const int error = ::handler::multi_range_read_init(sequence, parameter, ranges, mode, buffer);
  if (error == 0) ranges_.Begin(ranges);
  return error;
}

int Handler::multi_range_read_next(range_id_t* range_info) {
  const int error = ranges_.active() ? Measured([&] { return ranges_.Next(range_info); })
                                     : ::handler::multi_range_read_next(range_info);
  // The server fills a row id filter from here and takes it that an error has been reported
  // (rowid_filter.cc, build()); of one that has not, the client would never hear.
  const bool fills_filter = pushed_rowid_filter != nullptr && !rowid_filter_is_active;
  if (error != 0 && error != HA_ERR_END_OF_FILE && fills_filter) print_error(error, MYF(0));
  return error;
}

FT_INFO* Handler::ft_init_ext(uint flags, uint index, String* query) {
  return texts_.NewMatch(flags, index, *query);
}

int Handler::ft_read(uchar* record) {
  return Measured([&] { return texts_.Next(ft_handler, record); });
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

void Handler::try_semi_consistent_read(bool yes) {
  engine::ReadIntent intent = rows()->intent();
  intent.semi_consistent =
      yes && intent.lock && !intent.repeatable && !intent.awaits_entries &&
      intent.wait == txn::LockWait::kWait &&
      session()->transaction()->settings().isolation == txn::Isolation::kReadCommitted;
  rows()->set_intent(intent);
}

bool Handler::was_semi_consistent_read() { return rows()->reader().is_unlocked(); }

void Handler::unlock_row() {
  if (rows() != nullptr && !LockScannedRows(table->in_use)) rows()->reader().Unlock();
}

}  // namespace basalt::server
