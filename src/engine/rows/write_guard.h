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
  // for, and before anything is put; all over again when locks had to be given up meanwhile. Not
  // Ok: nothing is written.
  virtual Status Check(size_t index) = 0;
};

}  // namespace basalt::engine
