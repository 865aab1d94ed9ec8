// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/index_id.h"

namespace basalt::server {

// What RocksDB measures of the work of a thread (rocksdb_perf_context_level), summed up by table
// and for all of them. RocksDB counts for each thread by itself; whoever has worked for a table
// hands over what has been added since the last time.

inline constexpr size_t kPerfCounters = 57;
using PerfNumbers = std::array<uint64_t, kPerfCounters>;

// The names of MyRocks, in its order.
const std::array<const char*, kPerfCounters>& PerfCounterNames();

// The calling thread measures from here on as far as `level` (0 to 5, in MyRocks' numbers) says.
// What it has measured before belongs to nobody.
void StartMeasuring(int level);
// The calling thread measures nothing from here on. RocksDB counts in every thread that has not
// said so, comparisons and the like, some thirty times a row of a range. Cheap.
void MeasureNothing();
// Adds what the calling thread has measured since StartMeasuring, or the last call, to the table
// with that primary key and to the sum. Called once a row at most, and only while measuring.
void HandOverMeasured(IndexId table);

// The sum, and the sums by table of those that were ever measured. Any thread.
PerfNumbers MeasuredInAll();
std::map<IndexId, PerfNumbers> MeasuredByTable();

}  // namespace basalt::server
