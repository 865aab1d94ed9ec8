// SPDX-License-Identifier: GPL-2.0-only
//
// Variables that shape table files, their blocks in the cache, and when they are compacted for
// what was deleted in them. rocksdb_default_cf_options says more, and wins.
#include <memory>

#include "server/variables/system_variables.h"
#include "server/variables/variable_table.h"

namespace basalt::server {

namespace {

using store::DeletionTriggerSettings;

const char* const kIndexTypes[] = {"kBinarySearch", "kHashSearch", nullptr};
TYPELIB index_types = {2, "index types", const_cast<const char**>(kIndexTypes), nullptr};

// Lives as long as the process, like the variables.
const std::shared_ptr<DeletionTriggerSettings>& DeletionTrigger() {
  static const auto settings = std::make_shared<DeletionTriggerSettings>();
  return settings;
}

template <std::atomic<int64_t> DeletionTriggerSettings::*setting>
void UpdateDeletions(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<LONGLONG>(variable, save);
  (*DeletionTrigger()).*setting = *static_cast<const LONGLONG*>(save);
}

void UpdateSingleDeletions(THD*, st_mysql_sys_var*, void* variable, const void* save) {
  StoreValue<BOOL>(variable, save);
  DeletionTrigger()->count_single_deletions = *static_cast<const BOOL*>(save) != 0;
}

// clang-format off
#define BASALT_TABLE_FILE_VARIABLES(GLOBAL, SESSION)                                               \
  GLOBAL(INT, block_restart_interval, kAtStart,                                                    \
         "Keys in a block from one that is stored whole to the next",                              \
         nullptr, nullptr, 16, 1, INT_MAX, 0)                                                      \
  GLOBAL(ULONGLONG, block_size, kAtStart, "Bytes of a data block before compression",              \
         nullptr, nullptr, 8192, 1, ULLONG_MAX, 0)                                                 \
  GLOBAL(INT, block_size_deviation, kAtStart,                                                      \
         "A block ends early when it is full but for so many percent and the next entry does not " \
         "fit",                                                                                    \
         nullptr, nullptr, 10, 0, INT_MAX, 0)                                                      \
  GLOBAL(BOOL, cache_index_and_filter_blocks, kAtStart,                                            \
         "Index and filter blocks are part of the block cache; OFF: they come on top of it",       \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, cache_index_and_filter_with_high_priority, kAtStart,                                \
         "Index and filter blocks stay in the cache when data blocks go",                          \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(LONGLONG, compaction_sequential_deletes, kAnyTime,                                        \
         "A new table file with more deletions than this among "                                   \
         "rocksdb_compaction_sequential_deletes_window neighbours is compacted, and a memtable "   \
         "of twice as many written out; 0: for no such reason",                                                                                 \
         nullptr, UpdateDeletions<&DeletionTriggerSettings::deletions>, 8192, 0, 2000000, 0)          \
  GLOBAL(BOOL, compaction_sequential_deletes_count_sd, kAnyTime,                                   \
         "Single deletions, which entries of secondary indexes get, count as well",                \
         nullptr, UpdateSingleDeletions, 1)                                                        \
  GLOBAL(LONGLONG, compaction_sequential_deletes_file_size, kAnyTime,                              \
         "Smaller table files are not looked at, in bytes",                                        \
         nullptr, UpdateDeletions<&DeletionTriggerSettings::file_bytes>, 0, -1, LLONG_MAX, 0)      \
  GLOBAL(LONGLONG, compaction_sequential_deletes_window, kAnyTime,                                 \
         "Entries among which deletions are counted",                                              \
         nullptr, UpdateDeletions<&DeletionTriggerSettings::window>, 12288, 0, 2000000, 0)             \
  GLOBAL(ENUM, index_type, kAtStart,                                                               \
         "How blocks are found in a table file; kHashSearch needs a prefix_extractor",             \
         nullptr, nullptr, 0, &index_types)                                                        \
  GLOBAL(BOOL, no_block_cache, kAtStart, "Blocks are not cached",                                  \
         nullptr, nullptr, 0)                                                                      \
  GLOBAL(BOOL, pin_l0_filter_and_index_blocks_in_cache, kAtStart,                                  \
         "Index and filter blocks stay in the cache while their file is open, of all levels",      \
         nullptr, nullptr, 1)                                                                      \
  GLOBAL(BOOL, whole_key_filtering, kAtStart, "Filters know whole keys, not prefixes only",        \
         nullptr, nullptr, 1)
// clang-format on

BASALT_DEFINE_VARIABLES(BASALT_TABLE_FILE_VARIABLES)

void AdjustBlocks(rocksdb::BlockBasedTableOptions* table) {
  using rocksdb::PinningTier;
  table->block_restart_interval = values.block_restart_interval;
  table->block_size = values.block_size;
  table->block_size_deviation = values.block_size_deviation;
  table->whole_key_filtering = values.whole_key_filtering;
  table->index_type = static_cast<rocksdb::BlockBasedTableOptions::IndexType>(values.index_type);
  table->no_block_cache = values.no_block_cache;
  table->cache_index_and_filter_blocks =
      values.cache_index_and_filter_blocks && !values.no_block_cache;
  table->cache_index_and_filter_blocks_with_high_priority =
      values.cache_index_and_filter_with_high_priority;
  const PinningTier pinned =
      values.pin_l0_filter_and_index_blocks_in_cache ? PinningTier::kAll : PinningTier::kNone;
  table->metadata_cache_options.top_level_index_pinning = pinned;
  table->metadata_cache_options.unpartitioned_pinning = pinned;
}

}  // namespace

void AppendTableFileVariables(std::vector<st_mysql_sys_var*>* list) {
  AppendVariables(variables, list);
}

void AdjustTableFiles(store::StoreOptions* options) {
  options->adjust_tables = AdjustBlocks;
  DeletionTriggerSettings& trigger = *DeletionTrigger();
  trigger.deletions = values.compaction_sequential_deletes;
  trigger.window = values.compaction_sequential_deletes_window;
  trigger.file_bytes = values.compaction_sequential_deletes_file_size;
  trigger.count_single_deletions = values.compaction_sequential_deletes_count_sd != 0;
  options->deletion_trigger = DeletionTrigger();
}

}  // namespace basalt::server
