// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>

#include "base/bytes.h"
#include "base/status.h"
#include "txn/transaction_snapshot.h"
#include "txn/transaction_types.h"

namespace basalt::txn {

class TransactionManager;
class TransactionWrites;

// Reads of single keys in one transaction: its own writes, laid over the committed state as of its
// snapshot, or over the latest one. Ranges are read by Cursor.
//
// The transaction's thread. Borrows the manager, and the transaction's settings and writes.
class TransactionReads {
 public:
  TransactionReads(const TransactionManager* manager, const TransactionSettings* settings,
                   TransactionWrites* writes);
  TransactionReads(const TransactionReads&) = delete;
  TransactionReads& operator=(const TransactionReads&) = delete;

  // Reads one row or index entry, or kNotFound. The value stays pinned until the slice is reset.
  Status Get(rocksdb::ColumnFamilyHandle* family, Bytes key, View view,
             rocksdb::PinnableSlice* value);
  // Reads one entry as Get does, but takes no snapshot. For a statement that reads exactly one key
  // once: then the latest state is the state at one point in time just as well.
  Status GetAlone(rocksdb::ColumnFamilyHandle* family, Bytes key, rocksdb::PinnableSlice* value);
  // Reads many keys at once; codes[i] is kOk or kNotFound or an error. `keys` sorted in the column
  // family's own order is faster.
  void MultiGet(rocksdb::ColumnFamilyHandle* family, size_t count, const rocksdb::Slice* keys,
                View view, bool sorted, rocksdb::PinnableSlice* values, Code* codes);
  // With TransactionSettings::detect_conflicts, after a row was locked: kSnapshotConflict when it
  // is not what the snapshot shows. Takes the snapshot when there is none.
  Status CheckUnchanged(rocksdb::ColumnFamilyHandle* family, Bytes key);

  // What the latest committed state is.
  ViewStamp LatestStamp() const;

  TransactionSnapshot& snapshot() { return snapshot_; }
  const TransactionSnapshot& snapshot() const { return snapshot_; }

 private:
  const TransactionManager* const manager_;
  rocksdb::DB* const database_;
  TransactionSnapshot snapshot_;
  const TransactionSettings* const settings_;
  TransactionWrites* const writes_;
};

}  // namespace basalt::txn
