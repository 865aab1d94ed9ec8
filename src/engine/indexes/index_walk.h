// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/row_decoder.h"
#include "engine/table.h"
#include "engine/virtual_columns.h"
#include "txn/cursor.h"
#include "txn/transaction.h"

namespace basalt::engine {

// Walks over all entries of one index from its first to its last, in the transaction's snapshot and
// with its own writes, past the block cache. For statements that read whole tables to check or to
// rebuild them; memory does not depend on the number of entries.
//
// One thread; table and transaction must outlive the object.
class IndexWalk {
 public:
  IndexWalk(const Table& table, size_t index, txn::Transaction* transaction);

  // To the first entry, then to the next. kEndOfRange behind the last one. Another status when
  // what comes next cannot be read: the walk is over then, too.
  Status Next();

  // The entry, valid until the next move.
  Bytes key() const { return cursor_.key(); }
  Bytes value() const { return cursor_.value(); }
  // Had the entry expired at the time of the snapshot? Who checks passes over it: its counterpart
  // in another index may be gone already.
  bool EntryHasExpired() const {
    return seconds_ != 0 && store::ValueHasExpired(cursor_.value(), seconds_, now_);
  }
  // The last key before it that had not expired; empty before that.
  Bytes previous_key() const { return previous_key_; }

 private:
  txn::Transaction* const transaction_;
  rocksdb::ColumnFamilyHandle* const family_;
  txn::Cursor cursor_;
  const uint64_t seconds_;  // that entries live; 0: for ever
  const Table& table_;
  uint64_t now_ = 0;  // of the snapshot
  std::string previous_key_;
  bool started_ = false;
};

// The record image of a row: every stored column decoded, virtual ones computed when an index has
// any. Reused from row to row; BLOB columns point into the value that was decoded.
class RowImage {
 public:
  // `virtual_columns` may be null for a table without indexes on virtual columns. Borrowed.
  RowImage(const Table& table, VirtualColumns* virtual_columns);
  // In the layout of a table that is not open: its rows are those of the table that is walked. All
  // are borrowed.
  RowImage(const codec::TableDescriptor& table, const codec::KeyCodec& primary,
           const codec::RowCodec& rows, VirtualColumns* virtual_columns);

  // False when the bytes contradict the format, or the value has more than the columns and a
  // checksum; the record is undefined then.
  [[nodiscard]] bool Decode(Bytes key, Bytes value);
  const uint8_t* record() const { return record_.data(); }
  // Of the row that was decoded; 0 in a table with a primary key.
  uint64_t hidden_id() const { return hidden_id_; }

 private:
  const bool hidden_primary_;
  VirtualColumns* const virtual_columns_;  // null when no index needs them
  const codec::RowCodec& rows_;            // the table's
  codec::RowDecoder decoder_;
  std::vector<uint8_t> record_;
  uint64_t hidden_id_ = 0;
};

// The entry that a row must have in an index: key, and content of its value.
class EntryEncoder {
 public:
  explicit EntryEncoder(const Table& table);
  // For codecs that are not the table's own, with the room they need.
  EntryEncoder(size_t key_bytes, size_t unpack_bytes);

  // Both results are valid until the next call.
  void Encode(const codec::KeyCodec& codec, const RowImage& row);
  void Encode(const codec::KeyCodec& codec, const uint8_t* record, uint64_t hidden_id);
  Bytes key() const { return key_; }
  Bytes unpack() const { return unpack_; }

 private:
  std::vector<uint8_t> key_buffer_;
  std::vector<uint8_t> unpack_buffer_;
  Bytes key_;
  Bytes unpack_;
};

}  // namespace basalt::engine
