// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>

namespace basalt::engine {

// What no two rows of a table may have in common: the value of a unique index in one row. The
// strings are its own.
struct UniqueValue {
  size_t index;        // position in Table
  std::string prefix;  // entries of the rows that have it begin like this
  // Empty where the prefix decides. Else, because equal values differ in their bytes or different
  // ones do not, what a row with that prefix must agree in besides.
  std::string image;
};

}  // namespace basalt::engine
