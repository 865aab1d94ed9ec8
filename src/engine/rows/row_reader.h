// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/column_set.h"
#include "codec/kv_format.h"
#include "codec/row_decoder.h"
#include "engine/rows/row_context.h"

namespace basalt::engine {

// Reads rows of a table by their primary keys, one at a time, and stands on the last one: keeps its
// key, its lock and the memory that BLOB columns of the record point into.
//
// One thread at a time. Borrows the context.
class RowReader {
 public:
  explicit RowReader(RowContext* context) : context_(context) {}

  // A statement begins and ends. After the end no record may point into a row any more.
  void Begin() { decoder_ready_ = unlocked_ = false; }
  void End() { value_.Reset(); }

  // The columns that reads fill in. False, and cheap, when they are the same as before.
  bool SetWantedColumns(const codec::ColumnSet& wanted);
  const codec::ColumnSet& wanted() const { return wanted_; }
  // Rows are going to be compared with entries of this index (none: of no index), when reads lock:
  // the columns of both keys are then filled in besides.
  void CompareWithIndex(std::optional<size_t> index) {
    compared_index_ = index;
    decoder_ready_ = false;
  }

  // Reads the row with this primary key (index number first) into `record`. kNotFound when absent;
  // kLockBusy under skip_locked. `alone`: the statement's only read, see
  // TransactionReads::GetAlone.
  Status Read(Bytes primary_key, uint8_t* record, bool alone = false);
  // Takes the lock that Read takes and sets key(), without a look at the row.
  Status LockKey(Bytes primary_key);

  // The primary key of the row, whole. Writes act upon it in a table with a hidden primary key.
  Bytes key() const { return key_; }
  void SetKey(Bytes primary_key) {
    // Keys of one table have one length, as a rule. An empty key may have no address.
    if (primary_key.empty() || primary_key.size() != key_.size()) {
      key_.assign(primary_key);
      return;
    }
    std::memmove(key_.data(), primary_key.data(), primary_key.size());
  }
  // The number in a hidden primary key; 0 in a table with a declared one.
  uint64_t hidden_id() const {
    return context_->table().hidden_primary() ? codec::HiddenIdOf(key_) : 0;
  }

  // Was the row not locked although the intent says so? See ReadIntent::semi_consistent.
  bool is_unlocked() const { return unlocked_; }
  void set_unlocked(bool unlocked) { unlocked_ = unlocked; }
  // Undoes the lock of the row, if its read took it and is not repeatable.
  void Unlock() {
    if (!context_->intent().repeatable) Release();
  }

  // --- Steps of a read, for scans ---
  // The next row: nothing is known of its lock.
  void BeginRow() { newly_locked_ = unlocked_ = false; }
  // Locks the row with key() as the intent says, but for the wait.
  Status Lock(txn::LockWait wait);
  // Undoes the lock of the row, if its read took it.
  void Release();
  // The stored value of the row with key(), and then the record of it. Fetch: kNotFound or an error
  // of the store that names the row.
  Status Fetch();
  Status DecodeFetched(uint8_t* record) { return Decode(MakeBytes(value_), record); }
  // The record of the row with key() and this value, which must outlive the use of the record.
  Status Decode(Bytes value, uint8_t* record);
  // A copy of `value` that lives as long as a value that was fetched.
  Bytes Keep(Bytes value);

 private:
  static Bytes MakeBytes(const rocksdb::Slice& slice) { return Bytes(slice.data(), slice.size()); }
  void CompileDecoder();
  void CompileDecoderFor(const codec::ColumnSet& columns);
  Status WithKey(Status status) const;

  RowContext* const context_;
  codec::ColumnSet wanted_;
  std::optional<size_t> compared_index_;
  codec::RowDecoder decoder_;
  bool decoder_ready_ = false;
  std::string key_;
  rocksdb::PinnableSlice value_;
  bool newly_locked_ = false;  // the row's read took its lock,
  size_t lock_position_ = 0;   // and so many locks were held right after
  bool unlocked_ = false;
};

}  // namespace basalt::engine
