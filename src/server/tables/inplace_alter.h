// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include "base/status.h"
#include "catalog/table_record.h"
#include "engine/indexes/index_build.h"
#include "engine/references/new_references.h"
#include "engine/table.h"
#include "server/measures/statement_progress.h"
#include "server/server_headers.h"
#include "server/tables/index_plan.h"
#include "server/tables/row_converter.h"
#include "server/tables/virtual_parts.h"

namespace basalt::server {

// An ALTER in place that gives a table, or one partition, other indexes or columns: from its
// preparation to its end. The server keeps it between its calls and destroys it; what it has not
// committed by then was aborted.
//
// The connection's thread only.
class InplaceAlter final : public inplace_alter_handler_ctx {
 public:
  // `altered` is the server's definition of what the table becomes. `converter` makes its rows when
  // the plan rebuilds the table; else null. Borrowed are `altered` and `thd`.
  InplaceAlter(std::shared_ptr<engine::Table> table, TABLE* altered, IndexPlan plan,
               std::unique_ptr<RowConverter> converter, THD* thd);
  InplaceAlter(const InplaceAlter&) = delete;
  InplaceAlter& operator=(const InplaceAlter&) = delete;

  // Numbers for the new indexes, and a log for who writes from now on; nothing to do when none is
  // new. Nobody may be writing.
  Status Prepare();
  // Fills them; see engine::IndexBuild. A duplicate has been told to the client when it returns
  // kDuplicateKey. Before that rows are checked, if they have to be; see ConstraintCheck and
  // engine::NewReferences, whose parents have been begun.
  Status Build();
  // After Build: applies what others have committed meanwhile. *applied: how many changes.
  Status ApplyChanges(uint64_t* applied);
  // As IndexBuild::FlushApplied.
  Status FlushApplied(bool* written);
  // The rest of it, while nobody writes. Duplicates as in Build.
  Status Complete();
  // The primary index that the table is going to have; none: it keeps its own.
  const catalog::IndexRecord* new_primary() const;
  // The foreign keys that are new and whose rows are looked at; null: there are none. After
  // Prepare.
  engine::NewReferences* references() const { return references_.get(); }
  // The table has its indexes: the logs of changes are not needed any more.
  Status EndLog();
  const engine::Table& table() const { return *table_; }
  // Does Build look at all rows, so that nobody may write meanwhile?
  bool checks_rows() const { return plan_.checks_rows; }
  // What the dictionary is to know of the table: for Catalog::ReplaceIndexes.
  catalog::TableRecord Replacement() const;
  // Ends without a change. Any number of times.
  Status Abort();

 private:
  Status CheckRows();
  Status BeginBuild();
  Status LookForParents();
  Status LookAtChanges(uint64_t* applied);
  Status ReportDuplicate(Status status);

  const std::shared_ptr<engine::Table> table_;
  TABLE* const altered_;
  const IndexPlan plan_;
  const std::unique_ptr<RowConverter> converter_;
  THD* const thd_;
  VirtualParts virtual_parts_;
  std::unique_ptr<StatementProgress> progress_;
  std::unique_ptr<engine::IndexBuild> build_;  // null: nothing is built
  bool filled_ = false;
  std::unique_ptr<engine::NewReferences> references_;
};

}  // namespace basalt::server
