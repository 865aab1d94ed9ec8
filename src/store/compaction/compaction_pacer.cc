// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/compaction_pacer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace basalt::store {
namespace {

// Flushed and compacted into level after level, but compressed, and mostly counted twice.
constexpr uint64_t kBytesForEachWritten = 2;
// What is due is done within a minute.
constexpr uint64_t kSecondsForDebt = 60;

// So much undone that only speed counts. Two full memtables: clients wait when the third is full.
// Files of level 0: RocksDB slows clients down from sixteen more than compaction begins with.
constexpr uint64_t kManyMemtables = 2;
constexpr uint64_t kManyFiles = 8;
// Each so many files of them double the pace: compactions of a full level 0 take turns with filling
// it again, and a few more files cost reads less than a compaction in a hurry costs everybody.
constexpr uint64_t kFilesThatDouble = 4;

constexpr double kSecondsOfAverage = 10;

}  // namespace

double CompactionPacer::WrittenASecond(uint64_t written, Clock::time_point now) {
  const Clock::time_point looked = std::exchange(looked_, now);
  const uint64_t before = std::exchange(written_, written);
  const std::chrono::duration<double> passed = now - looked;
  const bool first = looked == Clock::time_point();
  const bool set_to_zero = written < before;
  if (first || set_to_zero || passed.count() <= 0) return average_;
  const double current = static_cast<double>(written - before) / passed.count();
  const double weight = 1 - std::exp(-passed.count() / kSecondsOfAverage);
  average_ += weight * (current - average_);
  // A rise counts at once, for the memtables are full in a moment; a fall in the average only.
  return std::max(average_, current);
}

uint64_t CompactionPacer::BytesASecond(const CompactionDebt& debt, Clock::time_point now) {
  const double written = WrittenASecond(debt.written, now);
  const double share = share_.After(debt.syncs, debt.sync_microseconds, debt.background_bytes);
  if (debt.waiting_memtables >= kManyMemtables || debt.excess_files >= kManyFiles) return kNoLimit;
  const auto steady = kBytesForEachWritten * static_cast<uint64_t>(written);
  const uint64_t pace = std::max({kLeast, steady, debt.pending_bytes / kSecondsForDebt});
  const uint64_t least = std::max(kLeastOfBusyDisk, steady / 2);
  const auto shared = static_cast<uint64_t>(share * static_cast<double>(pace));
  return std::max(least, shared) + pace * debt.excess_files / kFilesThatDouble;
}

}  // namespace basalt::store
