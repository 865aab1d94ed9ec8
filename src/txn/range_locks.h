// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "txn/lock_owner.h"
#include "txn/wait_graph.h"

// Locks of gaps: while an owner has locked the range [start, end) of an index's keys, nobody else
// adds an entry there. Entries that exist are guarded by the locks of their rows, so ranges exclude
// nothing but additions: not each other, not deletions, not changes that keep the entry.
//
// An uncommitted entry is found where it is, in the write set of its transaction; no list of them
// is kept here. Whoever asks for a range publishes it first, then looks into the write sets of the
// others (TransactionManager::LockRange). Whoever adds an entry holds the mutex of its write set
// from before the look at the ranges until the entry is in (TransactionWrites::OpenWrite). So one
// of the two sees the other.
//
//   Ask --> pending --Grant--> held until ReleaseAll, or until Trim for the newest
//              |  ^
//              |  +-- found entries of others: their owners become exempt; look again when one ends
//              +--Withdraw--> nothing
//
// Invariants (tests name them):
//  R1  From the grant of a range until its owner ends or trims it, no other owner adds an entry
//      inside it.
//  R2  When a range is granted, no other owner has an uncommitted new entry inside it. So a view
//      made after the grant shows all there is to see until the owner ends.
//  R3  Ranges do not exclude each other.
//  R4  While a range is pending, the owners it waits for are exempt: they may go on adding, or two
//      that wait for each other without need would be a deadlock. Others may not, or a stream of
//      additions would keep the range away for ever.
//  R5  A request that fails leaves nothing behind, and those it has held up go on.
//  R6  An owner holds at most `ranges_per_index` ranges in an index: beyond that neighbours are
//      joined, which locks too much but nothing too little.
//  R7  Trim gives back only what nothing but the newest request of its owner in the index has
//      asked for. So a scan that stops early gives back what it has not come to, and nothing that
//      another scan of the same owner relies on.
// R1 and R3 have no BASALT_ASSERT, only unit tests with their numbers. R1 speaks of what others do
// during the whole life of a grant, and their write sets are not known here. R3 is a permission.
// Who adds to an index in which nobody has a range pays for one load (`./dev bench locks`).

namespace basalt::txn {

// Of one owner in one index: disjoint ranges by their start. Guarded by its bucket's mutex; the
// owner's own thread, which alone changes it, may read it without.
struct RangeSet {
  LockOwner* owner = nullptr;
  IndexId index;
  std::map<std::string, std::string, std::less<>> ranges;
  bool asking = false;     // the pending one
  bool trimmable = false;  // or the newest granted one, when no request came after it
  std::string start;
  std::string end;
  std::vector<std::pair<std::string, std::string>> before;  // what of it was locked already
  std::vector<uint64_t> exempt;                             // ids of owners (R4)
};

class RangeLocks {
 public:
  struct Options {
    size_t ranges_per_index = 1024;
  };

  RangeLocks(Options options, WaitGraph* graph) : options_(options), graph_(graph) {}

  // --- For who locks a range: its own thread ---
  // Publishes a range. One at a time can be pending. False when the owner has all of it already.
  bool Ask(LockOwner* owner, IndexId index, Bytes start, Bytes end);
  // `other` has entries inside the pending range, or none. The caller holds the mutex of the
  // other's write set.
  void SetExempt(LockOwner* owner, uint64_t other, bool exempt);
  bool IsExempt(const LockOwner& owner, uint64_t other) const;
  // Are all whom the owner waits for exempt (R4)? The caller holds the mutex of the wait graph.
  bool WaitsForExemptOnly(const LockOwner& owner) const;
  void Grant(LockOwner* owner);
  void Withdraw(LockOwner* owner);
  // Gives back what of [start, end) was locked by the newest request in the index alone (R7), once.
  // Who waits to add an entry looks again. Nothing happens when the newest request added nothing.
  void Trim(LockOwner* owner, IndexId index, Bytes start, Bytes end);
  // Does the owner hold a range around the key?
  bool Holds(const LockOwner& owner, IndexId index, Bytes key) const;
  void ReleaseAll(LockOwner* owner);
  // Has the owner any range in the index?
  bool HasAny(const LockOwner& owner, IndexId index) const;
  // Gives up all it has there, before anybody has relied on them.
  void ReleaseIndex(LockOwner* owner, IndexId index);
  // Has another a range in the index, or asks for one without waiting for this owner?
  bool OthersHave(const LockOwner& owner, IndexId index) const;

  // --- For who adds an entry ---
  // May somebody else hold or ask for a range around the key? False for sure.
  bool MayCover(IndexId index) const { return BucketOf(index).sets.load() != 0; }
  // Whether a range of another owner keeps `writer` from adding the key. The caller holds the mutex
  // of the writer's write set.
  bool Covers(const LockOwner& writer, IndexId index, Bytes key) const;
  // Waits until one of the ranges around the key goes; Ok at once when there is none. Fails as lock
  // waits do. The caller holds no mutex, and looks again.
  Status WaitForKey(LockOwner* writer, IndexId index, Bytes key, uint64_t deadline);

  // --- For reports; any thread ---
  struct HeldRange {
    uint64_t transaction;
    IndexId index;
    std::string start;
    std::string end;
  };
  std::vector<HeldRange> HeldRanges() const;

 private:
  // Indexes share buckets by the hash of their number.
  struct alignas(64) Bucket {
    std::atomic<uint32_t> sets{0};  // in `members`
    mutable SharedMutex mutex;
    std::vector<RangeSet*> members BASALT_GUARDED_BY(mutex);
  };
  static constexpr size_t kBuckets = 256;

  Bucket& BucketOf(IndexId index) { return buckets_[std::hash<IndexId>()(index) >> 56]; }
  const Bucket& BucketOf(IndexId index) const {
    return buckets_[std::hash<IndexId>()(index) >> 56];
  }
  static RangeSet* SetOf(const LockOwner& owner, IndexId index);
  static RangeSet* Asking(const LockOwner& owner);
  RangeSet* AddSet(LockOwner* owner, IndexId index);
  static bool Inside(const RangeSet& set, Bytes key);
  static bool Excludes(const RangeSet& set, const LockOwner& writer, IndexId index, Bytes key);
  void Add(RangeSet* set) const;
  static void NoteBefore(RangeSet* set);
  static void Cut(RangeSet* set, Bytes start, Bytes end);
  static void JoinNeighbours(RangeSet* set);

  const Options options_;
  WaitGraph* const graph_;
  Bucket buckets_[kBuckets];
};

}  // namespace basalt::txn
