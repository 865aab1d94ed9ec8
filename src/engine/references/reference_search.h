// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/indexes/index_walk.h"
#include "engine/row_end.h"
#include "engine/rows/cursor_set.h"
#include "engine/rows/read_intent.h"
#include "engine/rows/row_context.h"
#include "engine/scans/guarded_scan.h"
#include "engine/table.h"
#include "txn/transaction.h"

namespace basalt::engine {

// Looks for rows of a table that have given values in the leading parts of an index: the parent of
// a row that refers to it, or the rows that refer to a parent. What it finds, and what it finds
// missing, stays so until the transaction ends, at every isolation level.
//
// It reads the latest committed state and the transaction's own writes, never a snapshot. A row
// that is only looked for is locked shared, so that many children lock one parent. Where there is
// none, others wait before they add one: in a gap of the index, or by the row's lock when the parts
// are a whole primary key.
//
// Rows of history refer to nothing, and nothing refers to them.
//
// One thread at a time. Between Begin and End there is an active transaction, which is borrowed.
class ReferenceSearch {
 public:
  // The first `parts` declared parts of the index tell values apart by their bytes
  // (KeyCodec::EqualBytesAreEqual).
  ReferenceSearch(std::shared_ptr<Table> table, size_t index, unsigned parts);

  void Begin(txn::Transaction* transaction);
  // The statement ends: gives the cursor back, and no lock.
  void End();

  // *found: is there a row with the values of `record`, other than the one with the primary key
  // `except` (empty: any)? Of the record, an image of this table's, only the columns of the parts
  // are looked at, none of them NULL. Errors are those of lock waits and of the store.
  Status Find(const uint8_t* record, Bytes except, bool* found) {
    return FindEncoded(PrefixOf(record), except, found);
  }
  // The values of such a record as bytes, whose order is that of the index. Valid until the next
  // call of a function here.
  Bytes Encode(const uint8_t* record) { return PrefixOf(record); }
  // As Find, for values from Encode.
  Status FindEncoded(Bytes values, Bytes except, bool* found);
  // The primary keys of all such rows, each locked exclusively: for those who will change them.
  Status Collect(const uint8_t* record, std::vector<std::string>* row_keys);
  // Have the two records, both as in Find, equal values?
  bool AreEqual(const uint8_t* one, const uint8_t* other);

 private:
  // Is given the primary key of a row that is locked; true: go on with the next one.
  using Take = std::function<bool(Bytes row_key)>;

  bool IsWholePrimaryKey() const;
  Bytes PrefixOf(const uint8_t* record);
  Status Search(Bytes prefix, txn::LockMode mode, const Take& take);
  Status SearchPrimaryKey(Bytes row_key, txn::LockMode mode, const Take& take);
  Status SearchIndex(Bytes prefix, txn::LockMode mode, const Take& take);
  Status LockEntry(txn::LockMode mode, Bytes* row_key, bool* is_there);
  Status LeaveHistoryOut(Bytes row_key, bool* is_there);
  Bytes RowKeyOf(Bytes entry);

  const size_t index_;
  const unsigned parts_;
  const std::optional<RowEnd> row_end_;  // of a system-versioned table
  RowContext context_;
  CursorSet cursors_;
  GuardedScan scan_;
  std::vector<uint8_t> prefix_;    // room for the longest key
  std::vector<uint8_t> row_key_;   // likewise, of the primary key
  std::unique_ptr<RowImage> row_;  // null in a table without system versioning
  std::string end_;                // behind all keys that begin with the prefix
};

}  // namespace basalt::engine
