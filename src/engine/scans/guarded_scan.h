// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "store/format/index_bounds.h"
#include "txn/cursor.h"
#include "txn/transaction.h"

namespace basalt::engine {

// Moves a cursor so that what it has passed stays as it was: every entry it comes to lies in a
// range of the index that the transaction has locked before looking, so that nobody can add an
// entry behind its back (phantoms). It sees the latest committed state and own writes.
//
// Ranges are locked ahead of the cursor in steps: to the first entry, then to the fourth after it,
// the sixteenth, ..., and after five steps to the bound that the caller has named, beyond which it
// looks at nothing. So a scan that stops early (LIMIT 1) locks little, and a long one pays little.
// A step of several entries that meets somebody's new entry is given up for one of a single entry,
// which waits: a scan never waits for what it may not come to. A scan that ends or seeks before it
// has come to the end of its newest step gives the rest of that step back.
//
// Errors are those of lock waits and of the store. kEndOfRange: there is no further entry before
// the bound; the cursor may then stand beyond it.
//
// One thread at a time. Borrows transaction and cursor between Begin and End.
class GuardedScan {
 public:
  // Whether the ranges stay locked when the scan ends. A scan that keeps nothing only waits for
  // what others have added and not committed yet.
  enum class Keep : uint8_t { kRanges, kNothing };

  // Takes over a bound cursor that shows the latest state as of `stamp` or later.
  void Begin(txn::Transaction* transaction, txn::Cursor* cursor, IndexId index, Keep keep,
             txn::LockWait wait, bool fill_cache, txn::ViewStamp stamp);
  // With Keep::kNothing gives back all ranges that the transaction has in the index.
  void End();
  bool active() const { return cursor_ != nullptr; }

  // To the first entry >= target and < bound.
  Status SeekForward(Bytes target, Bytes bound);
  // To the last entry < target and >= bound.
  Status SeekBelow(Bytes target, Bytes bound);
  // The ends of the index, as target or bound.
  Bytes first() const { return first_; }
  Bytes past_end() const { return past_end_; }
  // The caller will go on beyond the bound.
  void ForgetBound();
  Status Next();
  Status Previous();
  // Whether the entry, as the cursor shows it, is what there is now: asked after its row was
  // locked, so that the row need not be read once more. Scans that often hear no get a newer view.
  bool ShowsLatest();
  // Locks the whole index at once, when that needs no wait, instead of step by step. For a scan
  // without a bound; the cursor stays where it is.
  Status GuardAll();

 private:
  // After so many entries that were not the latest a newer view is cheaper than reading their rows.
  static constexpr unsigned kStaleEntries = 8;
  // A step four times as large as the last, up to this many entries.
  static constexpr size_t kStepGrowth = 4;
  static constexpr size_t kWholeRest = 1024;  // as step_: all that is left

  Status ExtendForward(bool placed);
  Status ExtendBackward(bool placed);
  bool IsGuarded() const;
  void ReleaseRest();
  bool TakesOneEntry();
  Status Refresh();
  Status Arrived();
  std::string WalkForward(size_t* seen);
  std::string WalkBackward(size_t* seen);
  Status LockAhead(Bytes start, Bytes end, bool* refreshed);
  void PlaceBelow(Bytes key);

  txn::Transaction* transaction_ = nullptr;
  txn::Cursor* cursor_ = nullptr;
  IndexId index_;
  Keep keep_ = Keep::kRanges;
  txn::LockWait wait_ = txn::LockWait::kWait;
  bool fill_cache_ = true;
  txn::ViewStamp stamp_;     // the cursor's view is not older
  size_t step_ = 1;          // entries to lock next
  unsigned stale_ = 0;       // entries that ShowsLatest has denied since the view was made
  uint64_t operations_ = 0;  // own writes when the cursor came to its entry

  // Where what the newest step has locked lies: what is beyond the cursor's entry was not looked
  // at.
  enum class Rest : uint8_t { kNone, kAbove, kBelow };
  Rest rest_ = Rest::kNone;
  bool arrived_ = false;  // the cursor stands on an entry that the caller was given

  std::string first_;  // the ends of the index
  std::string past_end_;
  std::string low_;  // [low_, high_) is locked and as the cursor shows it
  std::string high_;
  std::string low_bound_;
  std::string high_bound_;
};

}  // namespace basalt::engine
