// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

namespace basalt::engine {

// What an index holds of a row.
struct IndexEntry {
  std::string key;
  std::string value;
};

}  // namespace basalt::engine
