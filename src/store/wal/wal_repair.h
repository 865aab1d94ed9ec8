// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/env.h>

#include "base/status.h"
#include "store/options/store_options.h"

namespace basalt::store {

// Repairs the write-ahead log (WAL) after a crash: cuts off its torn end, a record of which only a
// part is on disk, before the store is opened for writing.
//
// RocksDB alone would read up to there each time. That is right at the first start; but with
// two-phase commit it keeps the torn log for some time (prepared transactions may be in it), writes
// new logs after it, and at the next crash takes the old end for a hole in front of the new data:
// "SST file contains data beyond the point of corruption", and the store never opens again.

inline constexpr std::string_view kDamagedSuffix = ".damaged";

// How far the log in `content` is whole.
struct WalExtent {
  // Bytes up to the end of the last whole record; all, when only zeros follow it: space that was
  // made ready (wal_preallocation.h).
  uint64_t whole = 0;
  bool more_behind = false;  // whole records follow the damage: no torn end, but a hole
};
// Reads the public format of the log: blocks of 32 KiB, records of a checksum, a length and a kind.
WalExtent MeasureWal(std::string_view content);

// Only the recovery mode point in time takes a torn end for what a crash leaves behind.
inline bool CutsTornWalFiles(const StoreOptions& options) { return options.wal_recovery_mode == 2; }

// What CutTornWalFiles is going to cut off.
struct TornWalFiles {
  struct Cut {
    std::string path;
    uint64_t size, whole;  // bytes: without zeros at the end, and as it will be
    bool keeps_copy;       // whole records are cut off
  };
  std::vector<Cut> cuts;  // in the order of the logs
  // Nothing whole is cut off: a reader may pass over the torn ends and go on behind them.
  bool ends_only = true;
};

// Finds the torn end of the last log that has one, and the logs behind it, which belong to the same
// crash and would not be replayed either. The same for a hole in a log: the replay stops there, and
// what lies behind it is as much in the way of later starts. `first_logs`: for each column family
// the first log that it still needs, as the store's manifest has it. A log that all column families
// have moved past was read up to its end by an earlier start, so the logs behind it stay. Where it
// is not that clear, nothing is found and RocksDB decides. Changes nothing. kIoError when a log
// cannot be read.
Status FindTornWalFiles(const StoreOptions& options, const std::vector<uint64_t>& first_logs,
                        TornWalFiles* torn);

// Cuts them off. Whole records are data: before they are cut off, the file is copied to its name
// with kDamagedSuffix, which nothing reads or removes. options.log gets a line for each file.
// kIoError or kNoSpace when one cannot be copied or cut.
Status CutTornWalFiles(const StoreOptions& options, const TornWalFiles& torn);

}  // namespace basalt::store
