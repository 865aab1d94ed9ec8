// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include <rocksdb/table_properties.h>

#include "store/statistics/key_prefix_provider.h"

namespace basalt::store {

// Name of the collector factory, as existing directories have it in their OPTIONS files.
inline constexpr const char* kStatisticsCollectorFactoryName = "Rdb_tbl_prop_coll_factory";

// Counts the entries of each index while a table file is written and leaves them in the file's
// property __indexstats__. Cheap on purpose: flush and compaction call it for every entry. It
// compares an entry's index number with the last one and adds. Key parts are looked at for all
// pairs of neighbours among the first entries of an index, and for one run of neighbours in eight
// after that; what those runs find is multiplied by eight.
//
// `provider` may be null (no distinct counts); it is shared by all files.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewStatisticsCollectorFactory(
    std::shared_ptr<KeyPrefixProvider> provider);

}  // namespace basalt::store
