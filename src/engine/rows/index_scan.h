// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/key_decoder.h"
#include "codec/window_search.h"
#include "engine/rows/cursor_set.h"
#include "engine/rows/range_estimator.h"
#include "engine/rows/row_context.h"
#include "engine/rows/row_encoder.h"
#include "engine/rows/row_reader.h"
#include "engine/scans/corruption_locator.h"
#include "engine/scans/direction.h"
#include "engine/scans/guarded_scan.h"
#include "engine/scans/range_replay.h"

namespace basalt::engine {

// A scan of one index: a cursor on its entries, and the rows that they belong to. A locking scan of
// a transaction whose reads are repeatable locks the ranges it passes, too (next-key locks).
//
// One thread at a time. Borrows all that it is made with.
class IndexScan {
 public:
  struct Parts {
    RowContext* context;
    RowEncoder* encoder;
    RowReader* reader;
    RangeEstimator* estimator;  // has kept what it counted
    CursorSet* cursors;
  };
  explicit IndexScan(const Parts& parts)
      : context_(parts.context),
        encoder_(parts.encoder),
        reader_(parts.reader),
        estimator_(parts.estimator),
        cursors_(parts.cursors) {}

  // A statement begins.
  void Begin() { wait_for_next_ = false; }
  // Prepares index `index` for a scan. `key_only`: the index covers the wanted columns.
  Status BeginScan(size_t index, bool key_only, bool fill_cache);
  void End();
  // The index of the last scan; its cursor while it runs, or null.
  size_t index() const { return index_; }
  const txn::Cursor* cursor() const { return cursor_; }
  // The index, when a scan of a secondary index runs.
  std::optional<size_t> secondary_index() const {
    return cursor_ == nullptr || context_->IsPrimary(index_) ? std::nullopt : std::optional(index_);
  }
  // The scan locks no ranges: it looks for duplicates of a locked value. Before its first move.
  void LeaveGapsOpen() { guard_.End(); }
  // The wanted columns have changed while the scan runs; then what SetKeyOnly says has.
  void WantedColumnsChanged();
  void SetKeyOnly(bool key_only) { key_only_ = key_only; }

  // --- Moves. None of them reads a row. kEndOfRange when there is no further entry. The bound
  // (empty: the end of the index) says what the scan will not look at: from there on when it goes
  // forward, what lies below when it goes backward. Steps may end there with kEndOfRange. ---
  Status Seek(Bytes target, Bytes bound = {});       // to the first entry >= target
  Status SeekBelow(Bytes target, Bytes bound = {});  // to the last one < target
  // Seek, free when the estimator has just been there.
  Status SeekRange(Bytes start, Bytes end);
  // To the first candidate of a search of a SPATIAL index, which has begun; as free as SeekRange.
  Status SeekWindow(const codec::WindowSearch& search);
  // To the first entry >= target, which is behind the current one; by steps when it is near.
  Status SeekNear(Bytes target);
  Status SeekToEnd(Direction direction);  // kForward: the first entry, kBackward: the last
  Status Step(Direction direction);
  // The scan goes on beyond its bound.
  void ForgetBound();

  // --- The entry the cursor stands on; index number first. ---
  Bytes entry_key() const { return replay_.active() ? replay_.key() : cursor_->key(); }
  Bytes entry_value() const { return replay_.active() ? replay_.value() : cursor_->value(); }
  // Decodes the columns that the entry itself holds (index condition, key-only reads).
  Status DecodeEntry(uint8_t* record);
  // Has the entry expired, in a secondary index? Then there is no row to ask for. ReadRow looks
  // itself; entries of the primary key are rows, and reading them tells.
  bool HasExpired() {
    return context_->ttl_clock().expires() && !context_->IsPrimary(index_) &&
           context_->ttl_clock().HidesEntry(index_, entry_value());
  }
  // Makes the entry's primary key the reader's; reads no row.
  Status TakeRowKey();
  // Reads the entry's row into `record`, and makes it the reader's row: locks it when the intent
  // says so. kNotFound when the row is gone or no longer belongs to the entry (the caller moves
  // on); kLockBusy under skip_locked.
  Status ReadRow(uint8_t* record);
  // The next ReadRow waits for the lock, and is not semi-consistent.
  void WaitForNextRow();

 private:
  Status StepCursor(bool forward);
  Status StepInNewView(bool forward);
  Status EndReplay(bool forward, bool* arrived);
  Status BeforeSeek();
  Status AfterSeek(Bytes target, Status status);
  Bytes LastingEntryValue();
  bool EntryIsOf(uint8_t* record);
  bool EntrySuffices() const;
  Status LockRow();
  Status LockOrWait(txn::LockWait wait);
  Status LockAllRows();
  Status RefreshSnapshot(Status conflict);

  RowContext* const context_;
  RowEncoder* const encoder_;
  RowReader* const reader_;
  RangeEstimator* const estimator_;
  CursorSet* const cursors_;
  txn::Cursor* cursor_ = nullptr;  // of the running scan
  GuardedScan guard_;              // moves it when it locks ranges
  RangeReplay replay_;             // or the scan stands on an entry that was kept
  CorruptionLocator locator_;      // names the place of damage
  codec::KeyDecoder entry_decoder_;
  size_t index_ = 0;
  bool key_only_ = false;
  bool scans_whole_ = false;    // from one end of the index, without a bound, locking shared,
  bool all_locked_ = false;     // and has by now locked all rows of the table
  bool view_is_old_ = false;    // it has waited since the cursor was bound; see LockOrWait
  bool wait_for_next_ = false;  // see WaitForNextRow
  uint64_t moves_ = 0;          // since BeginScan
};

}  // namespace basalt::engine
