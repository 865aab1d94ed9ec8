// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/status.h"

namespace basalt::engine {

// Makes rows of a table into rows of the table that it becomes, which may have other columns. What
// types of columns mean, the server knows, so the border to it implements this.
//
// Used by one thread.
class RowConversion {
 public:
  virtual ~RowConversion() = default;
  // Fills all stored columns of `to`, a record image of the new table, from those of `from`, a
  // record image of the old one. TEXT and BLOB columns then point to memory that lasts until the
  // next call, or as long as that which `from` points to. Not Ok: the row has no counterpart.
  [[nodiscard]] virtual Status Convert(const uint8_t* from, uint8_t* to) = 0;
};

}  // namespace basalt::engine
