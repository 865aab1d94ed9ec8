// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace basalt::engine {

// A sum over the entries of an index that does not depend on their order: what the rows of a table
// say its index must hold, computed in the order of the rows, equals what the index does hold,
// computed in its own order, exactly when both are the same entries.
//
// "Exactly" means: two different sets have the same fingerprint by a chance of about one in 2^64.
// It guards against damage and mistakes, not against somebody who looks for collisions.
//
// A plain value; two sums of a 128-bit hash and a count.
class IndexFingerprint {
 public:
  // One entry: its key, and the content of its value without what wraps it.
  void Add(Bytes key, Bytes content);

  uint64_t entries() const { return entries_; }
  bool operator==(const IndexFingerprint&) const = default;

 private:
  uint64_t entries_ = 0;
  uint64_t low_ = 0;  // sums of the two halves of the entries' hashes, modulo 2^64
  uint64_t high_ = 0;
};

}  // namespace basalt::engine
