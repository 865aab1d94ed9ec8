// SPDX-License-Identifier: GPL-2.0-only
#include "store/memtables/memtable_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include "base/bytes.h"

namespace basalt::store {
namespace {

constexpr size_t kPartsToCount = 4;
constexpr size_t kPartsToSample = 16;
// A division that meets empty halves only goes on a while.
constexpr unsigned kMostDivisions = 48;
// So few entries of a skip list are mostly counted on its lowest level.
constexpr uint64_t kCountedBySkipList = 32;
constexpr uint64_t kSampledOfPart = 64;

// RocksDB tells what an iterator has passed only to a thread that counts.
class CountingThread {
 public:
  CountingThread() : level_(rocksdb::GetPerfLevel()) {
    rocksdb::SetPerfLevel(std::max(level_, rocksdb::PerfLevel::kEnableCount));
  }
  ~CountingThread() { rocksdb::SetPerfLevel(level_); }
  CountingThread(const CountingThread&) = delete;
  CountingThread& operator=(const CountingThread&) = delete;

  // Since the thread began; older versions of what was passed are entries, too.
  static MemtableComposition Passed() {
    const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
    const uint64_t deletions = context.internal_delete_skipped_count;
    return {context.internal_key_skipped_count + deletions, deletions};
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

// The key that stands halfway from one key to another, whichever is greater.
std::string KeyBetween(const std::string& from, const std::string& to) {
  const size_t same = static_cast<size_t>(
      std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first - from.begin());
  const uint64_t begin = NumberAt(from, same);
  const uint64_t end = NumberAt(to, same);
  std::string key = from.substr(0, same);
  AppendBigEndian64(&key, end >= begin ? begin + (end - begin) / 2 : begin - (begin - end) / 2);
  return key;
}

// A range in parts of about as many entries each, whose estimates do not depend on each other.
class DividedRange {
 public:
  // Borrows db, family and range.
  DividedRange(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const rocksdb::Range& range,
               size_t parts)
      : db_(db), family_(family), range_(range) {
    parts_.push_back({range.start.ToString(), range.limit.ToString(), 0});
    parts_.front().entries = EntriesBetween(parts_.front().begin, parts_.front().end);
    if (parts_.front().entries > kCountedBySkipList) Divide(parts);
  }

  uint64_t Entries() const {
    uint64_t entries = 0;
    for (const Part& part : parts_) entries += part.entries;
    return entries;
  }

  // Estimates the deletions from a sample of each part.
  MemtableComposition Sample() {
    const CountingThread counting;
    double deletions = 0;
    for (const Part& part : parts_) {
      if (part.entries > 0) deletions += static_cast<double>(part.entries) * ShareOfDeletions(part);
    }
    return {Entries(), static_cast<uint64_t>(std::llround(deletions))};
  }

 private:
  struct Part {
    std::string begin;
    std::string end;
    uint64_t entries;
  };

  uint64_t EntriesBetween(const std::string& begin, const std::string& end) const {
    uint64_t entries = 0;
    uint64_t bytes = 0;
    db_->GetApproximateMemTableStats(family_, rocksdb::Range(begin, end), &entries, &bytes);
    return entries;
  }
  bool IsBefore(const rocksdb::Slice& a, const rocksdb::Slice& b) const {
    return family_->GetComparator()->Compare(a, b) < 0;
  }

  rocksdb::Iterator* EnsureIterator() {
    if (iterator_ != nullptr) return iterator_.get();
    rocksdb::ReadOptions options;
    options.read_tier = rocksdb::kMemtableTier;
    options.total_order_seek = true;
    options.iterate_lower_bound = &range_.start;
    options.iterate_upper_bound = &range_.limit;
    options.max_skippable_internal_keys = kSampledOfPart;
    iterator_.reset(db_->NewIterator(options, family_));
    return iterator_.get();
  }

  void Divide(size_t parts) {
    CutEnds();
    const size_t most = parts_.size() - 1 + parts;
    for (unsigned i = 0; i < kMostDivisions && parts_.size() < most; ++i) {
      const auto largest =
          std::max_element(parts_.begin(), parts_.end(),
                           [](const Part& a, const Part& b) { return a.entries < b.entries; });
      if (largest->entries <= kCountedBySkipList) return;
      if (!Cut(static_cast<size_t>(largest - parts_.begin()),
               KeyBetween(largest->begin, largest->end)))
        return;
    }
  }

  // An open range is much wider than what is there. Before the first key that is not deleted and
  // behind the last one there may be deletions.
  void CutEnds() {
    rocksdb::Iterator* const entry = EnsureIterator();
    entry->SeekToFirst();
    if (entry->Valid()) Cut(0, entry->key().ToString());
    entry->SeekToLast();
    if (entry->Valid()) Cut(parts_.size() - 1, entry->key().ToString());
  }

  // Makes two parts of one, or takes an empty half away. False: there is nothing between its ends.
  bool Cut(size_t position, const std::string& middle) {
    Part& part = parts_[position];
    if (!IsBefore(part.begin, middle) || !IsBefore(middle, part.end)) return false;
    const uint64_t before = EntriesBetween(part.begin, middle);
    const uint64_t behind = EntriesBetween(middle, part.end);
    if (before == 0) {
      part.begin = middle;
      part.entries = behind;
    } else if (behind == 0) {
      part.end = middle;
      part.entries = before;
    } else {
      Part second{middle, std::move(part.end), behind};
      part.end = middle;
      part.entries = before;
      parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(position) + 1, std::move(second));
    }
    return true;
  }

  // Where the part begins. The iterator becomes invalid in a long row of deletions, which RocksDB
  // has counted as far as it went.
  double ShareOfDeletions(const Part& part) {
    const MemtableComposition before = CountingThread::Passed();
    MemtableComposition passed;
    rocksdb::Iterator* const entry = EnsureIterator();
    entry->Seek(part.begin);
    for (;;) {
      passed = CountingThread::Passed();
      passed.entries -= before.entries;
      passed.deletions -= before.deletions;
      if (passed.entries >= kSampledOfPart || !entry->Valid() || !IsBefore(entry->key(), part.end))
        return passed.DeletedShare();
      entry->Next();
    }
  }

  rocksdb::DB* const db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const rocksdb::Range& range_;
  std::vector<Part> parts_;  // in the order of the column family
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

uint64_t EstimateMemtableEntries(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                 const rocksdb::Range& range) {
  return DividedRange(db, family, range, kPartsToCount).Entries();
}

MemtableComposition EstimateMemtables(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                      const rocksdb::Range& range) {
  return DividedRange(db, family, range, kPartsToSample).Sample();
}

}  // namespace basalt::store
