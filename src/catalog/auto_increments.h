// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/index_id.h"
#include "base/status.h"
#include "store/store.h"

namespace rocksdb {
class WriteBatchBase;
}

namespace basalt::catalog {

// The auto-increment counters in the dictionary, each kept under the primary or hidden primary key
// of its table. They go with the table's indexes. A part of the catalog, without state of its own.
//
// Thread-safety: any thread.
class AutoIncrements {
 public:
  // Borrows the store.
  explicit AutoIncrements(store::Store* store) : store_(store) {}

  // The next value to hand out; 0 when the dictionary has none (derive it from the data then).
  Status Read(IndexId primary, uint64_t* next) const;
  // Adds "the next value is at least `next`" to the batch of the rows that used the values before.
  // Works on a transaction's batch as well. Cheap; no lock.
  Status AppendMerge(rocksdb::WriteBatchBase* batch, IndexId primary, uint64_t next) const;
  // Sets the value, also to a smaller one (ALTER TABLE ... AUTO_INCREMENT). Durable on return.
  Status Set(IndexId primary, uint64_t next) const;

 private:
  store::Store* const store_;
};

}  // namespace basalt::catalog
