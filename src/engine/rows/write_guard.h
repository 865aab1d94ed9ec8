// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

#include "base/status.h"

namespace basalt::engine {

// What a row must satisfy beside the uniqueness of its own values before it is written: foreign
// keys. The server implements it.
class WriteGuard {
 public:
  virtual ~WriteGuard() = default;
  // Called for each index in turn, the primary one first, just before its duplicates are looked
  // for, and before anything of the row is put; all over again when others had to be waited for
  // meanwhile. It may write other rows, which it then finds written when it is asked again; their
  // locks are kept. Not Ok: the row is not written.
  virtual Status Check(size_t index) = 0;
};

}  // namespace basalt::engine
