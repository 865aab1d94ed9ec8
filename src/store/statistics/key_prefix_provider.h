// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/index_id.h"

namespace basalt::store {

// Tells the store, which knows nothing of columns, where the parts of a key end, so that it can
// count distinct prefixes while it writes files. The layer that owns the key formats implements it.
//
// Thread-safety: called from several flush and compaction threads at once, while tables are being
// opened and dropped. Must not block on anything that waits for a flush, and must not throw.
class KeyPrefixProvider {
 public:
  virtual ~KeyPrefixProvider() = default;

  // Number of key parts of `index`, appended primary key parts included. 0 when the index is not
  // known (its table was not opened yet); then no distinct prefixes are counted for it.
  virtual size_t Parts(IndexId index) = 0;

  // Bytes of `key`, index number included, that its first `parts` parts take (1 <= parts <=
  // Parts(index)). A key that does not parse gives its whole length.
  virtual size_t PrefixBytes(IndexId index, Bytes key, size_t parts) = 0;
};

}  // namespace basalt::store
