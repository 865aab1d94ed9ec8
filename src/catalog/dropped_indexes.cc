// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/dropped_indexes.h"

#include <rocksdb/write_batch_base.h>

#include "catalog/catalog_change.h"
#include "catalog/dictionary_records.h"
#include "store/errors/status_map.h"

namespace basalt::catalog {

std::vector<IndexId> DroppedIndexes::All() const {
  ReaderLock lock(mutex_);
  return {indexes_.begin(), indexes_.end()};
}

Status DroppedIndexes::AppendReclaimed(rocksdb::WriteBatchBase* batch, IndexId index) const {
  for (const RecordType type : {RecordType::kIndexDrop, RecordType::kIndexBuild, RecordType::kIndex,
                                RecordType::kIndexStatistics, RecordType::kAutoIncrement}) {
    BASALT_RETURN_IF_ERROR(
        store::MapStatus(batch->Delete(store_->system(), IndexKey(type, index))));
  }
  return {};
}

void DroppedIndexes::Forget(IndexId index) {
  {
    WriterLock lock(mutex_);
    indexes_.erase(index);
  }
  visibility_->Forget(index);
}

void DroppedIndexes::SetListener(std::function<void()> listener) {
  MutexLock lock(listener_mutex_);
  listener_ = std::move(listener);
}

void DroppedIndexes::TakeOver(const CatalogChange& change) {
  WriterLock lock(mutex_);
  indexes_.insert(change.dropped.begin(), change.dropped.end());
}

void DroppedIndexes::Notify() {
  // Called under the mutex of the listener itself, so that it is not gone when SetListener has
  // removed it.
  MutexLock lock(listener_mutex_);
  if (listener_) listener_();
}

}  // namespace basalt::catalog
