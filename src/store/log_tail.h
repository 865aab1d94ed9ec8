// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/env.h>

#include "base/status.h"
#include "store/store_options.h"

namespace basalt::store {

// The torn end of the write-ahead log that a crash leaves behind: a record of which only a part is
// on disk. It is cut off before the store is opened for writing.
//
// RocksDB alone would read up to there each time. That is right at the first start; but with
// two-phase commit it keeps the torn log for some time (prepared transactions may be in it), writes
// new logs after it, and at the next crash takes the old end for a hole in front of the new data:
// "SST file contains data beyond the point of corruption", and the store never opens again.

// How far the log in `content` is whole.
struct LogExtent {
  uint64_t whole = 0;        // bytes up to the end of the last whole record
  bool more_behind = false;  // whole records follow the damage: no torn end, but a hole
};
// Reads the public format of the log: blocks of 32 KiB, records of a checksum, a length and a kind.
LogExtent MeasureLog(std::string_view content);

// Cuts off the torn end of the last log that has one, and empties the logs behind it, which belong
// to the same crash and would not be replayed either. `first_logs`: for each column family the
// first log that it still needs, as the store's manifest has it. A log that all column families
// have moved past was read up to its end by an earlier start, so the logs behind it stay. Where it
// is not that clear, nothing is changed and RocksDB decides.
//
// `log` gets a line for each file that was cut. kIoError when a file cannot be read or cut.
Status CutTornLogs(const StoreOptions& options, const std::vector<uint64_t>& first_logs);

}  // namespace basalt::store
