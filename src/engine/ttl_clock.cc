// SPDX-License-Identifier: GPL-2.0-only
#include "engine/ttl_clock.h"

#include <algorithm>
#include <ctime>

#include "engine/database.h"

namespace basalt::engine {
namespace {

uint64_t Present() { return static_cast<uint64_t>(std::max<std::time_t>(std::time(nullptr), 0)); }

// Time and offset, without passing zero.
uint64_t Moved(uint64_t seconds, int offset) {
  if (offset >= 0) return seconds + static_cast<uint64_t>(offset);
  return seconds - std::min(seconds, static_cast<uint64_t>(-static_cast<int64_t>(offset)));
}

uint64_t ColumnStamp(const uint8_t* at) {
  uint64_t stamp = 0;
  for (unsigned byte = 0; byte < 8; ++byte) stamp |= uint64_t{at[byte]} << (8 * byte);
  return stamp;
}

}  // namespace

TtlClock::TtlClock(const Table& table)
    : table_(table),
      shared_(table.database()->store()->time_to_live()),
      rows_seconds_(table.primary().ttl_seconds),
      expires_(rows_seconds_ != 0),
      has_stamps_(table.primary().codec->has_ttl()),
      has_column_(table.traits().ttl_column.has_value()) {}

void TtlClock::TakeTime(txn::Transaction* transaction) {
  hides_ = shared_->settings().hide_expired;
  uint64_t time;
  if (transaction->snapshot().taken()) {
    // Which is there already, so that a mere estimate does not make it stay.
    time = static_cast<uint64_t>(
        std::max<int64_t>(transaction->snapshot().ForEstimate()->GetUnixTime(), 0));
  } else {
    if (now_ == 0) now_ = Present();
    time = now_;
  }
  time = std::max(time, shared_->latest_compaction_time());
  read_time_ = Moved(time, -shared_->settings().reading_offset);
}

bool TtlClock::Passes(Bytes value, uint64_t seconds) {
  if (!store::ValueHasExpired(value, seconds, read_time_)) [[likely]]
    return false;
  shared_->CountHidden();
  return true;
}

bool TtlClock::EntriesMayStandAlone() const {
  return expires_ && (!hides_ || !shared_->entries_have_rows());
}

uint64_t TtlClock::StampOf(const uint8_t* record) const {
  if (!has_stamps_) [[likely]]
    return 0;
  const uint64_t stamp =
      has_column_
          ? ColumnStamp(record + table_.descriptor().columns[*table_.traits().ttl_column].offset)
          : Present();
  return Moved(stamp, shared_->settings().stamp_offset);
}

uint64_t TtlClock::ExpiredStamp() const { return read_time_ - std::min(read_time_, rows_seconds_); }

uint64_t SnapshotSeconds(const Table& table, txn::Transaction* transaction) {
  const int64_t taken = transaction->snapshot().ForReads()->GetUnixTime();
  return std::max(static_cast<uint64_t>(std::max<int64_t>(taken, 0)),
                  table.database()->store()->time_to_live()->latest_compaction_time());
}

}  // namespace basalt::engine
