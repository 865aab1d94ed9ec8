// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <utility>

#include "codec/row_change.h"
#include "engine/rows/read_intent.h"
#include "engine/table.h"
#include "engine/ttl_clock.h"
#include "engine/virtual_columns.h"
#include "txn/transaction.h"

namespace basalt::engine {

// What the parts of a RowAccess have in common: the table, and the statement that uses it now.
//
// One thread at a time. Between Begin and End there is an active transaction, which is borrowed.
class RowContext {
 public:
  explicit RowContext(std::shared_ptr<Table> table)
      : table_(std::move(table)), ttl_clock_(*table_) {}

  void Begin(txn::Transaction* transaction, const ReadIntent& intent) {
    transaction_ = transaction;
    SetIntent(intent);
    ttl_clock_.Begin();
  }
  void End() { transaction_ = nullptr; }
  // In a table without locks the intent never is to lock.
  void SetIntent(const ReadIntent& intent) {
    intent_ = intent;
    intent_.lock = intent.lock && !table_->lockless();
    intent_.repeatable = intent.repeatable && intent_.lock;
    intent_.awaits_entries = intent.awaits_entries && intent_.lock;
  }
  void SetVirtualColumns(VirtualColumns* columns) { virtual_columns_ = columns; }

  Table& table() const { return *table_; }
  // Null between End and Begin.
  txn::Transaction* transaction() const { return transaction_; }
  const ReadIntent& intent() const { return intent_; }
  TtlClock& ttl_clock() { return ttl_clock_; }
  // Null in a table that has no index with virtual columns.
  VirtualColumns* virtual_columns() const { return virtual_columns_; }

  // Do reads of rows show the latest committed state, and not the snapshot's?
  bool ReadsLatest() const { return intent_.lock || table_->lockless(); }
  // Do scans? Where conflicts are detected, a locking scan goes by the snapshot.
  bool ScansLatest() const {
    return table_->lockless() || (intent_.lock && !transaction_->detects_conflicts());
  }
  txn::View view() const { return ReadsLatest() ? txn::View::kLatest : txn::View::kSnapshot; }
  // The transaction's uncommitted writes among which those to the table's rows are.
  txn::WriteSet& writes() const { return transaction_->writes().Of(table_->primary().family); }
  bool IsPrimary(size_t index) const { return index == table_->primary_position(); }

  // Locks a row that is about to be changed, exclusively.
  Status LockForWrite(Bytes primary_key) const;
  // Is the row locked as LockForWrite does, or needs it no lock?
  bool IsLockedForWrite(Bytes primary_key) const;
  // Are indexes of the table being built, so that changes must be logged?
  bool LogsChanges() const { return table_->counters().change_log().is_open(); }
  // Adds a change of a row to the table's log. The row is locked, and has been written. Only where
  // LogsChanges; without effect when the log has been closed since.
  Status LogChange(const codec::RowChange& change) const;
  // The status of a row that is missing although an entry of `index` led to it in the same view:
  // kNotFound where rows expire before their entries, else kCorruption.
  Status EntryWithoutRow(size_t index, Bytes row_key) const;

 private:
  const std::shared_ptr<Table> table_;
  TtlClock ttl_clock_;
  txn::Transaction* transaction_ = nullptr;
  ReadIntent intent_;
  VirtualColumns* virtual_columns_ = nullptr;
};

}  // namespace basalt::engine
