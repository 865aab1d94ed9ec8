// SPDX-License-Identifier: GPL-2.0-only
#include "store/maintenance/compactions.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <rocksdb/experimental.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/utilities/types_util.h>

#include "store/compaction/background_rate_limiter.h"
#include "store/compaction/deletion_trigger.h"
#include "store/errors/status_map.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
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

// By background work, as far as that has a limit.
uint64_t BytesWritten(const rocksdb::RateLimiter* limiter) {
  if (limiter == nullptr) return 0;
  return static_cast<uint64_t>(limiter->GetTotalBytesThrough(rocksdb::Env::IO_TOTAL));
}

}  // namespace

Compactions::Compactions(Parts parts)
    : parts_(std::move(parts)),
      manual_({parts_.db,
               [this](rocksdb::ColumnFamilyHandle* handle, const std::atomic<bool>* cancelled) {
                 return parts_.flushes->Flush(handle, cancelled);
               },
               [this] { return BytesWritten(parts_.options->rate_limiter.get()); }}) {}

Status Compactions::Compact(rocksdb::ColumnFamilyHandle* handle) {
  ManualCompaction whole;
  whole.family = handle;
  return Compact(whole);
}

Status Compactions::Compact(const ManualCompaction& compaction) {
  const BackgroundRateLimiter::Hurry hurry(parts_.options->rate_limiter.get());
  ++running_manual_;
  Status compacted = manual_.Run(compaction);
  --running_manual_;
  ++ended_manual_;
  return compacted;
}

Status Compactions::PauseBackgroundWork(bool pause) {
  return pause ? MapStatus(parts_.db->PauseBackgroundWork(), "pausing background work")
               : MapStatus(parts_.db->ContinueBackgroundWork(), "continuing background work");
}

Status Compactions::CompactLevelZero() {
  for (rocksdb::ColumnFamilyHandle* handle : parts_.families->All()) {
    BASALT_RETURN_IF_ERROR(CompactLevelZero(handle));
  }
  return {};
}

// RocksDB asks no collector about files that it has not written itself.
Status Compactions::Ingest(const std::vector<rocksdb::IngestExternalFileArg>& arguments) {
  std::vector<KeyRange> deleted;
  const auto& trigger = parts_.options->deletion_trigger;
  for (const rocksdb::IngestExternalFileArg& argument : arguments) {
    if (trigger == nullptr || trigger->deletions <= 0) break;
    const rocksdb::Options options = parts_.db->GetOptions(argument.column_family);
    for (const std::string& path : argument.external_files) {
      AppendDeletedRange(options, argument.column_family, path, *trigger, &deleted);
    }
  }
  const BackgroundRateLimiter::Hurry hurry(
      parts_.options->rate_limiter.get());  // memtables in the way
  BASALT_RETURN_IF_ERROR(MapStatus(parts_.db->IngestExternalFiles(arguments),
                                   "taking over the files of a large transaction"));
  for (const KeyRange& range : deleted) {
    const rocksdb::Slice first(range.first);
    const rocksdb::Slice last(range.last);
    // Without it scans are slow, and nothing is wrong.
    (void)rocksdb::experimental::SuggestCompactRange(parts_.db, range.family, &first, &last);
  }
  return {};
}

void Compactions::PaceBackgroundWork() {
  if (parts_.options->rate_limiter == nullptr) return;
  using Properties = rocksdb::DB::Properties;
  CompactionDebt debt;
  debt.written = parts_.statistics->getTickerCount(rocksdb::BYTES_WRITTEN);
  debt.syncs = parts_.syncs->rounds();
  debt.sync_microseconds = parts_.syncs->sync_microseconds();
  debt.background_bytes = static_cast<uint64_t>(
      parts_.options->rate_limiter->GetTotalBytesThrough(rocksdb::Env::IO_TOTAL));
  for (rocksdb::ColumnFamilyHandle* handle : parts_.families->All()) {
    const uint64_t waiting = NumberProperty(parts_.db, handle, Properties::kNumImmutableMemTable);
    debt.waiting_memtables = std::max(debt.waiting_memtables, waiting);
    debt.excess_files = std::max(debt.excess_files, ExcessFiles(parts_.db, handle));
    debt.pending_bytes +=
        NumberProperty(parts_.db, handle, Properties::kEstimatePendingCompactionBytes);
  }
  parts_.options->rate_limiter->Follow(debt);
}

// RocksDB's own compactions go on: one may take files away between the look at them and the call,
// which is refused then, and one that rewrites a single file leaves it in level 0.
Status Compactions::CompactLevelZero(rocksdb::ColumnFamilyHandle* handle) {
  constexpr int kAttempts = 10;
  const BackgroundRateLimiter::Hurry hurry(parts_.options->rate_limiter.get());
  const rocksdb::SequenceNumber last = parts_.db->GetLatestSequenceNumber();
  rocksdb::Status compacted;
  for (int refused = 0; refused < kAttempts;) {
    const LevelZero level = LookAtLevelZero(parts_.db, handle, last);
    if (level.idle.empty() && !level.busy) return {};
    if (!level.idle.empty()) {
      uint64_t target = 1;
      parts_.db->GetIntProperty(handle, rocksdb::DB::Properties::kBaseLevel, &target);
      rocksdb::CompactionJobInfo job;
      compacted = parts_.db->CompactFiles(rocksdb::CompactionOptions(), handle, level.idle,
                                          static_cast<int>(target), -1, nullptr, &job);
      if (compacted.ok()) {
        parts_.count_files(job);
        continue;
      }
      if (!compacted.IsAborted() && !compacted.IsInvalidArgument()) break;
    }
    uint64_t running = 0;
    parts_.db->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &running);
    if (running == 0) ++refused;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return MapStatus(compacted, "compacting level 0 of " + handle->GetName());
}

}  // namespace basalt::store
