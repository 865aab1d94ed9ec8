// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "store/format/index_bounds.h"

namespace basalt::txn {

class IdleCursors;
class WriteSet;

// An ordered view of one index: the committed entries of a snapshot with the transaction's own
// writes laid over them. Order is always that of the key bytes; in a column family that stores keys
// in reverse the cursor turns the directions around, so that nothing above it needs to know.
//
// The store's iterator is kept from one statement to the next: Bind refreshes it, which costs far
// less than making one. It pins files and memtables, so between statements the cursor is Parked,
// and IdleCursors releases what stays parked for long.
//
// A cursor leaves its index neither way: at the first entry of another index Valid() is false.
// Own writes made while the cursor stands are seen from its next move on.
//
// A cursor with a limit gives up a move that would pass over more dead entries (deletions and what
// they hide) than that: it is not Valid() then and its status is kInterrupted, until the next Bind.
//
// One thread at a time; only IdleCursors looks at a parked one from another. Borrowed: the store's
// objects and `idle`, for the cursor's life; the write set, until Unbind.
class Cursor {
 public:
  // `most_skipped`: the limit; 0: none.
  Cursor(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, bool reverse, IndexId index,
         IdleCursors* idle, uint64_t most_skipped = 0);
  ~Cursor();
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Starts a use of the cursor. `snapshot` null: the latest state, fixed at this call. `writes`
  // null or without writes in this column family: committed entries only. `fill_cache` false keeps
  // a large scan from pushing the working set out of the block cache.
  Status Bind(const rocksdb::Snapshot* snapshot, WriteSet* writes, bool fill_cache = true);
  // Ends the use; the cursor keeps its iterator for the next Bind, and what key() and value() have
  // returned stays valid until Park.
  void Unbind();
  // The statement is over: also ends the use, and the iterator may be released from now on.
  void Park();
  bool bound() const { return bound_; }

  // To the first entry with key >= target, or the last with key <= target. Target begins with the
  // index number.
  void SeekForward(Bytes target);
  void SeekBackward(Bytes target);
  // To the ends of the index.
  void SeekFirst();
  void SeekLast();

  // Valid() must be true. The direction may change at any move.
  void Next();
  void Prev();

  bool Valid() const { return valid_; }
  // The whole key, index number first, and the value. Valid until the next move or write.
  Bytes key() const { return key_; }
  Bytes value() const { return value_; }

  // True while own writes are laid over: key and value are then the cursor's copies, gone after
  // Unbind; otherwise they stay until the next Bind or Park.
  bool overlaid() const { return overlay_ != nullptr; }

  // Why Valid() is false: Ok at the end of the index, else the store's error.
  Status status() const;

 private:
  friend class IdleCursors;
  struct Overlay;

  void ReleaseParked();
  bool PlainUse() const { return overlay_ == nullptr; }
  void RefreshOverlay();
  bool OverlayIsComplete() const;
  void MoveBase(bool forward);
  void SeekBase(Bytes target, bool forward);
  void TakeFromBase();
  void Resolve(bool forward);
  void Step(bool forward);

  rocksdb::DB* const db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const bool reverse_;
  const IndexId index_;
  const store::IndexBounds bounds_;
  const uint64_t most_skipped_;
  IdleCursors* const idle_;
  size_t idle_position_ = 0;  // idle_'s
  // Owned by who exchanges it for null; null while the cursor is in use.
  std::atomic<rocksdb::Iterator*> parked_{nullptr};
  std::atomic<uint64_t> parked_at_{0};  // in idle_'s ticks

  std::unique_ptr<rocksdb::Iterator> base_;
  bool base_fills_cache_ = true;
  bool bound_ = false;
  bool valid_ = false;
  Bytes key_;
  Bytes value_;

  WriteSet* writes_ = nullptr;
  uint64_t generation_ = 0;
  std::unique_ptr<Overlay> overlay_;
  Status overlay_error_;
};

}  // namespace basalt::txn
