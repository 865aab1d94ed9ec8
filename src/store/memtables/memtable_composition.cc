// SPDX-License-Identifier: GPL-2.0-only
#include "store/memtables/memtable_composition.h"

#include <algorithm>
#include <memory>
#include <string>

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include "base/bytes.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
namespace {

constexpr unsigned kPlaces = 8;
constexpr uint64_t kEntriesOfPlace = 128;

// RocksDB tells of the deletions that an iterator has passed only to a thread that counts.
class CountingThread {
 public:
  CountingThread() : level_(rocksdb::GetPerfLevel()) {
    rocksdb::SetPerfLevel(std::max(level_, rocksdb::PerfLevel::kEnableCount));
  }
  ~CountingThread() { rocksdb::SetPerfLevel(level_); }
  CountingThread(const CountingThread&) = delete;
  CountingThread& operator=(const CountingThread&) = delete;

  static uint64_t DeletionsPassed() {
    return rocksdb::get_perf_context()->internal_delete_skipped_count;
  }

 private:
  const rocksdb::PerfLevel level_;
};

// Eight bytes from `position` on as a number that orders as they do; zeros behind the end.
uint64_t NumberAt(const std::string& key, size_t position) {
  std::string bytes = key.substr(position, sizeof(uint64_t));
  bytes.resize(sizeof(uint64_t));
  return LoadBigEndian64(bytes.data());
}

// The key that stands `part` of kPlaces of the way from one key to another, whichever is greater.
std::string KeyBetween(const std::string& from, const std::string& to, unsigned part) {
  const size_t same = static_cast<size_t>(
      std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first - from.begin());
  const uint64_t begin = NumberAt(from, same);
  const uint64_t end = NumberAt(to, same);
  const uint64_t number = end >= begin ? begin + (end - begin) / kPlaces * part
                                       : begin - (begin - end) / kPlaces * part;
  std::string key = from.substr(0, same);
  AppendBigEndian64(&key, number);
  return key;
}

// Counts from where the iterator stands. It becomes invalid in a long row of deletions, which
// RocksDB has counted as far as it went.
void SamplePlace(rocksdb::Iterator* entry, MemtableComposition* found) {
  for (uint64_t i = 0; i < kEntriesOfPlace && entry->Valid(); ++i, entry->Next()) ++found->entries;
}

}  // namespace

MemtableComposition CompositionOfMemtables(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  using Properties = rocksdb::DB::Properties;
  MemtableComposition found = CompositionOfActiveMemtable(db, family);
  found.deletions += NumberProperty(db, family, Properties::kNumDeletesImmMemTables);
  found.entries += NumberProperty(db, family, Properties::kNumEntriesImmMemTables);
  return found;
}

MemtableComposition CompositionOfActiveMemtable(rocksdb::DB* db,
                                                rocksdb::ColumnFamilyHandle* family) {
  using Properties = rocksdb::DB::Properties;
  MemtableComposition found;
  // The deletions first: what comes in between must not look like a purge.
  found.deletions = NumberProperty(db, family, Properties::kNumDeletesActiveMemTable);
  found.entries = NumberProperty(db, family, Properties::kNumEntriesActiveMemTable);
  // Unless another memtable has taken its place in between.
  found.deletions = std::min(found.deletions, found.entries);
  return found;
}

MemtableComposition SampleMemtables(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                    const rocksdb::Range& range) {
  rocksdb::ReadOptions options;
  options.read_tier = rocksdb::kMemtableTier;
  options.total_order_seek = true;
  options.iterate_lower_bound = &range.start;
  options.iterate_upper_bound = &range.limit;
  options.max_skippable_internal_keys = kEntriesOfPlace;
  const std::unique_ptr<rocksdb::Iterator> entry(db->NewIterator(options, family));

  // Between the ends of what is there, so that places of an open range are not all behind it.
  std::string last = range.limit.ToString();
  entry->SeekToLast();
  if (entry->Valid()) last = entry->key().ToString();
  const std::string first = range.start.ToString();

  MemtableComposition found;
  const CountingThread counting;
  const uint64_t before = CountingThread::DeletionsPassed();
  for (unsigned place = 0; place < kPlaces; ++place) {
    entry->Seek(KeyBetween(first, last, place));
    SamplePlace(entry.get(), &found);
  }
  found.deletions = CountingThread::DeletionsPassed() - before;
  found.entries += found.deletions;
  return found;
}

uint64_t CountLiveKeys(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, uint64_t limit) {
  rocksdb::ReadOptions options;
  options.read_tier = rocksdb::kMemtableTier;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> key(db->NewIterator(options, family));
  uint64_t keys = 0;
  for (key->SeekToFirst(); key->Valid() && keys <= limit; key->Next()) ++keys;
  return keys;
}

}  // namespace basalt::store
