// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/multi_range_reader.h"

namespace basalt::server {

void MultiRangeReader::Begin(uint ranges) {
  const WantedColumns& wanted = reader_->LearnWantedColumns();
  ::handler* handler = table_->handler();
  const engine::Index& index = table_->data()->index(handler->active_index);
  const bool secondary = handler->active_index != table_->data()->primary_position();
  const bool key_only = secondary && index.codec->Covers(wanted.columns());
  // Locking reads take one row after the other; entries that suffice need no rows; virtual columns
  // of an index that is read alone come from entries; and where a search key does not say all, rows
  // are compared with their range before they are returned.
  const bool entries = key_only || (handler->keyread_enabled() && index.has_virtual_parts);
  active_ = !table_->rows()->intent().lock && !entries && index.codec->SearchIsWhole() &&
            (secondary || ranges > 1);
  row_keys_.Begin();
  range_open_ = ranges_ended_ = false;
  deferred_error_ = 0;
}

int MultiRangeReader::Next(range_id_t* range_info) {
  engine::RowAccess* rows = table_->rows();
  while (true) {
    while (row_keys_.has_next()) {
      const size_t position = row_keys_.Next();
      Status taken = rows->TakeFetched(position, table_->server_table()->record[0]);
      if (taken.code() == Code::kNotFound) continue;  // a key looked for that has no row
      if (!taken.ok()) return table_->Fail(std::move(taken));
      *range_info = range_ids_[position];
      table_->Note(RowEvent::kRead);
      return reader_->EndRangeRead(0);
    }
    if (deferred_error_ != 0) return reader_->EndRangeRead(deferred_error_);
    Gather();
    if (row_keys_.count() == 0) {
      return reader_->EndRangeRead(deferred_error_ != 0 ? deferred_error_ : HA_ERR_END_OF_FILE);
    }
    rows->FetchRows(row_keys_.keys(), row_keys_.count());
  }
}

// Fills the batch with the keys of the next rows. An error met on the way is kept for later.
void MultiRangeReader::Gather() {
  row_keys_.Clear();
  range_ids_.clear();
  while (!row_keys_.full() && !ranges_ended_ && deferred_error_ == 0) {
    const int error = GatherSome();
    if (error == HA_ERR_END_OF_FILE) {
      range_open_ = false;
    } else {
      deferred_error_ = error;
    }
  }
}

// Takes what fits from the open range, or from the next one. HA_ERR_END_OF_FILE: that range has
// ended, or there was no further one.
int MultiRangeReader::GatherSome() {
  if (!range_open_) {
    ::handler* handler = table_->handler();
    ranges_ended_ = handler->mrr_funcs.next(handler->mrr_iter, &handler->mrr_cur_range);
    if (ranges_ended_) return HA_ERR_END_OF_FILE;
    if (int error = BeginRange()) return error;
  }
  return GatherRange();
}

void MultiRangeReader::Add(Bytes row_key) {
  row_keys_.Add(row_key);
  range_ids_.push_back(table_->handler()->mrr_cur_range.ptr);
}

// Puts the cursor on the first entry of the present range. 0 when there is one. A range that is one
// whole primary key needs no cursor: the key goes into the batch as it is.
int MultiRangeReader::BeginRange() {
  ::handler* handler = table_->handler();
  const KEY_MULTI_RANGE& range = handler->mrr_cur_range;
  const uint active_index = handler->active_index;
  const key_range* start = range.start_key.keypart_map ? &range.start_key : nullptr;
  const key_range* end = range.end_key.keypart_map ? &range.end_key : nullptr;
  const bool equal = (range.range_flag & EQ_RANGE) != 0;
  table_->NoteSearch(start == nullptr ? 0 : start->keypart_map, equal);
  reader_->CountRange(start);
  if (reader_->IsWholePrimaryKey(start, equal, &search_)) {
    Add(search_);
    return HA_ERR_END_OF_FILE;
  }
  handler->set_end_range(end);  // the pushed condition looks at it
  handler->range_key_part = table_->server_table()->key_info[active_index].key_part;
  if (int error = reader_->OpenScan()) return error;
  table_->like_bounds()->Widen(active_index, &start, &end);
  const codec::KeyCodec& codec = *table_->data()->index(active_index).codec;
  EncodeRangeStart(codec, start, &search_);
  EncodeRangeEnd(codec, end, &end_);
  Status moved = table_->rows()->scan().SeekRange(search_, end_);
  if (moved.code() == Code::kEndOfRange) return HA_ERR_END_OF_FILE;
  if (!moved.ok()) return table_->Fail(std::move(moved));
  range_open_ = true;
  return 0;
}

// Takes entries of the open range until the batch is full (0) or the range ends.
int MultiRangeReader::GatherRange() {
  engine::IndexScan& scan = table_->rows()->scan();
  while (!row_keys_.full()) {
    if (scan.entry_key() >= end_) return HA_ERR_END_OF_FILE;
    Bytes row_key;
    const int error = reader_->TakeRowKey(&row_key);
    if (error == 0) {
      Add(row_key);
    } else if (error != IndexReader::kEntryPassedOver) {
      return error;
    }
    table_->CountForServer(&SSV::ha_read_next_count);
    Status moved = scan.Step(Direction::kForward);
    if (moved.code() == Code::kEndOfRange) return HA_ERR_END_OF_FILE;
    if (!moved.ok()) return table_->Fail(std::move(moved));
  }
  return 0;
}

}  // namespace basalt::server
