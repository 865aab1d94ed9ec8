// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace basalt::store {

// The words that an option of a column family or of block_based_table_factory takes; of
// compressions those that this build has. Empty for options that take other things than words. Any
// thread, once the library is loaded.
std::vector<std::string> ValuesOfOption(std::string_view option);

}  // namespace basalt::store
