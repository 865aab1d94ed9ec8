// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"

namespace basalt::txn {

// Does `a` come before `b` in a column family whose order runs backwards or not?
inline bool ComesBefore(Bytes a, Bytes b, bool reverse) { return reverse ? b < a : a < b; }

// The keys from `begin` on that come before `end`, in the order of a column family. An empty one
// means that there is no such bound.
struct KeyRange {
  std::string begin;
  std::string end;

  bool EndsBefore(Bytes key, bool reverse) const {
    return !end.empty() && !ComesBefore(key, end, reverse);
  }
};

}  // namespace basalt::txn
