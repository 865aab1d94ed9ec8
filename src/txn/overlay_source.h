// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"

namespace basalt::txn {

class WriteSet;

// One ordered run of uncommitted writes to an index: the batch in memory, or a spilled layer. Order
// and directions are those of the key bytes, whatever the column family's own order is. Entries of
// other indexes are never shown.
//
// Invalid once WriteSet::generation has changed. One thread at a time.
class OverlaySource {
 public:
  virtual ~OverlaySource() = default;

  // Forward: to the first entry >= target; else to the last entry <= target.
  virtual void Seek(Bytes target, bool forward) = 0;
  virtual void Move(bool forward) = 0;
  virtual bool Valid() const = 0;
  // Of the present entry; valid until the next move or write.
  virtual Bytes key() const = 0;
  virtual Bytes value() const = 0;
  virtual bool deleted() const = 0;  // the write is a deletion; there is no value
  virtual Status status() const = 0;
};

// The sources of a write set in one column family, newest first: the batch is in front. `index`
// with number 0 means: all indexes of the column family.
void MakeOverlaySources(WriteSet* writes, rocksdb::ColumnFamilyHandle* family, bool reverse,
                        IndexId index, std::vector<std::unique_ptr<OverlaySource>>* sources);

}  // namespace basalt::txn
