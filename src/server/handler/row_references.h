// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "catalog/foreign_key_map.h"
#include "engine/database.h"
#include "engine/rows/write_guard.h"
#include "engine/task_progress.h"
#include "server/handler/cascade.h"
#include "server/handler/open_table.h"
#include "server/handler/row_reference.h"
#include "server/server_headers.h"

namespace basalt::server {

// The foreign keys of one open table: those that it has, and those that refer to it. They count for
// statements that write it with foreign_key_checks=1. A table without any costs the comparison of
// two numbers for each statement.
//
// Of a copying ALTER only the foreign keys that it adds count: rows had the others before. Those of
// a copy to itself wait until all its rows are there. One thread. Borrows the table and the
// database.
class RowReferences final : public engine::WriteGuard {
 public:
  using References = std::vector<std::unique_ptr<RowReference>>;

  RowReferences(OpenTable* table, engine::Database* database)
      : table_(table), database_(database) {}

  // A statement that writes, or only reads, enters; then it leaves.
  void BeginStatement(bool writes);
  void EndStatement();

  // Must rows have parents? Do others refer to rows?
  bool is_child() const { return active_ && !parents_.empty(); }
  bool is_parent() const { return active_ && !children_.empty(); }
  // Rows of a load find no parent among themselves.
  bool refers_to_itself() const;

  // For the writer: checks the row that is added, or the columns of it that are changed. Null when
  // there is nothing to check. It counts until the next call; the records are borrowed.
  engine::WriteGuard* ForInsert(const uchar* record) { return ForUpdate(nullptr, record, Bytes()); }
  // `row_key`: the primary key of the row before the update.
  engine::WriteGuard* ForUpdate(const uchar* before, const uchar* after, Bytes row_key);
  // kNoReferencedRow when a parent is missing, errors of locks and of the store, and kInternal when
  // a reaction has failed. In the order of InnoDB: index by index.
  Status Check(size_t index) override;
  // All of a row that goes into a load, where the writer does not see it. Results as those of
  // Check, for this row or an earlier one: parents are looked for many at a time. CheckGathered
  // looks for the last ones, before the load ends. `transaction` as in RowReference::Begin.
  Status Gather(const uchar* record, txn::Transaction* transaction);
  Status CheckGathered();

  // Are there foreign keys that wait for the copy's last row?
  bool waits_for_all_rows() const { return active_ && !of_copy_.empty(); }
  // Looks for the parents of all rows, which have been committed, among these rows; nothing is
  // locked. kNoReferencedRow when one is missing, kInterrupted when the progress said stop,
  // kCorruption and kIoError of the store.
  Status CheckAllRows(engine::TaskProgress* progress);

  // The next update is of a parent's row. `react` is called for each of the changes that it means
  // to children, at the index that they refer to; what it returns is a handler error. EndReactions
  // returns the first one. Both are borrowed until then.
  using Reaction = std::function<int(const ChildChange&)>;
  void ReactWith(const std::vector<ChildChange>* changes, Reaction react);
  int EndReactions();
  bool has_failed() const { return changes_ != nullptr && reaction_error_ != 0; }
  // kRowIsReferenced when a child has rows that the change is about.
  static Status CheckChild(const ChildChange& change);
  // Rows are going to be changed by this step of a cascade: of its foreign key the parent gets its
  // new value behind them. Null: no longer. Borrowed. Returns what counted so far.
  const CascadeStep* ReplaceStep(const CascadeStep* step) { return std::exchange(step_, step); }
  // Null: it is the statement itself that changes rows.
  const CascadeStep* step() const { return step_; }

  // As a parent, in the order in which InnoDB looks at them: by index, child's database and name.
  const References& children() const { return children_; }

 private:
  void Load();
  void LoadParents();
  void LoadChildren();
  bool IsKeptByAlter(const catalog::ForeignKey& foreign) const;
  bool IsOfCopy(const catalog::ForeignKey& foreign) const;
  Status CheckAllRowsOf(const RowReference& reference, engine::TaskProgress* progress);
  Status CheckParent(RowReference* reference);
  Bytes RowThatDoesNotCount(const RowReference& reference) const;
  Status React(size_t index);

  OpenTable* const table_;
  engine::Database* const database_;
  bool active_ = false;
  uint64_t generation_ = 0;  // of what was loaded, see catalog::ForeignKeys
  References parents_;
  References of_copy_;  // see CheckAllRows
  References children_;
  const uchar* before_ = nullptr;  // null: an insert
  const uchar* after_ = nullptr;
  std::string row_key_;                                // before the update
  const std::vector<ChildChange>* changes_ = nullptr;  // of children
  Reaction react_;
  int reaction_error_ = 0;
  const CascadeStep* step_ = nullptr;
};

}  // namespace basalt::server
