// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/index_id.h"

namespace basalt::server {

// What RocksDB measures of the work of a thread (rocksdb_perf_context_level), summed up by table
// and for all of them. RocksDB counts for each thread by itself; a statement hands over what has
// been added since the last time.

inline constexpr size_t kPerfCounters = 57;
using PerfNumbers = std::array<uint64_t, kPerfCounters>;

// The names of MyRocks, in its order.
const std::array<const char*, kPerfCounters>& PerfCounterNames();

// Measures one statement after the other of a connection, each in the thread that runs it.
class StatementMeasure {
 public:
  // A statement begins: the thread measures from here on as far as `level` (0 to 5, in MyRocks'
  // numbers) says, at 0 and 1 nothing. RocksDB counts in every thread that was not told not to,
  // comparisons and the like, some thirty times a row of a range. What the thread has measured
  // before belongs to nobody. Cheap below level 2.
  void Begin(int level);
  bool active() const { return active_; }
  // Adds what was measured since Begin, or the last call, to the table with that primary key and to
  // the sum. Called once a row at most, and only while active.
  void HandOver(IndexId table);
  // The statement ends: what is left goes to the table of the last HandOver. The thread measures
  // nothing from here on: it may go on with a statement of another connection. Nothing to do when
  // not active.
  void End();

 private:
  bool active_ = false;
  IndexId last_table_;
};

// The sum, and the sums by table of those that were ever measured. Any thread.
PerfNumbers MeasuredInAll();
std::map<IndexId, PerfNumbers> MeasuredByTable();

}  // namespace basalt::server
