// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/table_visibility.h"
#include "store/store.h"

namespace rocksdb {
class WriteBatchBase;
}

namespace basalt::catalog {

class CatalogChange;

// The dropped indexes whose space is not free yet: a queue in the dictionary, and in memory. A part
// of the catalog, whose changes add to it; IndexReclaimer works it off.
//
// Thread-safety: any thread.
class DroppedIndexes {
 public:
  // Borrows the store, and what is to forget indexes that are gone.
  DroppedIndexes(store::Store* store, TableVisibility* visibility, std::set<IndexId> indexes)
      : store_(store), visibility_(visibility), indexes_(std::move(indexes)) {}
  DroppedIndexes(const DroppedIndexes&) = delete;
  DroppedIndexes& operator=(const DroppedIndexes&) = delete;

  // In the order of column families and numbers.
  std::vector<IndexId> All() const;
  // Adds the removal of every record of a dropped index to the batch; call Forget after the batch
  // has been written.
  Status AppendReclaimed(rocksdb::WriteBatchBase* batch, IndexId index) const;
  void Forget(IndexId index);
  // Called whenever indexes were queued, outside the locks of tables and changes; the listener must
  // not call SetListener. One listener; empty removes it, and returns when it is not running.
  void SetListener(std::function<void()> listener);

  // --- For the catalog ---
  // Takes over what a change that is on disk has dropped.
  void TakeOver(const CatalogChange& change);
  // Indexes were queued: calls the listener.
  void Notify();

 private:
  store::Store* const store_;
  TableVisibility* const visibility_;
  mutable SharedMutex mutex_;
  std::set<IndexId> indexes_ BASALT_GUARDED_BY(mutex_);
  Mutex listener_mutex_;
  std::function<void()> listener_ BASALT_GUARDED_BY(listener_mutex_);
};

}  // namespace basalt::catalog
