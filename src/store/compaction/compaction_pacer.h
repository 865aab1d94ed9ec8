// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <chrono>
#include <cstdint>

#include "store/compaction/background_share.h"

namespace basalt::store {

// The work that flushes and compactions have before them.
struct CompactionDebt {
  uint64_t written = 0;            // bytes by clients since the store was opened, see below
  uint64_t waiting_memtables = 0;  // full ones, of the column family that has most
  uint64_t excess_files = 0;       // of level 0 beyond its compaction trigger; the most
  uint64_t pending_bytes = 0;      // what compactions have to rewrite (RocksDB's estimate)
  // Sums since the store was opened: BackgroundShare.
  uint64_t syncs = 0;
  uint64_t sync_microseconds = 0;
  uint64_t background_bytes = 0;
};

// Paces flushes and compactions: they keep up, and go no faster. At full speed they take the disk
// and the processors away from the clients, for seconds, every minute or so. The pace follows what
// the clients write (rocksdb::BYTES_WRITTEN: with or without the log, those of a prepared
// transaction twice). It rises with the debt, long before RocksDB would stall the clients. Where
// the disk is at its limit it falls, to half of what keeps up.
//
// Thread-safety: none.
class CompactionPacer {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kNoLimit = 0;
  // Bytes a second, however little there is to do; of a disk that has room, and of any.
  static constexpr uint64_t kLeast = 8ull << 20;
  static constexpr uint64_t kLeastOfBusyDisk = 1ull << 20;

  // Bytes a second from now on, or kNoLimit. To be asked about once a second.
  uint64_t BytesASecond(const CompactionDebt& debt, Clock::time_point now);

 private:
  double WrittenASecond(uint64_t written, Clock::time_point now);

  Clock::time_point looked_;  // the epoch: never
  uint64_t written_ = 0;
  double average_ = 0;  // bytes a second, over some ten seconds
  BackgroundShare share_;
};

}  // namespace basalt::store
