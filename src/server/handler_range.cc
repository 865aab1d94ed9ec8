// SPDX-License-Identifier: GPL-2.0-only
//
// Multi-range reads: row keys are gathered from the index first, then many rows are read at once.
// The order of the ranges and of the rows within them is kept, so that sorted output costs nothing.
#include "server/handler.h"
#include "server/search_key.h"

namespace basalt::server {
namespace {

using Direction = engine::Direction;

// Few at first, because a LIMIT may end the read early; then more and more.
constexpr size_t kFirstBatch = 16;
constexpr size_t kLargestBatch = 256;

}  // namespace

int Handler::multi_range_read_init(RANGE_SEQ_IF* sequence, void* parameter, uint ranges, uint mode,
                                   HANDLER_BUFFER* buffer) {
  const int error = ::handler::multi_range_read_init(sequence, parameter, ranges, mode, buffer);
  if (error != 0) return error;
  LearnWantedColumns();
  RangeBatch& batch = read_.batch;
  const engine::Index& index = table_data()->index(active_index);
  const bool secondary = active_index != table_data()->primary_position();
  const bool key_only = secondary && index.codec->Covers(read_.wanted);
  // Locking reads take one row after the other; entries that suffice need no rows; virtual columns
  // of an index that is read alone come from entries; and where a search key does not say all, rows
  // are compared with their range before they are returned.
  const bool entries = key_only || (keyread_enabled() && index.has_virtual_parts);
  batch.active = !rows_->intent().lock && !entries && index.codec->SearchIsWhole() &&
                 (secondary || ranges > 1);
  batch.count = batch.next = 0;
  batch.limit = kFirstBatch;
  batch.range_open = false;
  batch.ranges_ended = false;
  batch.deferred_error = 0;
  return 0;
}

int Handler::multi_range_read_next(range_id_t* range_info) {
  const int error = NextOfRanges(range_info);
  // The server fills a row id filter from here and takes it that an error has been reported
  // (rowid_filter.cc, build()); of one that has not, the client would never hear.
  const bool fills_filter = pushed_rowid_filter != nullptr && !rowid_filter_is_active;
  if (error != 0 && error != HA_ERR_END_OF_FILE && fills_filter) print_error(error, MYF(0));
  return error;
}

int Handler::NextOfRanges(range_id_t* range_info) {
  RangeBatch& batch = read_.batch;
  if (!batch.active) return ::handler::multi_range_read_next(range_info);
  while (true) {
    while (batch.next < batch.count) {
      const size_t position = batch.next++;
      Status taken = rows_->TakeFetched(position, table->record[0]);
      if (taken.code() == Code::kNotFound) continue;  // a key looked for that has no row
      if (!taken.ok()) return Fail(std::move(taken));
      *range_info = batch.range_ids[position];
      Note(RowEvent::kRead);
      return EndRangeRead(0);
    }
    if (batch.deferred_error != 0) return EndRangeRead(batch.deferred_error);
    GatherRows();
    if (batch.count == 0) {
      return EndRangeRead(batch.deferred_error != 0 ? batch.deferred_error : HA_ERR_END_OF_FILE);
    }
    rows_->FetchRows(batch.row_keys, batch.count);
  }
}

// Fills the batch with the keys of the next rows. An error met on the way is kept for later.
void Handler::GatherRows() {
  RangeBatch& batch = read_.batch;
  batch.count = batch.next = 0;
  while (batch.count < batch.limit && !batch.ranges_ended) {
    if (!batch.range_open) {
      if (mrr_funcs.next(mrr_iter, &mrr_cur_range)) {
        batch.ranges_ended = true;
        break;
      }
      const int error = StartGatheringRange();
      if (error == HA_ERR_END_OF_FILE) continue;
      if (error != 0) {
        batch.deferred_error = error;
        break;
      }
    }
    const int error = GatherRange();
    if (error == HA_ERR_END_OF_FILE) {
      batch.range_open = false;
    } else if (error != 0) {
      batch.deferred_error = error;
      break;
    }
  }
  batch.limit = std::min(batch.limit * 2, kLargestBatch);
}

void Handler::AddToBatch(Bytes row_key) {
  RangeBatch& batch = read_.batch;
  if (batch.count == batch.row_keys.size()) {
    batch.row_keys.emplace_back();
    batch.range_ids.emplace_back();
  }
  batch.row_keys[batch.count].assign(row_key);
  batch.range_ids[batch.count] = mrr_cur_range.ptr;
  ++batch.count;
}

// Puts the cursor on the first entry of the present range. 0 when there is one. A range that is one
// whole primary key needs no cursor: the key goes into the batch as it is.
int Handler::StartGatheringRange() {
  const engine::Index& index = table_data()->index(active_index);
  const key_range* start = mrr_cur_range.start_key.keypart_map ? &mrr_cur_range.start_key : nullptr;
  const key_range* end = mrr_cur_range.end_key.keypart_map ? &mrr_cur_range.end_key : nullptr;
  NoteSearch(start == nullptr ? 0 : start->keypart_map, (mrr_cur_range.range_flag & EQ_RANGE) != 0);
  CountRange(start);
  if ((mrr_cur_range.range_flag & EQ_RANGE) != 0 && start != nullptr &&
      active_index == table_data()->primary_position() &&
      HasAllParts(active_index, start->keypart_map)) {
    if (EncodeSearchKey(*index.codec, start->key, start->keypart_map, &read_.search) ==
        SearchPrecision::kExact) {
      AddToBatch(read_.search);
      return HA_ERR_END_OF_FILE;
    }
  }
  set_end_range(end);  // the pushed condition looks at it
  range_key_part = table->key_info[active_index].key_part;
  if (int error = OpenScan()) return error;
  like_bounds_.Widen(active_index, &start, &end);
  EncodeRangeStart(*index.codec, start, &read_.search);
  EncodeRangeEnd(*index.codec, end, &read_.limit);
  Status moved = rows_->scan().SeekRange(read_.search, read_.limit);
  if (moved.code() == Code::kEndOfRange) return HA_ERR_END_OF_FILE;
  if (!moved.ok()) return Fail(std::move(moved));
  read_.batch.range_open = true;
  return 0;
}

// Takes entries of the open range until the batch is full (0) or the range ends.
int Handler::GatherRange() {
  RangeBatch& batch = read_.batch;
  while (batch.count < batch.limit) {
    if (rows_->scan().entry_key() >= read_.limit) return HA_ERR_END_OF_FILE;
    const int error = rows_->scan().HasExpired() ? kEntryPassedOver : CheckEntry();
    if (error == 0) {
      Status taken = rows_->scan().TakeRowKey();
      if (!taken.ok()) return Fail(std::move(taken));
      AddToBatch(rows_->reader().key());
    } else if (error != kEntryPassedOver) {
      return error;
    }
    increment_statistics(&SSV::ha_read_next_count);
    Status moved = rows_->scan().Step(Direction::kForward);
    if (moved.code() == Code::kEndOfRange) return HA_ERR_END_OF_FILE;
    if (!moved.ok()) return Fail(std::move(moved));
  }
  return 0;
}

}  // namespace basalt::server
