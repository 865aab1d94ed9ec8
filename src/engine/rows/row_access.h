// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/column_set.h"
#include "codec/key_decoder.h"
#include "codec/row_decoder.h"
#include "engine/row_life.h"
#include "engine/rows/key_gap.h"
#include "engine/rows/read_intent.h"
#include "engine/rows/unique_value.h"
#include "engine/scans/guarded_scan.h"
#include "engine/scans/range_cache.h"
#include "engine/scans/scan_trail.h"
#include "engine/table.h"
#include "engine/virtual_columns.h"
#include "txn/cursor.h"
#include "txn/transaction.h"

namespace basalt::engine {

// Reads and writes the rows of one table for one handler: owns the buffers, cursors and decoders
// that a statement needs and keeps them for the next one. Records are the server's record images.
//
// One thread at a time. A statement runs between Bind and Unbind, in an active transaction.
class RowAccess {
 public:
  explicit RowAccess(std::shared_ptr<Table> table);
  ~RowAccess();
  RowAccess(const RowAccess&) = delete;
  RowAccess& operator=(const RowAccess&) = delete;

  void Bind(txn::Transaction* transaction, const ReadIntent& intent);
  void Unbind();
  bool bound() const { return transaction_ != nullptr; }
  void ReleaseCursors();  // and the files they pin
  // The intent never is to lock in a table without locks.
  const ReadIntent& intent() const { return intent_; }
  void set_intent(const ReadIntent& intent) {
    intent_ = intent;
    intent_.lock = intent.lock && !table_->lockless();
    intent_.repeatable = intent.repeatable && intent_.lock;
  }
  Table* table() const { return table_.get(); }
  // Needed before rows of a table are used that has an index with virtual columns. Borrowed.
  void set_virtual_columns(VirtualColumns* columns) { virtual_columns_ = columns; }

  // The columns that reads must fill in. Cheap when they are the same as before.
  void SetWantedColumns(const codec::ColumnSet& wanted);

  // --- Point reads ---
  // Reads the row with this primary key (index number first) into `record`. kNotFound when absent;
  // kLockBusy under skip_locked. `alone`: the statement's only read, see Transaction::GetAlone.
  Status ReadRow(Bytes primary_key, uint8_t* record, bool alone = false);
  // Takes the lock that ReadRow takes and sets row_key(), without a look at the row.
  Status TakeRow(Bytes primary_key);
  // Reads the first `count` rows of `primary_keys` at once; TakeFetched then decodes them one by
  // one, in any order (kNotFound for an absent row; kCorruption when the keys come from entries of
  // the running scan, which have rows). Not for locking reads. Borrows the keys till the last one.
  void FetchRows(const std::vector<std::string>& primary_keys, size_t count);
  Status TakeFetched(size_t position, uint8_t* record);
  // The primary key of the row in `record`; not for hidden primary keys. Valid until the next call.
  Bytes RowKeyOf(const uint8_t* record);
  // The primary key of the row that was last read, whole.
  Bytes row_key() const { return row_key_; }

  // --- Scans ---
  enum class Position : uint8_t { kForward, kBackward };
  // Prepares index `index` for a scan. `key_only`: the index covers the wanted columns.
  Status StartScan(size_t index, bool key_only, bool fill_cache);
  void EndScan();
  // The scan locks no ranges: it looks for duplicates of a locked value. Before its first move.
  void LeaveGapsOpen() { guard_.End(); }
  // Changes `key_only` of the running scan, whose wanted columns have changed.
  void SetKeyOnly(bool key_only) { scan_key_only_ = key_only; }
  // Move the cursor; none of them reads a row. kEndOfRange when there is no further entry. The
  // bound (empty: the end of the index) says what the scan will not look at: from there on when it
  // goes forward, what lies below when it goes backward. Steps may end there with kEndOfRange.
  Status Seek(Bytes target, Bytes bound = {});       // to the first entry >= target
  Status SeekBelow(Bytes target, Bytes bound = {});  // to the last one < target
  // Seek, free when EstimateRange has just been there.
  Status SeekRange(Bytes start, Bytes end);
  Status SeekToEnd(Position direction);  // kForward: the first entry, kBackward: the last
  Status Step(Position direction);
  // The scan goes on beyond its bound.
  void ForgetBound();
  // The entry the cursor stands on; index number first.
  Bytes entry_key() const { return replaying_ ? cache_.key(replay_) : cursor_->key(); }
  Bytes entry_value() const { return replaying_ ? cache_.value(replay_) : cursor_->value(); }
  // Decodes the columns that the entry itself holds (index condition, key-only reads).
  Status DecodeEntry(uint8_t* record);
  // Reads the entry's row into `record`: locks it when the intent says so. kNotFound when the row
  // is gone or no longer belongs to the entry (the caller moves on); kLockBusy under skip_locked.
  Status ReadEntryRow(uint8_t* record);
  // Whether the row last read was not locked although the intent says so.
  bool row_is_unlocked() const { return row_unlocked_; }
  void WaitForNextRow();     // the next ReadEntryRow waits for the lock
  Status TakeEntryRowKey();  // copies the entry's primary key to row_key(), reads no row
  // Has the entry expired, in a secondary index? Then there is no row to ask for. ReadEntryRow
  // looks itself; entries of the primary key are rows, and reading them tells.
  bool EntryHasExpired() {
    return life_.expires() && scan_index_ != table_->primary_position() &&
           life_.HidesEntry(scan_index_, entry_value());
  }
  size_t scanned_index() const { return scan_index_; }
  // Entries of an index in [start, end): counted when few, else estimated from file sizes.
  uint64_t EstimateRange(size_t index, Bytes start, Bytes end);
  // Undoes the lock of the row last read, if that read took it and is not repeatable.
  void UnlockRow();
  // Of all who call this for a value (the beginning of keys), one goes on at a time, until its
  // statement is rolled back or its transaction ends. For uniqueness that the caller checks.
  Status LockUniqueValue(size_t index, Bytes prefix) {
    return LockNewValue(table_->index(index).id, prefix, prefix, txn::LockWait::kWait);
  }

  // --- Writes. The duplicate index is a position in Table, valid after kDuplicateKey; so is
  // duplicate_row_key(), the row it was found with. ---
  Status Insert(const uint8_t* record, size_t* duplicate_index);
  // `before` is the row that was last read, or whose key row_key() is. *changed becomes false when
  // both are the same in every byte that is stored; then nothing is written.
  Status Update(const uint8_t* before, const uint8_t* after, size_t* duplicate_index,
                bool* changed);
  Status Delete(const uint8_t* record);
  Bytes duplicate_row_key() const { return duplicate_key_; }
  // How a row found as a duplicate is locked: exclusively when the caller will change it.
  void set_duplicate_mode(txn::LockMode mode) { duplicate_mode_ = mode; }
  // Sets the row that Update and Delete act upon in a table with a hidden primary key.
  void SetRowKey(Bytes primary_key) { row_key_.assign(primary_key); }

 private:
  struct Entry {
    std::string key, value;
  };
  using Cursors = std::vector<std::unique_ptr<txn::Cursor>>;  // one an index, made at need
  txn::Cursor* CursorOf(Cursors* cursors, size_t index, uint64_t most_skipped = 0);
  void ParkCursors();
  void CompileRowDecoder();
  Status DecodeRow(Bytes key, Bytes value, uint8_t* record);
  Status LockRow(Bytes primary_key, txn::LockWait wait);
  Status LockOrWait(txn::LockWait wait);
  Status LockEntryRow();
  Status LockAllRows();
  Status StepInNewView(bool forward);
  Status BeforeSeek();
  Bytes LastingEntryValue();
  bool EntryBelongsTo(Bytes entry, uint8_t* record);
  Status Malformed(size_t index, Bytes key) const;
  Status EntryWithoutRow(Bytes row_key) const;

  // The latest committed state, or the snapshot's?
  bool ReadsLatest() const { return intent_.lock || table_->lockless(); }
  // Entries of a scan likewise; where conflicts are detected, a locking scan goes by the snapshot.
  bool ScansLatest() const {
    return table_->lockless() || (intent_.lock && !transaction_->detects_conflicts());
  }
  txn::View view() const { return ReadsLatest() ? txn::View::kLatest : txn::View::kSnapshot; }
  txn::WriteSet& writes() const { return transaction_->writes(table_->primary().family); }
  bool CacheIsValid() const;
  txn::Cursor* EstimateCursor(Cursors* cursors, size_t index, uint64_t most_skipped);
  RangeCount CountSome(size_t index, Bytes start, Bytes end, txn::Cursor** cursor);
  RangeCount CountAndCache(txn::Cursor* cursor, size_t index, Bytes start, Bytes end);
  Status AfterSeek(Bytes target, Status status);
  void ReleaseRow();
  // row_write.cc
  void EncodePrimary(const uint8_t* record, uint64_t hidden_id, Entry* entry);
  void EncodeSecondary(size_t index, const uint8_t* record, uint64_t hidden_id, Entry* entry);
  Status LockForWrite(Bytes primary_key);
  Status LockNewValue(IndexId index, Bytes locked, Bytes prefix, txn::LockWait wait);
  Status LockForInsert(const uint8_t* record, size_t* duplicate_index);
  Status LockForUpdate(const uint8_t* before, const uint8_t* after, bool key_changed,
                       size_t* duplicate_index);
  template <typename TakeLocks>
  Status OpenWrite(const TakeLocks& take_locks, txn::Transaction::WriteGate* gate);
  Status PutEntries();
  Status WriteChanges(bool key_changed);
  Status CheckPrimaryUnique(const uint8_t* record, Bytes primary_key, Bytes own_row_key,
                            size_t* duplicate_index);
  Status LieInGap(Bytes primary_key, bool* free);
  Status RowHasUniqueImage(size_t index, Bytes row_key, const std::string& image, bool* same);
  UniqueValue UniqueValueOf(size_t index, const uint8_t* record);
  Status LockValue(const UniqueValue& value, txn::LockWait wait);
  Status PrimaryKeyIsTaken(Bytes primary_key, bool* taken);
  Status LockNewPrimary(Bytes primary_key, bool* taken);
  Status FindHolder(const UniqueValue& value, Bytes own_row_key, std::string* holder);
  Status CheckValue(const UniqueValue& value, Bytes own_row_key, size_t* duplicate_index);
  Status CheckChangedUnique(size_t index, const uint8_t* before, const uint8_t* after,
                            Bytes own_row_key, size_t* duplicate_index);
  Status WriteChangedPrimary(bool key_changed);
  // row_expiry.cc
  Status StampsOfUpdate(const uint8_t* before, const uint8_t* after, UpdateStamps* stamps);
  bool TakesPlaceOf(rocksdb::PinnableSlice* value);
  Status RemoveExpired(Bytes row_key);
  uint64_t HiddenIdOfRow() const { return codec::HiddenIdOf(row_key_); }
  const std::shared_ptr<Table> table_;
  VirtualColumns* virtual_columns_ = nullptr;
  txn::Transaction* transaction_ = nullptr;
  ReadIntent intent_;
  RowLife life_;
  uint64_t stamp_ = 0;             // of the row whose entries are being encoded
  bool replaces_expired_ = false;  // the row being written takes the place of expired_row_
  rocksdb::PinnableSlice expired_row_;

  codec::ColumnSet wanted_;
  codec::RowDecoder row_decoder_;
  codec::KeyDecoder entry_decoder_;
  bool row_decoder_ready_ = false;

  Cursors cursors_, estimate_cursors_, unique_cursors_;  // of scans, of estimates, of unique checks
  bool cursors_used_ = false;                            // since the statement began
  codec::RowDecoder unique_decoder_;    // of rows that a unique check has to look at
  std::vector<uint8_t> unique_record_;  // and their record image
  txn::Cursor* cursor_ = nullptr;       // of the running scan
  GuardedScan guard_;                   // moves it when reads are to be repeatable
  ScanTrail trail_;                     // where it is, for messages
  size_t scan_index_ = 0;
  bool scan_key_only_ = false;
  bool scans_whole_ = false;  // from one end of the index, without a bound, locking shared,
  bool all_locked_ = false;   // and has by now locked all rows of the table
  bool view_is_old_ = false;  // it has waited since the cursor was bound; see LockOrWait
  uint64_t scan_moves_ = 0;   // since StartScan
  RangeCache cache_;
  uint64_t cache_operations_ = 0;  // own writes when the cache was filled
  bool replaying_ = false;         // the scan stands on entry replay_ of the cache,
  bool replays_all_ = false;       // which has the whole range
  size_t replay_ = 0, replay_end_ = 0;

  std::string row_key_;
  std::string duplicate_key_;
  txn::LockMode duplicate_mode_ = txn::LockMode::kShared;
  bool row_newly_locked_ = false, row_unlocked_ = false;  // see row_is_unlocked
  bool wait_for_next_ = false;                            // see WaitForNextRow
  size_t row_lock_position_ = 0;      // locks held right after that lock was taken
  rocksdb::PinnableSlice row_value_;  // pins what BLOB columns of the last record point into
  std::vector<uint8_t> key_buffer_;
  std::vector<uint8_t> unpack_buffer_;
  std::vector<Entry> before_, after_;  // entries of the row being written, one an index
  KeyGap gap_;                         // where rows are being inserted
  std::vector<txn::NewEntry> added_;   // those of after_ that their indexes do not have yet
  std::vector<rocksdb::Slice> fetch_keys_;
  std::unique_ptr<rocksdb::PinnableSlice[]> fetch_values_;
  size_t fetch_capacity_ = 0;
  std::vector<Code> fetch_codes_;
};

}  // namespace basalt::engine
