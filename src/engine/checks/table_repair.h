// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/checks/removed_rows.h"
#include "engine/checks/table_check.h"
#include "engine/table.h"
#include "engine/task_progress.h"

namespace basalt::engine {

// What a repair does.
//   quick     builds those secondary indexes anew in which the check found something
//   medium    builds all of them anew
//   extended  the same; then takes rows that cannot be decoded out of the table, after having
//             written them to a file
// Without kExtended a table with such rows is not touched: indexes built now would lack them, and
// statements would miss them without an error. A table whose rows cannot be read to their end
// (damaged blocks) is not touched in any case.
enum class RepairDepth : uint8_t { kQuick, kMedium, kExtended };

// REPAIR TABLE: checks, mends from the rows what can be mended, checks again. The rows are the
// truth; a repair never changes one, and never makes one up from an index.
//
// The caller holds the exclusive metadata lock. One thread. `progress` and `virtual_columns` (null
// as for RowImage) must outlive the object.
class TableRepair {
 public:
  TableRepair(std::shared_ptr<Table> table, RepairDepth depth, TaskProgress* progress,
              VirtualColumns* virtual_columns);

  // Most stages that Run reports.
  unsigned max_stages() const;
  // Ok: carried out as far as the table allows; healthy() says how it is now. Otherwise as
  // IndexRebuild::Run; the table is then as before, or its indexes are new and only the removal of
  // rows has failed (their file says how far it came).
  Status Run();
  bool healthy() const { return healthy_; }
  // The table with its new indexes; the one given when none was built.
  const std::shared_ptr<Table>& table() const { return table_; }

  // For the client: what was wrong, what has been done, what is wrong still.
  const std::vector<std::string>& found() const { return found_; }
  const std::vector<std::string>& done() const { return done_; }
  const std::vector<std::string>& left() const { return left_; }

 private:
  Status Check(std::unique_ptr<TableCheck>* check, std::vector<std::string>* lines);
  std::vector<size_t> IndexesToBuild(const TableCheck& check) const;
  Status Rebuild(const std::vector<size_t>& indexes);
  Status RemoveUndecodable();
  Status RemoveBatch(rocksdb::WriteBatch* batch, RemovedRows* removed);

  std::shared_ptr<Table> table_;
  const RepairDepth depth_;
  TaskProgress* const progress_;
  VirtualColumns* const virtual_columns_;
  bool healthy_ = false;
  std::vector<std::string> found_;
  std::vector<std::string> done_;
  std::vector<std::string> left_;
};

}  // namespace basalt::engine
