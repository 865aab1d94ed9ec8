// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <rocksdb/table_properties.h>

namespace basalt::store {

// Says how many tombstones make a new SST file worth a compaction. Scans step over each tombstone
// until a compaction has taken it to the last level. The settings may change while the store runs;
// a file takes the values of the moment when its writing begins.
struct DeletionTriggerSettings {
  // More deletions than this among `window` entries that follow one another. 0: never.
  std::atomic<int64_t> deletions{0};
  // In entries. 0: never.
  std::atomic<int64_t> window{0};
  // Files of fewer bytes are left alone.
  std::atomic<int64_t> file_bytes{0};
  // Single deletions, which entries of secondary indexes get, count as deletions.
  std::atomic<bool> count_single_deletions{false};
};

// Counts tombstones while RocksDB writes an SST file, and asks for its compaction at the end. Costs
// nothing while the trigger is off. Any thread; each file has a collector of its own.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewDeletionTriggerFactory(
    std::shared_ptr<const DeletionTriggerSettings> settings);

}  // namespace basalt::store
