// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

namespace basalt::engine {

// Computes virtual generated columns, which rows do not store. Where the engine compares a row that
// it has read with an entry of an index, it needs those that are parts of the index. The server's
// expressions do the work, so the border to it implements this.
//
// Used by the thread of the connection that has the table open. Cannot fail: an expression that has
// an error gives NULL, as it does in the server.
class VirtualColumns {
 public:
  virtual ~VirtualColumns() = default;
  // Fills in the virtual columns that are parts of `index` from the stored columns of `record`,
  // which are all there. TEXT and BLOB columns then point to memory that lasts until the next call
  // for the same record.
  virtual void Compute(size_t index, uint8_t* record) = 0;
  // Computes the parts of all indexes at once.
  virtual void ComputeAll(uint8_t* record) = 0;
};

}  // namespace basalt::engine
