// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <rocksdb/cache.h>
#include <rocksdb/options.h>

#include "base/status.h"
#include "store/options/option_string.h"
#include "store/options/store_options.h"

namespace basalt::store {

// The options a column family of this name has before anybody sets one; the .cc file gives the
// reason for each. The comparator, and the merge operator of the dictionary, follow from the name.
rocksdb::ColumnFamilyOptions DefaultColumnFamilyOptions(std::string_view name,
                                                        const StoreOptions& options,
                                                        std::shared_ptr<rocksdb::Cache> cache);

// Applies a RocksDB option string to *options. kInvalidArgument names `origin` (the variable or
// column family it came from) and the mistake (option_mistake.h); *options is unchanged then. The
// comparator and the merge operator cannot be changed this way: they are part of the format.
Status ApplyColumnFamilyOptionString(std::string_view option_string, std::string_view origin,
                                     rocksdb::ColumnFamilyOptions* options,
                                     OptionScope scope = OptionScope::kNewFamily);

// Splits "cf1={a=1;b={c=2}};rev:cf2={...}" into names and option strings. kInvalidArgument when
// braces do not match, a name is empty or comes twice, or text is left over; it says at which
// character. `origin` as above.
Status ParseColumnFamilyOverrides(std::string_view text, std::string_view origin,
                                  std::map<std::string, std::string>* overrides);

}  // namespace basalt::store
