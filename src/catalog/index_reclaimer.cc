// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/index_reclaimer.h"

#include <memory>
#include <string>

#include <rocksdb/convenience.h>
#include <rocksdb/iterator.h>
#include <rocksdb/write_batch.h>

#include "base/worker_thread.h"
#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"

namespace basalt::catalog {
namespace {

// Up to so many entries are deleted one by one: cheaper than what a range deletion costs every
// reader until a compaction has removed it, and no compaction is needed.
constexpr size_t kFewKeys = 10000;

// An iterator over the range, on its first entry; reads without filling the block cache.
class RangeIterator {
 public:
  RangeIterator(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, IndexId index)
      : bounds_(index, store::IsReverse(handle)) {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    bounds_.Confine(&options);
    iterator_.reset(db->NewIterator(options, handle));
    iterator_->SeekToFirst();
  }
  rocksdb::Iterator* operator->() { return iterator_.get(); }

 private:
  const store::IndexBounds bounds_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

IndexReclaimer::IndexReclaimer(Catalog* catalog, std::chrono::seconds retry_after)
    : catalog_(catalog), retry_after_(retry_after) {}

IndexReclaimer::~IndexReclaimer() { Stop(); }

void IndexReclaimer::Start() {
  if (thread_.joinable()) return;
  stop_ = false;
  {
    MutexLock lock(mutex_);
    wake_ = true;  // there may be drops from before the start
  }
  catalog_->dropped_indexes().SetListener([this] { Wake(); });
  thread_ = StartWorkerThread("index reclaimer", [this] { Run(); });
}

void IndexReclaimer::Wake() {
  {
    MutexLock lock(mutex_);
    wake_ = true;
  }
  changed_.NotifyOne();
}

void IndexReclaimer::Stop() {
  if (!thread_.joinable()) return;
  catalog_->dropped_indexes().SetListener({});
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyOne();
  thread_.join();
}

void IndexReclaimer::Run() {
  const auto& log = catalog_->store()->options().log;
  std::string last_error;
  MutexLock lock(mutex_);
  while (!stop_) {
    changed_.Wait(lock, [this]() BASALT_REQUIRES(mutex_) { return wake_ || stop_; });
    if (stop_) return;
    wake_ = false;
    lock.Unlock();
    const Status status = ReclaimAll();
    // The same error at each try is said once.
    if (!status.ok() && !stop_ && log && status.ToString() != last_error) {
      last_error = status.ToString();
      log(store::LogLevel::kWarning, last_error + "; it will be tried again");
    }
    lock.Lock();
    if (!status.ok()) {
      changed_.WaitFor(lock, retry_after_,
                       [this]() BASALT_REQUIRES(mutex_) { return wake_ || stop_; });
      wake_ = true;
    }
  }
}

Status IndexReclaimer::ReclaimAll() {
  Status first_error;
  for (const IndexId index : catalog_->dropped_indexes().All()) {
    if (stop_) break;
    Status status = Reclaim(index);
    if (!status.ok() && first_error.ok()) {
      first_error =
          Status(status.code(), "freeing the dropped index " + std::to_string(index.number) + ": " +
                                    std::string(status.message()));
    }
  }
  return first_error;
}

Status IndexReclaimer::Reclaim(IndexId index) {
  store::Store* store = catalog_->store();
  rocksdb::ColumnFamilyHandle* handle = store->FindColumnFamily(index.column_family);
  if (handle == nullptr) return Finish(index);
  bool done = false;
  Status status = DeleteFewKeys(handle, index, &done);
  if (done) return {};
  // What cannot be read can be dropped all the same.
  if (!status.ok() && status.code() != Code::kCorruption) return status;
  BASALT_RETURN_IF_ERROR(DeleteFiles(handle, index));
  status = DeleteWholeRange(handle, index);
  if (status.ok()) status = FinishIfEmpty(handle, index);
  if (status.code() != Code::kCorruption) return status;
  if (const auto& log = store->options().log; log) {
    log(store::LogLevel::kWarning,
        "the dropped index " + std::to_string(index.number) +
            " lies in a damaged table file, which stays with its space: " + status.ToString());
  }
  return Finish(index);
}

Status IndexReclaimer::DeleteFewKeys(rocksdb::ColumnFamilyHandle* handle, IndexId index,
                                     bool* done) {
  rocksdb::WriteBatch batch;
  RangeIterator iterator(catalog_->store()->base(), handle, index);
  size_t keys = 0;
  for (; iterator->Valid() && !stop_; iterator->Next()) {
    if (++keys > kFewKeys) return {};
    BASALT_RETURN_IF_ERROR(store::MapStatus(batch.Delete(handle, iterator->key())));
  }
  BASALT_RETURN_IF_ERROR(store::MapStatus(iterator->status(), "reading its entries"));
  if (stop_) return Status(Code::kInterrupted, "the server is shutting down");
  BASALT_RETURN_IF_ERROR(catalog_->dropped_indexes().AppendReclaimed(&batch, index));
  // Not synced: what a crash takes away is done again, rows and records together.
  BASALT_RETURN_IF_ERROR(catalog_->store()->WriteToFreeSpace(&batch, /*sync=*/false));
  catalog_->dropped_indexes().Forget(index);
  reclaimed_.fetch_add(1, std::memory_order_relaxed);
  *done = true;
  return {};
}

// To be called before DeleteWholeRange only: it could remove the file that holds the range
// deletion, and bring older entries in other files back.
Status IndexReclaimer::DeleteFiles(rocksdb::ColumnFamilyHandle* handle, IndexId index) {
  const store::IndexBounds bounds(index, store::IsReverse(handle));
  return store::MapStatus(
      rocksdb::DeleteFilesInRange(catalog_->store()->base(), handle, &bounds.lower(),
                                  &bounds.upper(), /*include_end=*/false),
      "removing its files");
}

Status IndexReclaimer::DeleteWholeRange(rocksdb::ColumnFamilyHandle* handle, IndexId index) {
  store::Store* store = catalog_->store();
  const store::IndexBounds bounds(index, store::IsReverse(handle));
  rocksdb::WriteBatch batch;
  BASALT_RETURN_IF_ERROR(
      store::MapStatus(batch.DeleteRange(handle, bounds.lower(), bounds.upper())));
  BASALT_RETURN_IF_ERROR(store->WriteToFreeSpace(&batch, /*sync=*/true));
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  // Nothing is left there that a filter would have to look at.
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
  options.canceled = &stop_;
  return store::MapStatus(
      store->base()->CompactRange(options, handle, &bounds.lower(), &bounds.upper()),
      "compacting its range");
}

Status IndexReclaimer::FinishIfEmpty(rocksdb::ColumnFamilyHandle* handle, IndexId index) {
  RangeIterator iterator(catalog_->store()->base(), handle, index);
  if (iterator->Valid()) return Status(Code::kInternal, "entries are still there");
  BASALT_RETURN_IF_ERROR(store::MapStatus(iterator->status(), "reading its entries"));
  return Finish(index);
}

Status IndexReclaimer::Finish(IndexId index) {
  rocksdb::WriteBatch batch;
  BASALT_RETURN_IF_ERROR(catalog_->dropped_indexes().AppendReclaimed(&batch, index));
  BASALT_RETURN_IF_ERROR(catalog_->store()->WriteToFreeSpace(&batch, /*sync=*/true));
  catalog_->dropped_indexes().Forget(index);
  reclaimed_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

}  // namespace basalt::catalog
