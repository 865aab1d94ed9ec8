// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/column_family_defaults.h"

#include <algorithm>
#include <utility>

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "store/format/auto_increment_merge_operator.h"
#include "store/format/comparator.h"
#include "store/options/blanks.h"
#include "store/options/memory_budget.h"
#include "store/options/option_mistake.h"
#include "store/options/preset_families.h"

namespace basalt::store {
namespace {

constexpr std::string_view kSystemName = "__system__";
// Spilled writes of large transactions pass through it once: small memtables keep the memory of
// such a transaction small, and nobody waits for their speed.
constexpr std::string_view kSpillName = "__spill__";
constexpr uint64_t kSpillWriteBufferBytes = 16ull << 20;

rocksdb::BlockBasedTableOptions DefaultTableOptions(std::shared_ptr<rocksdb::Cache> cache) {
  rocksdb::BlockBasedTableOptions table;

  // Format 5 is the newest one that RocksDB 6.29, the engine of the old plugin, can read, and has
  // the fast Bloom filter. The way back stays open.
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;  // known to 6.29 as well, and cheaper than CRC32c

  // Ten bits for each key: one useless look in a hundred. On the whole key, because that is what
  // point reads and unique checks ask for; also at the last level, because an insert's unique check
  // is about keys that do not exist.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.whole_key_filtering = true;

  // Twice RocksDB's 4 KiB: better compressed, half the index. Larger blocks save little more space,
  // while point reads and seeks get slower and reads from disk unpack more. A hash index in the
  // blocks would take 3 % of the files, and sparing reads a binary search is not worth that
  // (docs/lab/io.md).
  table.block_size = 8 << 10;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinarySearch;

  // Index and filter blocks are charged to the block cache, so that memory has one bound, but stay
  // pinned by their open file, so that a read looks up neither of them.
  table.block_cache = std::move(cache);
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.metadata_cache_options.top_level_index_pinning = rocksdb::PinningTier::kAll;
  table.metadata_cache_options.unpartitioned_pinning = rocksdb::PinningTier::kAll;
  return table;
}

void SetMemtables(const StoreOptions& options, rocksdb::ColumnFamilyOptions* family) {
  family->write_buffer_size = MemtableBytes(options);
  // One being filled, two being written out: a burst does not stop at the first flush.
  family->max_write_buffer_number = 3;
  // A small Bloom filter (2 % of the memtable) lets a point read of a key that is not there pass
  // over a memtable without walking its skip list.
  family->memtable_prefix_bloom_size_ratio = 0.02;
  family->memtable_whole_key_filtering = true;
  // Flushed memtables are kept for nobody; see OpenWithoutHistory.
  family->max_write_buffer_size_to_maintain = 0;
}

// What keeps scans and look-ups from walking over what is deleted, beside deletion_trigger.h.
void SetReadTriggers(rocksdb::ColumnFamilyOptions* family) {
  // A scan that passes over so many dead entries of the memtable has it written out with the next
  // write, and one that does so on the average of its steps; compaction takes care of the rest.
  family->memtable_op_scan_flush_trigger = 16384;
  family->memtable_avg_op_scan_flush_trigger = 64;
  // A file that look-ups read in vain this often for each of its bytes is compacted. RocksDB's
  // break-even between reading and rewriting, with nine of ten blocks in the cache.
  family->read_triggered_compaction_threshold = 0.05;
}

void SetLevels(const StoreOptions& options, rocksdb::ColumnFamilyOptions* family) {
  // Level sizes follow from the size of the last level: about 10 % of dead versions, not 100 %.
  family->level_compaction_dynamic_level_bytes = true;
  // As much as four flushes bring, which is when level 0 is compacted into it.
  family->max_bytes_for_level_base = 4 * MemtableBytes(options);
  family->target_file_size_base = TableFileBytes(options);
  family->target_file_size_multiplier = TableFileGrowth(options);
  family->compaction_pri = rocksdb::kMinOverlappingRatio;
  // Rewriting old files for their age only costs writes: nothing here depends on it.
  family->ttl = 0;
  family->periodic_compaction_seconds = 0;
}

void SetCompression(rocksdb::ColumnFamilyOptions* family) {
  // LZ4 where data is rewritten often, ZSTD for the last level, which holds nine tenths of it. Its
  // level is ZSTD's own, 3, so that compression_opts alone can give another one.
  family->compression = rocksdb::kLZ4Compression;
  family->bottommost_compression = rocksdb::kZSTD;
}

// Position of the brace that closes the one at `open`; npos when none does.
size_t ClosingBrace(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

rocksdb::ColumnFamilyOptions DefaultColumnFamilyOptions(std::string_view name,
                                                        const StoreOptions& options,
                                                        std::shared_ptr<rocksdb::Cache> cache) {
  rocksdb::ColumnFamilyOptions family;
  family.comparator = ComparatorFor(name);
  if (name == kSystemName) family.merge_operator = NewAutoIncrementMergeOperator();
  SetMemtables(options, &family);
  if (name == kSpillName) {
    family.write_buffer_size = std::min(MemtableBytes(options), kSpillWriteBufferBytes);
    family.max_write_buffer_number = 2;
  }
  SetLevels(options, &family);
  SetReadTriggers(&family);
  SetCompression(&family);
  rocksdb::BlockBasedTableOptions table = DefaultTableOptions(std::move(cache));
  if (options.adjust_tables) options.adjust_tables(&table);
  ApplyPreset(name, &family, &table);
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return family;
}

Status ApplyColumnFamilyOptionString(std::string_view option_string, std::string_view origin,
                                     rocksdb::ColumnFamilyOptions* options, OptionScope scope) {
  if (Trim(option_string).empty()) return {};
  rocksdb::ColumnFamilyOptions changed;
  const rocksdb::Status status = ParseFamilyOptions(option_string, *options, scope, &changed);
  if (!status.ok()) {
    const std::string mistake = DescribeMistake(option_string, *options, scope);
    return Status(Code::kInvalidArgument,
                  std::string(origin) + ": '" + std::string(option_string) + "'" +
                      (mistake.empty() ? ": " + status.ToString() : "," + mistake));
  }
  // Who chooses a size of files means it for all levels.
  if (changed.target_file_size_base != options->target_file_size_base &&
      changed.target_file_size_multiplier == options->target_file_size_multiplier) {
    changed.target_file_size_multiplier = 1;
  }
  changed.comparator = options->comparator;
  changed.merge_operator = options->merge_operator;
  *options = std::move(changed);
  return {};
}

Status ParseColumnFamilyOverrides(std::string_view text, std::string_view origin,
                                  std::map<std::string, std::string>* overrides) {
  overrides->clear();
  // `at` points into the text.
  const auto wrong = [&](std::string_view at, const std::string& what) {
    return Status(Code::kInvalidArgument, std::string(origin) + " at character " +
                                              std::to_string(at.data() - text.data() + 1) + ": " +
                                              what);
  };
  const std::string grammar = "expected name={options};name={options}, got '";
  std::string_view rest = Trim(text);
  while (!rest.empty()) {
    const size_t equals = rest.find('=');
    const std::string name(Trim(rest.substr(0, std::min(equals, rest.size()))));
    const size_t open =
        equals == std::string_view::npos ? equals : rest.find_first_not_of(kBlanks, equals + 1);
    if (name.empty() || open == std::string_view::npos || rest[open] != '{') {
      return wrong(rest, grammar + std::string(rest) + "'");
    }
    const size_t close = ClosingBrace(rest, open);
    if (close == std::string_view::npos) return wrong(rest.substr(open), "'{' without '}'");
    const std::string_view inside = rest.substr(open + 1, close - open - 1);
    if (!overrides->emplace(name, inside).second) {
      return wrong(rest, "column family '" + name + "' comes twice");
    }
    rest = Trim(rest.substr(close + 1));
    if (rest.empty()) break;
    if (rest.front() != ';') return wrong(rest, grammar + std::string(rest) + "'");
    rest = Trim(rest.substr(1));
  }
  return {};
}

}  // namespace basalt::store
