// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/reference_copy.h"
#include "engine/indexes/index_walk.h"
#include "engine/table.h"
#include "engine/task_progress.h"
#include "engine/virtual_columns.h"
#include "txn/cursor.h"
#include "txn/transaction.h"

namespace basalt::engine {

// One table of a foreign key, and how its rows are found. Plain data.
struct ReferenceSide {
  std::shared_ptr<Table> table;
  // Begins with the columns of the foreign key and tells their values apart (FindReferenceIndex).
  size_t index = 0;
  VirtualColumns* virtual_columns = nullptr;  // as for RowImage; the parent's are not needed
};

// CHECK TABLE ... EXTENDED: finds the rows of a child whose parent is not there. Statements with
// foreign_key_checks=0 can leave such rows behind.
//
// One pass over the child's index, in a snapshot of its own that Run takes. Rows with the same
// values are neighbours there, so each value is looked up once, in the parent's index. Nothing is
// locked. Rows of history refer to nothing, and are nobody's parent. Rows of the parent do not
// expire; those of the child that have expired are passed over. Memory does not depend on the
// tables.
//
// One thread. What `progress` and the sides borrow must outlive the object.
class OrphanCheck {
 public:
  // The types of the pairs match (codec::TypesMatch). Their order is that of both indexes.
  OrphanCheck(ReferenceSide child, ReferenceSide parent,
              const std::vector<codec::ReferenceCopy::Pair>& pairs, TaskProgress* progress);

  // Ok when the child was looked through, whatever was found. kInterrupted when the progress said
  // stop. kCorruption or kIoError, with table, index and key, when one of the tables cannot be
  // read. Once.
  Status Run();

  uint64_t rows() const { return rows_; }  // without a parent
  // "3 rows without a parent, keys ..., ...": the rows' own keys. Empty for none.
  std::string Line() const;

 private:
  // Reads the rows that entries of one side's index lead to.
  class RowsOfEntries {
   public:
    explicit RowsOfEntries(const ReferenceSide& side);
    // *alive: there is a row that can be decoded, and it is not history. Then record() is the row.
    Status Read(txn::Transaction* transaction, Bytes key, Bytes value, bool* alive);
    const uint8_t* record() const { return image_.record(); }
    // The key of the entry's row, valid until the next call.
    Bytes RowKeyOf(Bytes entry);

   private:
    bool IsAlive() const;

    const ReferenceSide& side_;
    RowImage image_;
    std::vector<uint8_t> row_key_;   // room for the longest key
    rocksdb::PinnableSlice pinned_;  // the row's value: BLOB columns of the record point into it
  };

  Status Proceed();
  Status CheckEntry(Bytes key, Bytes value);
  Status LookForParent();
  void Add(Bytes key);

  const ReferenceSide child_;
  const ReferenceSide parent_;
  const unsigned parts_;
  const codec::ReferenceCopy copy_;
  TaskProgress* const progress_;
  const std::unique_ptr<txn::Transaction> transaction_;
  RowsOfEntries child_rows_;
  RowsOfEntries parent_rows_;
  txn::Cursor parents_;
  std::vector<uint8_t> wanted_;  // a record of the parent, with the values to look for
  std::vector<uint8_t> prefix_;  // room for the parent's longest key

  std::string values_;           // the beginning of the entries that were looked up last
  bool without_parent_ = false;  // the result
  uint64_t done_ = 0;            // entries
  uint64_t rows_ = 0;
  std::vector<std::string> first_keys_;
};

}  // namespace basalt::engine
