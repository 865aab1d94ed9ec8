// SPDX-License-Identifier: GPL-2.0-only
#include "store/reports/store_reports.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include <rocksdb/advanced_cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/thread_status.h>

#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"
#include "store/statistics/number_property.h"

namespace basalt::store {
namespace {

using Properties = rocksdb::DB::Properties;

std::string Capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// MyRocks' name of an option, where it is not RocksDB's in capitals.
const std::map<std::string, std::string>& OtherNames() {
  static const std::map<std::string, std::string> names = {
      {"compression", "COMPRESSION_TYPE"},
      {"memtable_huge_page_size", "MEMTABLE_PREFIX_BLOOM_HUGE_PAGE_TLB_SIZE"},
      {"memtable_prefix_bloom_size_ratio", "MEMTABLE_PREFIX_BLOOM_BITS_RATIO"},
  };
  return names;
}

// Options that MyRocks lists and RocksDB has no more, or does not print as this engine sets it: an
// empty list of levels, the pool of a kind of cache that is not used. With what they come to here.
constexpr std::pair<const char*, const char*> kFormerOptions[] = {
    {"MAX_MEM_COMPACTION_LEVEL", "0"},
    {"SOFT_RATE_LIMIT", "0.000000"},
    {"HARD_RATE_LIMIT", "0.000000"},
    {"RATE_LIMIT_DELAY_MAX_MILLISECONDS", "100"},
    {"PURGE_REDUNDANT_KVS_WHILE_FLUSH", "ON"},
    {"COMPRESSION_PER_LEVEL", ""},
    {"TABLE_FACTORY::HASH_INDEX_ALLOW_COLLISION", "1"},
    {"TABLE_FACTORY::BLOCK_CACHE_COMPRESSED", "(nil)"},
    {"TABLE_FACTORY::HIGH_PRI_POOL_RATIO", "0.000"},
};

std::string Switch(const std::string& value) {
  if (value == "true") return "ON";
  if (value == "false") return "OFF";
  return value;
}

// "  name: value" lines, as the table factory prints itself; its cache puts a space before a colon.
void AppendTableFactory(const rocksdb::TableFactory& factory, std::vector<NamedText>* texts) {
  const std::string lines = factory.GetPrintableOptions();
  size_t start = 0;
  while (start < lines.size()) {
    size_t end = lines.find('\n', start);
    if (end == std::string::npos) end = lines.size();
    const std::string_view line = std::string_view(lines).substr(start, end - start);
    start = end + 1;
    const size_t colon = line.find(':');
    const size_t first = line.find_first_not_of(" \t");
    if (colon == std::string_view::npos || first >= colon) continue;
    const size_t last = line.find_last_not_of(' ', colon - 1);
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    texts->emplace_back(
        "TABLE_FACTORY::" + Capitals(std::string(line.substr(first, last + 1 - first))), value);
  }
}

const char* NameOr(const rocksdb::Customizable* object) {
  return object == nullptr ? "NULL" : object->Name();
}

void AppendFormerOptions(std::vector<NamedText>* texts) {
  for (const auto& former : kFormerOptions) {
    const bool printed = std::any_of(texts->begin(), texts->end(), [&](const NamedText& option) {
      return option.first == former.first;
    });
    if (!printed) texts->emplace_back(former.first, former.second);
  }
}

// With what it was made of: the length of a prefix.
std::string IdOr(const rocksdb::Customizable* object) {
  return object == nullptr ? "NULL" : object->GetId();
}

}  // namespace

std::vector<NamedNumber> ColumnFamilyNumbers(const Store& store,
                                             rocksdb::ColumnFamilyHandle* family) {
  const std::pair<const char*, const std::string*> kNumbers[] = {
      {"NUM_IMMUTABLE_MEM_TABLE", &Properties::kNumImmutableMemTable},
      {"MEM_TABLE_FLUSH_PENDING", &Properties::kMemTableFlushPending},
      {"COMPACTION_PENDING", &Properties::kCompactionPending},
      {"CUR_SIZE_ACTIVE_MEM_TABLE", &Properties::kCurSizeActiveMemTable},
      {"CUR_SIZE_ALL_MEM_TABLES", &Properties::kCurSizeAllMemTables},
      {"NUM_ENTRIES_ACTIVE_MEM_TABLE", &Properties::kNumEntriesActiveMemTable},
      {"NUM_ENTRIES_IMM_MEM_TABLES", &Properties::kNumEntriesImmMemTables},
      {"NON_BLOCK_CACHE_SST_MEM_USAGE", &Properties::kEstimateTableReadersMem},
      {"NUM_LIVE_VERSIONS", &Properties::kNumLiveVersions},
      {"PENDING_COMPACTION_BYTES", &Properties::kEstimatePendingCompactionBytes},
  };
  std::vector<NamedNumber> numbers;
  for (const auto& [name, property] : kNumbers) {
    numbers.emplace_back(name, NumberProperty(store.base(), family, *property));
  }
  return numbers;
}

std::vector<NamedNumber> DatabaseNumbers(const Store& store) {
  rocksdb::DB* db = store.base();
  rocksdb::ColumnFamilyHandle* any = store.default_column_family();
  const auto& limiter = store.options().rate_limiter;
  return {{"DB_BACKGROUND_ERRORS", NumberProperty(db, any, Properties::kBackgroundErrors)},
          {"DB_NUM_SNAPSHOTS", NumberProperty(db, any, Properties::kNumSnapshots)},
          {"DB_OLDEST_SNAPSHOT_TIME", NumberProperty(db, any, Properties::kOldestSnapshotTime)},
          {"DB_BLOCK_CACHE_USAGE", store.block_cache()->GetUsage()},
          {"DB_BACKGROUND_WRITE_LIMIT", limiter == nullptr ? 0 : limiter->CurrentLimit()}};
}

std::vector<NamedText> ColumnFamilyOptionTexts(const Store& store,
                                               rocksdb::ColumnFamilyHandle* family) {
  const rocksdb::Options options = store.base()->GetOptions(family);
  std::vector<NamedText> texts;
  texts.emplace_back("COMPARATOR", options.comparator->Name());
  texts.emplace_back("MERGE_OPERATOR", NameOr(options.merge_operator.get()));
  texts.emplace_back("COMPACTION_FILTER", NameOr(options.compaction_filter));
  texts.emplace_back("COMPACTION_FILTER_FACTORY", NameOr(options.compaction_filter_factory.get()));
  texts.emplace_back("PREFIX_EXTRACTOR", IdOr(options.prefix_extractor.get()));
  texts.emplace_back("MEMTABLE_FACTORY", options.memtable_factory->Name());
  rocksdb::ConfigOptions config;
  std::string text;
  std::unordered_map<std::string, std::string> map;
  if (rocksdb::GetStringFromColumnFamilyOptions(config, options, &text).ok() &&
      rocksdb::StringToMap(text, &map).ok()) {
    const std::set<std::string> objects = {
        "comparator",       "merge_operator",   "compaction_filter", "compaction_filter_factory",
        "prefix_extractor", "memtable_factory", "table_factory",     "block_based_table_factory"};
    const std::map<std::string, std::string> sorted(map.begin(), map.end());
    for (const auto& [name, value] : sorted) {
      if (objects.contains(name)) continue;
      const auto other = OtherNames().find(name);
      texts.emplace_back(other == OtherNames().end() ? Capitals(name) : other->second,
                         Switch(value));
    }
  }
  texts.emplace_back("COMPACTION_OPTION_FIFO::MAX_TABLE_FILES_SIZE",
                     std::to_string(options.compaction_options_fifo.max_table_files_size));
  AppendTableFactory(*options.table_factory, &texts);
  AppendFormerOptions(&texts);
  return texts;
}

std::vector<CompactionNumber> CompactionNumbers(const Store& store,
                                                rocksdb::ColumnFamilyHandle* family) {
  constexpr std::string_view kPrefix = "compaction.";
  std::map<std::string, std::string> values;
  store.base()->GetMapProperty(family, Properties::kCFStats, &values);
  std::vector<CompactionNumber> numbers;
  for (const auto& [key, value] : values) {
    if (!key.starts_with(kPrefix)) continue;
    const size_t dot = key.find('.', kPrefix.size());
    if (dot == std::string::npos) continue;
    numbers.push_back({key.substr(kPrefix.size(), dot - kPrefix.size()), key.substr(dot + 1),
                       std::strtod(value.c_str(), nullptr)});
  }
  return numbers;
}

std::vector<rocksdb::LiveFileMetaData> TableFiles(const Store& store) {
  std::vector<rocksdb::LiveFileMetaData> files;
  store.base()->GetLiveFilesMetaData(&files);
  return files;
}

Status ReadTableFiles(const Store& store, std::vector<TableFile>* files) {
  Status first;
  for (rocksdb::ColumnFamilyHandle* family : store.ColumnFamilyHandles()) {
    rocksdb::TablePropertiesCollection found;
    Status read = MapStatus(store.base()->GetPropertiesOfAllTables(family, &found),
                            "reading the table files of " + family->GetName());
    for (const auto& [path, properties] : found) {
      files->push_back({path.substr(path.rfind('/') + 1), family->GetID(), properties});
    }
    if (first.ok()) first = std::move(read);
  }
  std::sort(files->begin(), files->end(),
            [](const TableFile& a, const TableFile& b) { return a.name < b.name; });
  return first;
}

uint64_t DiskBytesOf(const Store& store, rocksdb::ColumnFamilyHandle* family, IndexId index) {
  const IndexBounds bounds(index, IsReverse(family));
  return DiskBytesOf(store, family, bounds.range());
}

uint64_t DiskBytesOf(const Store& store, rocksdb::ColumnFamilyHandle* family,
                     const rocksdb::Range& range) {
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = false;
  options.include_files = true;
  uint64_t bytes = 0;
  const bool known = store.base()->GetApproximateSizes(options, family, &range, 1, &bytes).ok();
  return known ? bytes : 0;
}

MemtableShare MemtableShareOf(const Store& store, rocksdb::ColumnFamilyHandle* family,
                              IndexId index) {
  const IndexBounds bounds(index, IsReverse(family));
  return MemtableShareOf(store, family, bounds.range());
}

MemtableShare MemtableShareOf(const Store& store, rocksdb::ColumnFamilyHandle* family,
                              const rocksdb::Range& range) {
  MemtableShare share;
  store.base()->GetApproximateMemTableStats(family, range, &share.entries, &share.bytes);
  return share;
}

std::vector<BackgroundThread> BackgroundThreads(const Store& store) {
  using rocksdb::ThreadStatus;
  std::vector<ThreadStatus> statuses;
  std::vector<BackgroundThread> threads;
  if (!store.base()->GetEnv()->GetThreadList(&statuses).ok()) return threads;
  for (const ThreadStatus& status : statuses) {
    if (status.thread_type == ThreadStatus::USER) continue;
    std::string text = "\nthread_type: " + ThreadStatus::GetThreadTypeName(status.thread_type);
    text += "\ncf_name: " + status.cf_name;
    text += "\noperation_type: " + ThreadStatus::GetOperationName(status.operation_type);
    text += "\noperation_stage: " + ThreadStatus::GetOperationStageName(status.operation_stage);
    text += "\nelapsed_time_ms: " + ThreadStatus::MicrosToString(status.op_elapsed_micros);
    for (const auto& [name, value] :
         ThreadStatus::InterpretOperationProperties(status.operation_type, status.op_properties)) {
      text += "\n" + name + ": " + std::to_string(value);
    }
    text += "\nstate_type: " + ThreadStatus::GetStateName(status.state_type) + "\n";
    threads.push_back({status.thread_id, std::move(text)});
  }
  return threads;
}

}  // namespace basalt::store
