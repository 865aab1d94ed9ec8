// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/perf_level.h>

#include <cstdint>

#include "engine/scans/direction.h"

namespace basalt::server {

// What a thread has read of table files. Blocks of every kind count: rows, indexes of files,
// filters; but none that an open file keeps in memory. What is read of memtables is no block.
struct ReadCounts {
  uint64_t blocks_accessed = 0;  // asked for; each time, when there are several
  uint64_t blocks_read = 0;      // of these: were not in the block cache
  uint64_t blocks_ahead = 0;     // of those: had been read together with one before them
  // All reads of files, as the engine sees them: pages of the operating system's cache, too.
  uint64_t read_nanoseconds = 0;
  // Deletions and versions of rows that scans have passed over: older ones, and those that came
  // after the snapshot. Look-ups by a whole key do not tell theirs.
  uint64_t versions_passed = 0;
};

// Counts what the thread reads, from construction to End. A measure inside of another one takes
// what is read meanwhile away from it: each block counts once.
//
// RocksDB counts for each thread by itself, as far as its perf level says. The measure raises that,
// where it is lower, and End puts it back; who measures with it at the same time
// (StatementMeasure) sees times, too. What other threads read on behalf of this one is not seen.
//
// On the stack of one thread; measures end in the reverse order of their beginning.
class ReadMeasure {
 public:
  ReadMeasure();
  ~ReadMeasure() { Stop(); }
  ReadMeasure(const ReadMeasure&) = delete;
  ReadMeasure& operator=(const ReadMeasure&) = delete;

  // What was counted. `direction` is that of the store's iterators, which goes against the order of
  // keys where a column family has them in reverse: backward they count what they return among
  // what they have skipped. A mix of both is off by one for each search. Called once.
  ReadCounts End(engine::Direction direction);

 private:
  // As RocksDB counts, each since the thread began.
  struct Sums {
    uint64_t found_in_cache = 0;
    uint64_t not_in_cache = 0;
    uint64_t single_reads = 0;  // of a block by itself, also without a look into the cache
    uint64_t read_nanoseconds = 0;
    uint64_t deletions_skipped = 0;
    uint64_t keys_skipped = 0;    // forward: without deletions, but with each entry that was left
    uint64_t newer_skipped = 0;   // than the snapshot
    uint64_t iterator_steps = 0;  // either way
    uint64_t iterator_seeks = 0;

    void AddDifference(const Sums& from, const Sums& to);
  };

  static Sums OfThisThread();
  void Stop();
  void Collect();
  void GoOn();

  ReadMeasure* const outer_;
  const rocksdb::PerfLevel level_before_;
  bool running_ = true;
  Sums last_;     // when counting began, or went on
  Sums counted_;  // until then
};

}  // namespace basalt::server
