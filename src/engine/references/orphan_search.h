// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "codec/key_codec.h"
#include "codec/reference_copy.h"
#include "codec/row_change.h"
#include "codec/row_codec.h"
#include "codec/row_decoder.h"
#include "codec/table_descriptor.h"
#include "engine/table.h"
#include "txn/cursor.h"
#include "txn/transaction.h"

namespace basalt::engine {

// A table with its rows as they are going to be read: by another definition than the open table's,
// when a statement changes that. All is borrowed. Plain data.
struct RowSource {
  const Table& table;
  const codec::TableDescriptor& descriptor;
  const codec::KeyCodec& primary;
  const codec::RowCodec& rows;
};

// Some columns of the rows of a table. Reused from row to row. One thread.
class ColumnImage {
 public:
  // Those that are wanted, and the one that tells history from rows of today.
  ColumnImage(const RowSource& source, const std::vector<uint32_t>& wanted);

  // kCorruption, with table and key, when the bytes contradict the format.
  Status Decode(Bytes key, Bytes value);
  const uint8_t* record() const { return record_.data(); }
  // Is the row one of today? Rows of history refer to nothing, and nothing refers to them.
  bool IsAlive() const;

 private:
  const RowSource source_;
  codec::RowDecoder decoder_;
  std::vector<uint8_t> record_;
};

// Looks for rows of a child that have no parent, for one foreign key that is being added while
// others write both tables.
//
// It is told of rows of the child, each of which may lack a parent, and of rows that the parent no
// longer has, each of which may have left children behind. What it is told it gathers. Check takes
// a state that is committed by then, the reader's snapshot, and looks there for the parents
// of all that was gathered, in the order of the parent's index: neighbours share a look-up, and
// most moves of the cursor are steps. Where a parent is missing it looks at the child again, in the
// same state. So what it finds is an orphan of that state, whatever came between.
//
// Nothing is locked. Rows that have expired in that state, rows of history and those with NULL in a
// column of the foreign key are no orphans. Rows of the parent do not expire. Memory is bounded by
// kEnoughBytes if Check is called when full() says so.
//
// One thread. Borrows what it is made with.
class OrphanSearch {
 public:
  // The index of the child that begins with the columns of the foreign key, maybe one that is being
  // built: then it has the rows that it has been given so far. `codec` is of the source's
  // descriptor.
  struct ChildIndex {
    IndexId id;
    rocksdb::ColumnFamilyHandle* family = nullptr;
    bool reverse = false;
    const codec::KeyCodec* codec = nullptr;
    std::string name;  // for messages
  };
  // An index of the parent that begins with the columns and tells their values apart.
  struct Parent {
    std::shared_ptr<Table> table;
    size_t index = 0;
  };

  // The pairs, in the order of both indexes, are of columns that are stored, of matching types; the
  // child's columns are those of the source's descriptor.
  OrphanSearch(const RowSource& child, const ChildIndex& child_index, Parent parent,
               const std::vector<codec::ReferenceCopy::Pair>& pairs);
  ~OrphanSearch();
  OrphanSearch(const OrphanSearch&) = delete;
  OrphanSearch& operator=(const OrphanSearch&) = delete;

  // A row of the child, by its primary key and a record with the columns of the foreign key.
  void AddChild(Bytes row_key, const uint8_t* record);
  // The change of a row of the parent, as it was and as it is; both may be missing. What has kept
  // its values is passed over. kCorruption when one cannot be decoded.
  Status AddParent(const codec::RowChange& change);
  bool full() const { return bytes_.size() >= kEnoughBytes; }

  // Asked now and then; false: stop, with kInterrupted.
  using GoesOn = std::function<bool()>;
  // Nothing is gathered afterwards. *orphan: one was found, and the rest not looked at. kCorruption
  // and errors of the store, with table, index and key. The reader's transaction is active, and was
  // begun after all that was gathered had been committed.
  Status Check(txn::Transaction* reader, const GoesOn& goes_on, bool* orphan);

  // The positions of the columns on the child's side, and those of the parent's.
  static std::vector<uint32_t> ColumnsOf(const std::vector<codec::ReferenceCopy::Pair>& pairs,
                                         uint32_t codec::ReferenceCopy::Pair::*side);

 private:
  static constexpr size_t kEnoughBytes = 4u << 20;

  // Bytes of the parent's values; behind them the key of the child's row, or the child's values.
  struct Suspect {
    size_t offset;
    uint32_t parent_bytes;  // 0: no parent can have the values
    uint32_t child_bytes;
    bool is_row;
  };

  // What Check looks at.
  struct State {
    txn::Transaction* reader = nullptr;
    uint64_t now = 0;  // of its snapshot
    const GoesOn* goes_on = nullptr;
  };

  Bytes ParentOf(const Suspect& suspect) const {
    return Bytes(bytes_).substr(suspect.offset, suspect.parent_bytes);
  }
  Bytes ChildOf(const Suspect& suspect) const {
    return Bytes(bytes_).substr(suspect.offset + suspect.parent_bytes, suspect.child_bytes);
  }
  void Add(Bytes parent, Bytes child, bool is_row);
  void Sort();
  Bytes ParentPrefix(const uint8_t* parent_record);
  Status DecodeParent(const codec::RowChange::Row& row, Bytes* values);
  Status CheckSuspects(bool* orphan);
  Status Proceed();
  Status CheckSuspect(const Suspect& suspect, bool* orphan);
  Status CheckRow(Bytes row_key, bool* orphan);
  Status CheckChildrenWith(Bytes values, bool* orphan);
  Status FindParent(Bytes values, bool* found);
  Status IsRowOfToday(Bytes entry, bool* alive);

  const RowSource child_;
  const ChildIndex child_index_;
  const Parent parent_;
  const unsigned parts_;
  const codec::ReferenceCopy to_parent_;
  const codec::ReferenceCopy to_child_;
  ColumnImage child_row_;
  ColumnImage parent_row_;
  txn::Cursor parents_;
  txn::Cursor children_;
  State state_;
  uint64_t looks_ = 0;  // at rows and parents

  std::string bytes_;
  std::vector<Suspect> suspects_;
  std::vector<uint8_t> parent_record_;  // with values of a child
  std::vector<uint8_t> child_record_;   // with values of a parent
  std::vector<uint8_t> prefix_;         // room for the parent's longest key
  std::vector<uint8_t> child_prefix_;   // room for the longest key of the child's index
  std::vector<uint8_t> row_key_;        // room for the child's longest primary key
  std::vector<uint8_t> parent_key_;     // and for the parent's
};

}  // namespace basalt::engine
