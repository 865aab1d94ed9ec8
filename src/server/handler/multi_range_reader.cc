// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/multi_range_reader.h"

#include <algorithm>

namespace basalt::server {
namespace {

// Few at first, because a LIMIT may end the read early; then more and more.
constexpr size_t kFirstBatch = 16;
constexpr size_t kLargestBatch = 256;

}  // namespace

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
  count_ = next_ = 0;
  limit_ = kFirstBatch;
  range_open_ = ranges_ended_ = false;
  deferred_error_ = 0;
}

int MultiRangeReader::Next(range_id_t* range_info) {
  engine::RowAccess* rows = table_->rows();
  while (true) {
    while (next_ < count_) {
      const size_t position = next_++;
      Status taken = rows->TakeFetched(position, table_->server_table()->record[0]);
      if (taken.code() == Code::kNotFound) continue;  // a key looked for that has no row
      if (!taken.ok()) return table_->Fail(std::move(taken));
      *range_info = range_ids_[position];
      table_->Note(RowEvent::kRead);
      return reader_->EndRangeRead(0);
    }
    if (deferred_error_ != 0) return reader_->EndRangeRead(deferred_error_);
    Gather();
    if (count_ == 0) {
      return reader_->EndRangeRead(deferred_error_ != 0 ? deferred_error_ : HA_ERR_END_OF_FILE);
    }
    rows->FetchRows(row_keys_, count_);
  }
}

// Fills the batch with the keys of the next rows. An error met on the way is kept for later.
void MultiRangeReader::Gather() {
  count_ = next_ = 0;
  while (count_ < limit_ && !ranges_ended_ && deferred_error_ == 0) {
    const int error = GatherSome();
    if (error == HA_ERR_END_OF_FILE) {
      range_open_ = false;
    } else {
      deferred_error_ = error;
    }
  }
  limit_ = std::min(limit_ * 2, kLargestBatch);
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
  if (count_ == row_keys_.size()) {
    row_keys_.emplace_back();
    range_ids_.emplace_back();
  }
  row_keys_[count_].assign(row_key);
  range_ids_[count_] = table_->handler()->mrr_cur_range.ptr;
  ++count_;
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
  while (count_ < limit_) {
    if (scan.entry_key() >= end_) return HA_ERR_END_OF_FILE;
    const int error = scan.HasExpired() ? IndexReader::kEntryPassedOver : reader_->CheckEntry();
    if (error == 0) {
      Status taken = scan.TakeRowKey();
      if (!taken.ok()) return table_->Fail(std::move(taken));
      Add(table_->rows()->reader().key());
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
