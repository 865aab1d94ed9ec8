// SPDX-License-Identifier: GPL-2.0-only
#include "store/statistics/statistics_collector.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "store/statistics/index_statistics.h"

namespace basalt::store {
namespace {

// The first entries of an index in a file are all compared with their neighbours, so that small
// tables have exact counts; after that one run of kRunLength entries in kSampling.
constexpr uint64_t kExactEntries = 4096;
constexpr uint64_t kRunLength = 64;
constexpr uint64_t kSampling = 8;

// Is the pair (entry - 1, entry) looked at? Entries count from 0.
bool Sampled(uint64_t entry) {
  return entry < kExactEntries || entry / kRunLength % kSampling == 0;
}

class IndexCollector final : public rocksdb::TablePropertiesCollector {
 public:
  IndexCollector(uint32_t column_family, std::shared_ptr<KeyPrefixProvider> provider)
      : column_family_(column_family), provider_(std::move(provider)) {}

  const char* Name() const override { return "Rdb_tbl_prop_coll"; }

  rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice& value,
                             rocksdb::EntryType type, rocksdb::SequenceNumber /*sequence*/,
                             uint64_t file_size) override {
    // Range deletions come in an order of their own and belong to no single index.
    if (key.size() < kIndexNumberBytes || type == rocksdb::kEntryRangeDeletion) {
      return rocksdb::Status::OK();
    }
    const uint32_t number = LoadBigEndian32(key.data());
    if (records_.empty() || records_.back().index.number != number) BeginIndex(number);
    IndexStatistics& statistics = records_.back().statistics;
    Count(type, &statistics);
    statistics.data_bytes += static_cast<int64_t>(key.size() + value.size());
    // With parallel compression the file's size runs ahead and behind; only growth counts.
    if (file_size > file_size_) {
      statistics.disk_bytes += static_cast<int64_t>(file_size - file_size_);
      file_size_ = file_size;
    }
    if (parts_ != 0) CountPrefixes(key.ToStringView(), &statistics);
    return rocksdb::Status::OK();
  }

  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
    (*properties)[kIndexStatisticsProperty] = EncodeIndexStatistics(records_);
    return rocksdb::Status::OK();
  }

  rocksdb::UserCollectedProperties GetReadableProperties() const override {
    rocksdb::UserCollectedProperties readable;
    for (const auto& [index, statistics] : records_) {
      readable["index " + std::to_string(index.number)] =
          std::to_string(statistics.rows) + " rows, " + std::to_string(statistics.data_bytes) +
          " bytes";
    }
    return readable;
  }

 private:
  void BeginIndex(uint32_t number) {
    const IndexId index{column_family_, number};
    records_.push_back({index, {}});
    // Dictionary records (numbers below the first user index) have no key parts to count.
    const bool ask = provider_ != nullptr && number >= kFirstUserIndexNumber;
    parts_ = ask ? provider_->Parts(index) : 0;
    records_.back().statistics.distinct_prefixes.assign(parts_, 0);
    entries_ = 0;
  }

  static void Count(rocksdb::EntryType type, IndexStatistics* statistics) {
    switch (type) {
      case rocksdb::kEntryPut:
        ++statistics->rows;
        break;
      case rocksdb::kEntryDelete:
        ++statistics->deletes;
        break;
      case rocksdb::kEntrySingleDelete:
        ++statistics->single_deletes;
        break;
      case rocksdb::kEntryMerge:
        ++statistics->merges;
        break;
      default:
        ++statistics->others;
        break;
    }
  }

  // Neighbouring keys tell how many values a prefix takes: it takes a new one exactly where the
  // keys first differ within it. The first entry starts every count at one.
  void CountPrefixes(Bytes key, IndexStatistics* statistics) {
    const uint64_t entry = entries_++;
    if (entry == 0) {
      for (int64_t& distinct : statistics->distinct_prefixes) distinct = 1;
    } else if (Sampled(entry)) {
      const int64_t weight = entry < kExactEntries ? 1 : kSampling;
      CompareWithPrevious(key, weight, statistics);
    }
    if (Sampled(entry + 1)) previous_.assign(key);
  }

  void CompareWithPrevious(Bytes key, int64_t weight, IndexStatistics* statistics) {
    const size_t shorter = std::min(key.size(), previous_.size());
    const size_t same = static_cast<size_t>(
        std::mismatch(key.begin(), key.begin() + static_cast<ptrdiff_t>(shorter), previous_.begin())
            .first -
        key.begin());
    if (same == key.size() && same == previous_.size()) return;  // versions of one key
    // All parts together differ; walk down until a prefix lies within what is the same. Most
    // neighbours differ only in the last part, so this asks for one length.
    const IndexId index = records_.back().index;
    for (size_t parts = parts_; parts > 0; --parts) {
      if (parts != parts_ && provider_->PrefixBytes(index, key, parts) <= same) break;
      statistics->distinct_prefixes[parts - 1] += weight;
    }
  }

  const uint32_t column_family_;
  const std::shared_ptr<KeyPrefixProvider> provider_;
  std::vector<IndexStatisticsRecord> records_;
  std::string previous_;  // the key before, when the next pair is sampled
  size_t parts_ = 0;      // of the index of records_.back()
  uint64_t entries_ = 0;  // of that index so far
  uint64_t file_size_ = 0;
};

class CollectorFactory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit CollectorFactory(std::shared_ptr<KeyPrefixProvider> provider)
      : provider_(std::move(provider)) {}

  const char* Name() const override { return kStatisticsCollectorFactoryName; }

  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override {
    return new IndexCollector(context.column_family_id, provider_);
  }

 private:
  const std::shared_ptr<KeyPrefixProvider> provider_;
};

}  // namespace

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewStatisticsCollectorFactory(
    std::shared_ptr<KeyPrefixProvider> provider) {
  return std::make_shared<CollectorFactory>(std::move(provider));
}

}  // namespace basalt::store
