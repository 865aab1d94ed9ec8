// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/utilities/write_batch_with_index.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "txn/spill.h"

namespace basalt::store {
class MemoryCharge;
class Store;
}  // namespace basalt::store

namespace basalt::txn {

// What a write set says of one key.
enum class WriteKind : uint8_t {
  kNone,     // nothing: look into the store
  kPut,      // the value is the one returned
  kDeleted,  // the key is gone
};

// The uncommitted writes of one transaction: an indexed write batch in memory and, once that has
// grown past `spill_bytes`, layers of older writes in the spill column family. A key is looked for
// in the batch first, then in the layers from the newest to the oldest.
//
// Marks divide the writes so that they can be taken back to a point (SQL savepoints, statement
// starts). They form a stack; taking back to a mark drops all marks after it and keeps the mark.
//
// Invariants:
//  W1  The batch holds only writes newer than every write in the layers.
//  W2  No layer holds writes from both sides of a live mark.
//  W3  `generation` changes whenever an iterator over the writes may have become invalid or
//      incomplete: first write into a column family, roll-back, spill, clear.
//  W4  While the content changes, the owner holds mutex() or the set is opaque.
// W4 has no BASALT_ASSERT: a mutex does not tell who holds it. A unit test of range locks with its
// number looks for a violation with many threads, under TSan too.
//
// One thread at a time, except that others look for new entries while they hold mutex(): see
// HasInsertBetween. Whoever calls Put, Delete or SingleDelete holds it. The batch is borrowed and
// must outlive this object's use of it.
class WriteSet {
 public:
  struct Options {
    size_t spill_bytes = 32u << 20;  // bytes of the batch's representation
    // What the batch takes is charged to, but for little; null: to nobody.
    store::MemoryCharge* memory = nullptr;
  };

  WriteSet(Spill* spill, Options options);
  ~WriteSet() { Clear(); }
  WriteSet(const WriteSet&) = delete;
  WriteSet& operator=(const WriteSet&) = delete;

  // Borrows a batch, that of a transaction of RocksDB or an empty one, until Clear. The savepoint
  // at its start is what the batch is emptied to: a transaction's has a marker for two-phase commit
  // in front of the first write.
  void Attach(rocksdb::WriteBatchWithIndex* batch) {
    batch_ = batch;
    batch_->SetSavePoint();
  }
  // Takes the batch of a recovered transaction only to be looked into.
  void Adopt(rocksdb::WriteBatchWithIndex* prepared) { batch_ = prepared; }

  // Adds a write. May spill, and then fail with what the store fails with; the write set is then
  // unchanged and the statement must be rolled back.
  Status Put(rocksdb::ColumnFamilyHandle* family, Bytes key, Bytes value);
  Status Delete(rocksdb::ColumnFamilyHandle* family, Bytes key);
  // For keys that were put at most once since they were last deleted; see rocksdb/db.h.
  Status SingleDelete(rocksdb::ColumnFamilyHandle* family, Bytes key);

  // Looks the key up among the writes. `value` is set for kPut only.
  Status Get(rocksdb::ColumnFamilyHandle* family, Bytes key, WriteKind* kind, std::string* value);

  bool empty() const { return operations_ == 0 && layers_.empty(); }
  bool Wrote(uint32_t family) const {
    for (uint32_t f : families_) {
      if (f == family) return true;
    }
    return false;
  }
  uint64_t generation() const { return generation_; }
  bool spilled() const { return !layers_.empty(); }
  size_t bytes() const { return batch_ == nullptr ? 0 : batch_->GetDataSize(); }
  // Writes since Clear, those taken back not counted. Others may ask while they hold mutex().
  uint64_t operations() const { return operations_ + spilled_operations_; }
  // Bytes of all keys and values that were ever added here and to loads beside, those that were
  // taken back included. Any thread.
  uint64_t bytes_added() const { return bytes_added_.load(std::memory_order_relaxed); }
  // What the batch and loads beside are charged to; null: nobody.
  store::MemoryCharge* memory() const { return options_.memory; }
  // The owner adds so many bytes, here or to a load.
  void CountAdded(size_t bytes) {
    bytes_added_.store(bytes_added() + bytes, std::memory_order_relaxed);  // one writer
  }

  // A mark at the present state. The handle stays valid until the mark is released or a mark
  // before it is rolled back to.
  using Mark = uint64_t;
  Mark SetMark();
  // Takes back every write after the mark. The mark itself stays.
  Status RollbackTo(Mark mark);
  void ReleaseMark(Mark mark);

  // Forgets all writes and marks but stays attached: their place is taken by other means.
  Status DiscardContent();
  // Forgets everything, memory and layers, and gives the batch back.
  void Clear();

  // --- New entries, for those that lock ranges (range_locks.h) ---
  Mutex& mutex() BASALT_RETURNS_MUTEX(mutex_) { return mutex_; }
  // The owner is about to put an entry that the index does not have.
  void NoteInsert(IndexId index) BASALT_REQUIRES(mutex_);
  // This entry, noted as above, is in a load: others that ask take all between the first and the
  // last one of an index for possible entries.
  void NoteLoaded(IndexId index, Bytes key) BASALT_REQUIRES(mutex_);
  // False when the owner has certainly added nothing to the index since Clear. Any thread.
  bool MayHaveInserted(IndexId index) const {
    return (inserted_mask_.load() & MaskBit(index)) != 0;
  }
  // Whether an entry in [start, end) was added that is not committed. Any thread, mutex() held.
  // Tells entries that were there before from new ones by a look into the store; when that would
  // take long, or the set is opaque, the answer is yes if there may be one.
  bool HasInsertBetween(store::Store* store, IndexId index, Bytes start, Bytes end)
      BASALT_REQUIRES(mutex_);
  // While the set is opaque others do not look into it. Takes mutex().
  void SetOpaque(bool opaque);

  rocksdb::WriteBatchWithIndex* batch() { return batch_; }
  const std::vector<SpillLayer>& layers() const { return layers_; }
  Spill* spill() { return spill_; }
  const std::vector<uint32_t>& families() const { return families_; }

 private:
  struct MarkEntry {
    Mark id;
    bool live;
    bool in_batch;        // false: lies below the batch, at the boundary after `layer_count` layers
    size_t layer_count;   // layers that are older than the mark
    uint64_t operation;   // operations in the batch before the mark
    uint64_t operations;  // in the whole set before the mark, wherever they are now
  };

  static uint64_t MaskBit(IndexId index) {
    return uint64_t{1} << (std::hash<IndexId>()(index) >> 58);
  }
  struct LoadedRange {
    IndexId index;
    std::string first;
    std::string last;
  };

  void NoteWrite(uint32_t family);
  void ClearContent();
  Status SpillIfFull();
  Status LookAtSize(size_t bytes);
  void ChargeFor(size_t bytes);
  Status SpillBatch();
  Status EmptyBatch();
  void PopDeadMarks();

  Spill* const spill_;
  const Options options_;
  rocksdb::WriteBatchWithIndex* batch_ = nullptr;
  size_t charged_ = 0;    // bytes of memory
  size_t next_look_ = 0;  // bytes of the batch with which it is charged for more, or spilled
  std::vector<uint32_t> families_;  // column families written to; never many
  uint64_t operations_ = 0;         // in the batch
  uint64_t spilled_operations_ = 0;
  uint64_t generation_ = 0;
  std::atomic<uint64_t> bytes_added_{0};
  std::vector<MarkEntry> marks_;
  Mark next_mark_ = 1;
  std::vector<SpillLayer> layers_;  // oldest first

  Mutex mutex_;
  std::vector<IndexId> inserted_ BASALT_GUARDED_BY(mutex_);  // indexes that entries were added to
  std::atomic<uint64_t> inserted_mask_{0};  // the same, as bits, for who has no mutex
  std::vector<LoadedRange> loaded_ BASALT_GUARDED_BY(mutex_);  // by NoteLoaded
  bool opaque_ BASALT_GUARDED_BY(mutex_) = false;
};

// Grows with each write, and when writes are taken back: what was found by an earlier one may not
// hold any more. 0 for null.
inline uint64_t VersionOf(const WriteSet* writes) {
  return writes == nullptr ? 0 : writes->generation() + writes->bytes_added();
}

}  // namespace basalt::txn
