// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

#include <rocksdb/options.h>

#include "store/options/option_string.h"

namespace basalt::store {

// What is wrong with an option string that ParseFamilyOptions has refused for these options, for
// the one who has typed it: " at character 14: no option 'writ_buffer_size'; is
// 'write_buffer_size' meant?", or which value of which option and which ones there are, or which
// brace, or what cannot be changed in a family that is open. Characters are counted from 1. Looks
// inside block_based_table_factory={...} as well. Empty when every part alone is right. Any thread.
std::string DescribeMistake(std::string_view option_string,
                            const rocksdb::ColumnFamilyOptions& options,
                            OptionScope scope = OptionScope::kNewFamily);

}  // namespace basalt::store
