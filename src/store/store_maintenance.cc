// SPDX-License-Identifier: GPL-2.0-only

// What an administrator changes in a running store; store.cc has the rest of the class.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include <rocksdb/convenience.h>
#include <rocksdb/experimental.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/statistics.h>
#include <rocksdb/utilities/types_util.h>

#include "store/memtables/memtable_composition.h"
#include "store/options/column_family_defaults.h"
#include "store/statistics/number_property.h"
#include "store/store.h"
#include "store/store_listener.h"

namespace basalt::store {

Status Store::DropColumnFamily(rocksdb::ColumnFamilyHandle* handle) {
  MutexLock lock(create_mutex_);
  BASALT_RETURN_IF_ERROR(
      MapChange(db_->DropColumnFamily(handle), "dropping the column family " + handle->GetName()));
  families_.Remove(handle);
  return {};
}

void Store::SetInformationLogLevel(rocksdb::InfoLogLevel level) {
  database_options_.info_log->SetInfoLogLevel(level);
}

Status Store::ResetStatistics() {
  BASALT_RETURN_IF_ERROR(MapStatus(statistics_->Reset(), "setting the counters to zero"));
  return MapStatus(base_->ResetStats(), "setting the counters to zero");
}

Status Store::PauseBackgroundWork(bool pause) {
  return pause ? MapStatus(base_->PauseBackgroundWork(), "pausing background work")
               : MapStatus(base_->ContinueBackgroundWork(), "continuing background work");
}

Status Store::CompactLevelZero() {
  for (rocksdb::ColumnFamilyHandle* handle : families_.All()) {
    BASALT_RETURN_IF_ERROR(CompactLevelZero(handle));
  }
  return {};
}

namespace {

struct KeyRange {
  rocksdb::ColumnFamilyHandle* family;
  std::string first;
  std::string last;
};

std::string UserKey(const rocksdb::Iterator& entry, const rocksdb::Comparator* comparator) {
  rocksdb::ParsedEntryInfo parsed;
  if (!entry.Valid() || !rocksdb::ParseEntry(entry.key(), comparator, &parsed).ok()) return {};
  return parsed.user_key.ToString();
}

// Of a whole file: what the trigger looks for among the neighbours of a window.
bool HoldsManyDeletions(const rocksdb::TableProperties& file,
                        const DeletionTriggerSettings& trigger) {
  const auto limit = static_cast<double>(trigger.deletions);
  const auto deletions = static_cast<double>(file.num_deletions);
  const auto entries = static_cast<double>(file.num_entries);
  return deletions > limit && deletions * static_cast<double>(trigger.window) > entries * limit;
}

// What iterators have stepped over, for whatever reason. Behind eight versions of one key RocksDB
// seeks, which takes about as long as so many more steps.
uint64_t StepsOverOldEntries(const rocksdb::Statistics& statistics) {
  constexpr uint64_t kStepsWorthASeek = 20;
  return statistics.getTickerCount(rocksdb::NUMBER_ITER_SKIP) +
         kStepsWorthASeek * statistics.getTickerCount(rocksdb::NUMBER_OF_RESEEKS_IN_ITERATION);
}

// Appends the range of the file when it holds many deletions. A file that cannot be read is not
// taken over either, and says why then.
void AppendDeletedRange(const rocksdb::Options& options, rocksdb::ColumnFamilyHandle* family,
                        const std::string& path, const DeletionTriggerSettings& trigger,
                        std::vector<KeyRange>* ranges) {
  rocksdb::SstFileReader reader(options);
  if (!reader.Open(path).ok()) return;
  if (!HoldsManyDeletions(*reader.GetTableProperties(), trigger)) return;
  const std::unique_ptr<rocksdb::Iterator> entry = reader.NewTableIterator();
  KeyRange range{family, {}, {}};
  entry->SeekToFirst();
  range.first = UserKey(*entry, family->GetComparator());
  entry->SeekToLast();
  range.last = UserKey(*entry, family->GetComparator());
  if (!range.first.empty() && !range.last.empty()) ranges->push_back(std::move(range));
}

}  // namespace

// RocksDB asks no collector about files that it has not written itself.
Status Store::Ingest(const std::vector<rocksdb::IngestExternalFileArg>& arguments) {
  std::vector<KeyRange> deleted;
  const auto& trigger = options_.deletion_trigger;
  for (const rocksdb::IngestExternalFileArg& argument : arguments) {
    if (trigger == nullptr || trigger->deletions <= 0) break;
    const rocksdb::Options options = base_->GetOptions(argument.column_family);
    for (const std::string& path : argument.external_files) {
      AppendDeletedRange(options, argument.column_family, path, *trigger, &deleted);
    }
  }
  const BackgroundRateLimiter::Hurry hurry(options_.rate_limiter.get());  // memtables in the way
  BASALT_RETURN_IF_ERROR(MapStatus(base_->IngestExternalFiles(arguments),
                                   "taking over the files of a large transaction"));
  for (const KeyRange& range : deleted) {
    const rocksdb::Slice first(range.first);
    const rocksdb::Slice last(range.last);
    // Without it scans are slow, and nothing is wrong.
    (void)rocksdb::experimental::SuggestCompactRange(base_, range.family, &first, &last);
  }
  return {};
}

namespace {

// Whether scans have paid for what would be written of a memtable, live keys and deletions, and at
// least half of its entries are no live keys.
bool IsPaidFor(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, uint64_t paid,
               const MemtableComposition& active) {
  const uint64_t most = std::min(paid - std::min(paid, active.deletions), active.entries / 2);
  return CountLiveKeys(db, handle, most) <= most;
}

}  // namespace

void Store::FlushForScans() {
  const auto& trigger = options_.deletion_trigger;
  if (trigger == nullptr || trigger->deletions <= 0 || trigger->window <= 0) return;
  if (!writing_allowed() || backlog_.pending()) return;
  const auto many = 2 * static_cast<uint64_t>(trigger->deletions.load());
  const uint64_t passed = StepsOverOldEntries(*statistics_);
  std::map<uint32_t, FlushTriggers> all;  // without those of dropped families
  for (rocksdb::ColumnFamilyHandle* handle : families_.All()) {
    if (handle == system_) continue;
    FlushTriggers& triggers = all[handle->GetID()] = flush_triggers_[handle->GetID()];
    const MemtableComposition active = CompositionOfActiveMemtable(base_, handle);
    // Both are asked, so that both know what was there.
    const bool deleted = triggers.purge.Observe(active) > many;
    const uint64_t paid = triggers.scans.Evaluate(passed, active.entries);
    if ((!deleted && paid == 0) || HasUnwrittenMemtables(handle)) continue;
    if (!deleted && !IsPaidFor(base_, handle, paid, active)) continue;
    // Tried again: for deletions in a second, for versions when scans have paid twice as much.
    (void)RequestFlush(handle).ok();
  }
  flush_triggers_ = std::move(all);
}

namespace {

// RocksDB has this number as text only.
uint64_t FilesOfLevelZero(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  std::string text;
  uint64_t files = 0;
  if (!db->GetProperty(family, rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &text)) {
    return 0;
  }
  std::from_chars(text.data(), text.data() + text.size(), files);
  return files;
}

uint64_t ExcessFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  constexpr uint64_t kFewFiles = 4;  // RocksDB's default; all options of a family are more work
  const uint64_t files = FilesOfLevelZero(db, family);
  if (files <= kFewFiles) return 0;
  const int trigger = db->GetOptions(family).level0_file_num_compaction_trigger;
  return files - std::min(files, static_cast<uint64_t>(std::max(trigger, 0)));
}

}  // namespace

void Store::PaceBackgroundWork() {
  if (options_.rate_limiter == nullptr) return;
  using Properties = rocksdb::DB::Properties;
  CompactionDebt debt;
  debt.written = statistics_->getTickerCount(rocksdb::BYTES_WRITTEN);
  for (rocksdb::ColumnFamilyHandle* handle : families_.All()) {
    const uint64_t waiting = NumberProperty(base_, handle, Properties::kNumImmutableMemTable);
    debt.waiting_memtables = std::max(debt.waiting_memtables, waiting);
    debt.excess_files = std::max(debt.excess_files, ExcessFiles(base_, handle));
    debt.pending_bytes +=
        NumberProperty(base_, handle, Properties::kEstimatePendingCompactionBytes);
  }
  options_.rate_limiter->Follow(debt);
}

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{10};

struct LevelZero {
  std::vector<std::string> idle;  // no compaction works on them
  bool busy = false;              // one works on others
};

// What was written up to `last`; with one level alone nothing, for there is no other to go to.
LevelZero LookAtLevelZero(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle,
                          rocksdb::SequenceNumber last) {
  rocksdb::ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(handle, &family);
  LevelZero found;
  if (family.levels.size() < 2) return found;
  for (const rocksdb::SstFileMetaData& file : family.levels.front().files) {
    if (file.smallest_seqno > last) continue;
    if (file.being_compacted) {
      found.busy = true;
    } else {
      found.idle.push_back(file.name);
    }
  }
  return found;
}

}  // namespace

// RocksDB's own compactions go on: one may take files away between the look at them and the call,
// which is refused then, and one that rewrites a single file leaves it in level 0.
Status Store::CompactLevelZero(rocksdb::ColumnFamilyHandle* handle) {
  constexpr int kAttempts = 10;
  const BackgroundRateLimiter::Hurry hurry(options_.rate_limiter.get());
  const rocksdb::SequenceNumber last = base_->GetLatestSequenceNumber();
  rocksdb::Status compacted;
  for (int refused = 0; refused < kAttempts;) {
    const LevelZero level = LookAtLevelZero(base_, handle, last);
    if (level.idle.empty() && !level.busy) return {};
    if (!level.idle.empty()) {
      uint64_t target = 1;
      base_->GetIntProperty(handle, rocksdb::DB::Properties::kBaseLevel, &target);
      rocksdb::CompactionJobInfo job;
      compacted = base_->CompactFiles(rocksdb::CompactionOptions(), handle, level.idle,
                                      static_cast<int>(target), -1, nullptr, &job);
      if (compacted.ok()) {
        listener_->CountFiles(job);
        continue;
      }
      if (!compacted.IsAborted() && !compacted.IsInvalidArgument()) break;
    }
    uint64_t running = 0;
    base_->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &running);
    if (running == 0) ++refused;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return MapStatus(compacted, "compacting level 0 of " + handle->GetName());
}

// All texts are read before the first is applied.
Status Store::UpdateColumnFamilyOptions(std::string_view text) {
  std::map<std::string, std::string> updates;
  BASALT_RETURN_IF_ERROR(ParseColumnFamilyOverrides(text, "rocksdb_update_cf_options", &updates));
  MutexLock lock(create_mutex_);
  for (const auto& [name, options] : updates) {
    rocksdb::ColumnFamilyOptions checked;
    BASALT_RETURN_IF_ERROR(BuildColumnFamilyOptions(name, &checked));
    const OptionScope scope =
        FindColumnFamily(name) == nullptr ? OptionScope::kNewFamily : OptionScope::kOpenFamily;
    const std::string origin = "rocksdb_update_cf_options for " + name;
    BASALT_RETURN_IF_ERROR(ApplyColumnFamilyOptionString(options, origin, &checked, scope));
  }
  for (const auto& [name, options] : updates) {
    rocksdb::ColumnFamilyHandle* handle = FindColumnFamily(name);
    if (handle != nullptr) BASALT_RETURN_IF_ERROR(SetColumnFamilyOptions(handle, options));
    std::string& kept = overrides_[name];
    kept.append(kept.empty() ? "" : ";").append(options);
  }
  return {};
}

}  // namespace basalt::store
