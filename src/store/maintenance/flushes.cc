// SPDX-License-Identifier: GPL-2.0-only
#include "store/maintenance/flushes.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "store/compaction/background_rate_limiter.h"
#include "store/errors/status_map.h"
#include "store/format/column_family_names.h"
#include "store/memtables/memtable_composition.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
namespace {

// How long somebody who waits for memtables to be written out does so before the next look.
constexpr std::chrono::milliseconds kFlushPoll{1};
constexpr int kMostPollsForCounting = 1000;

// What iterators have stepped over, for whatever reason. Behind eight versions of one key RocksDB
// seeks, which takes about as long as so many more steps.
uint64_t StepsOverOldEntries(const rocksdb::Statistics& statistics) {
  constexpr uint64_t kStepsWorthASeek = 20;
  return statistics.getTickerCount(rocksdb::NUMBER_ITER_SKIP) +
         kStepsWorthASeek * statistics.getTickerCount(rocksdb::NUMBER_OF_RESEEKS_IN_ITERATION);
}

// Whether scans have paid for what would be written of a memtable, live keys and deletions, and at
// least half of its entries are no live keys.
bool IsPaidFor(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, uint64_t paid,
               const MemtableComposition& active) {
  const uint64_t most = std::min(paid - std::min(paid, active.deletions), active.entries / 2);
  return CountLiveKeys(db, handle, most) <= most;
}

}  // namespace

Flushes::Flushes(const Parts& parts)
    : parts_(parts),
      room_({parts.db, parts.db->GetDBOptions().write_buffer_manager.get(), parts.families, this,
             parts.options}) {}

// Waits a moment, unless no flush can come to its end; low space alone does not hold one up.
Status Flushes::WaitForFlush() const {
  BASALT_RETURN_IF_ERROR(parts_.policy->CheckFreeingAllowed());
  std::this_thread::sleep_for(kFlushPoll);
  return {};
}

Status Flushes::WaitUnless(const std::atomic<bool>* cancelled) const {
  if (cancelled != nullptr && *cancelled) return Status(Code::kInterrupted);
  return WaitForFlush();
}

bool Flushes::HasUnwrittenMemtables(rocksdb::ColumnFamilyHandle* handle) const {
  return NumberProperty(parts_.db, handle, rocksdb::DB::Properties::kNumImmutableMemTable) > 0;
}

// RocksDB tells its listener of a new file a moment after everybody can read it.
bool Flushes::HasUncountedFiles(rocksdb::ColumnFamilyHandle* handle) const {
  rocksdb::ColumnFamilyMetaData family;
  parts_.db->GetColumnFamilyMetaData(handle, &family);
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (!parts_.keeper->Knows(file.file_number)) return true;
    }
  }
  return false;
}

bool Flushes::HasBackgroundWork(rocksdb::ColumnFamilyHandle* handle) const {
  using Properties = rocksdb::DB::Properties;
  for (const std::string* property :
       {&Properties::kNumRunningFlushes, &Properties::kNumRunningCompactions,
        &Properties::kCompactionPending}) {
    if (NumberProperty(parts_.db, handle, *property) > 0) return true;
  }
  return false;
}

rocksdb::Status Flushes::Request(rocksdb::ColumnFamilyHandle* handle) {
  rocksdb::FlushOptions options;
  options.wait = false;
  options.allow_write_stall = true;
  return parts_.db->Flush(options, handle);
}

// While writes are stopped RocksDB takes no requests; that ends with the work that is under way.
Status Flushes::RequestInTurn(rocksdb::ColumnFamilyHandle* handle, const std::string& doing,
                              const std::atomic<bool>* cancelled) {
  rocksdb::Status requested = Request(handle);
  while (requested.IsTryAgain() && HasBackgroundWork(handle)) {
    BASALT_RETURN_IF_ERROR(WaitUnless(cancelled));
    requested = Request(handle);
  }
  return MapStatus(requested, doing);
}

// What needs the log whole fails while a full disk keeps it from being so, instead of waiting.
Status Flushes::CheckLogWritable() const {
  return parts_.backlog->pending() ? parts_.policy->CheckWritingAllowed() : Status();
}

Status Flushes::Flush() {
  return FlushAndWait(parts_.families->All(), "flushing memtables", nullptr);
}

Status Flushes::Flush(rocksdb::ColumnFamilyHandle* handle, const std::atomic<bool>* cancelled) {
  return FlushAndWait({handle}, "flushing the memtable of " + handle->GetName(), cancelled);
}

// RocksDB's own waiting ends only when the flush is done, and on a full disk that may be never. One
// column family after the other: a request that is left in RocksDB's queue by an error of another
// family can keep DB::Resume() waiting for ever (see store_listener.h).
Status Flushes::FlushAndWait(const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                             const std::string& doing, const std::atomic<bool>* cancelled) {
  BASALT_RETURN_IF_ERROR(CheckLogWritable());
  const BackgroundRateLimiter::Hurry hurry(parts_.options->rate_limiter.get());
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    // A request that comes while RocksDB recovers from an error is thrown away and keeps its thread
    // for a second, and recovery begins when no thread is busy: asked again and again it never
    // does.
    BASALT_RETURN_IF_ERROR(parts_.policy->CheckFreeingAllowed());
    BASALT_RETURN_IF_ERROR(RequestInTurn(handle, doing, cancelled));
    while (HasUnwrittenMemtables(handle)) {
      BASALT_RETURN_IF_ERROR(WaitUnless(cancelled));
    }
    // Estimates are not worth an endless wait.
    for (int i = 0; i < kMostPollsForCounting && HasUncountedFiles(handle); ++i) {
      BASALT_RETURN_IF_ERROR(WaitUnless(cancelled));
    }
  }
  return {};
}

void Flushes::FlushForScans() {
  const auto& trigger = parts_.options->deletion_trigger;
  if (trigger == nullptr || trigger->deletions <= 0 || trigger->window <= 0) return;
  if (!parts_.policy->writing_allowed() || parts_.backlog->pending()) return;
  const auto many = 2 * static_cast<uint64_t>(trigger->deletions.load());
  const uint64_t passed = StepsOverOldEntries(*parts_.statistics);
  std::map<uint32_t, FlushTriggers> all;  // without those of dropped families
  for (rocksdb::ColumnFamilyHandle* handle : parts_.families->All()) {
    if (handle->GetName() == kSystemColumnFamilyName) continue;
    FlushTriggers& triggers = all[handle->GetID()] = triggers_[handle->GetID()];
    const MemtableComposition active = CompositionOfActiveMemtable(parts_.db, handle);
    // Both are asked, so that both know what was there.
    const bool deleted = triggers.purge.Observe(active) > many;
    const uint64_t paid = triggers.scans.Evaluate(passed, active.entries);
    if ((!deleted && paid == 0) || HasUnwrittenMemtables(handle)) continue;
    if (!deleted && !IsPaidFor(parts_.db, handle, paid, active)) continue;
    // Tried again: for deletions in a second, for versions when scans have paid twice as much.
    (void)Request(handle).ok();
  }
  triggers_ = std::move(all);
}

}  // namespace basalt::store
