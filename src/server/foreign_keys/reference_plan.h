// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/database.h"
#include "engine/references/new_references.h"
#include "engine/table.h"
#include "server/foreign_keys/alter_foreign_keys.h"
#include "server/server_headers.h"
#include "server/tables/index_plan.h"

namespace basalt::server {

// How an ALTER in place finds out whether rows have the parents that new foreign keys ask for. The
// statement's thread only.

// Plans for those that the statement adds with foreign_key_checks=1, which CheckForeignKeysInPlace
// has let through; for others *references stays empty. `plan` is that of the table's indexes.
// kNotSupported says why the table has to be copied; errors of opening a parent. The metadata locks
// of the parents are held (LockRelatives).
Status PlanReferences(THD* thd, const std::shared_ptr<engine::Table>& child,
                      const AlteredTable& table, const IndexPlan& plan,
                      std::vector<engine::NewReference>* references);

// Keeps statements that write from tables, by their metadata locks, as long as it lives. Whoever
// has written to one of them has committed, but for what was prepared and lost its connection.
class WriterBarrier {
 public:
  explicit WriterBarrier(THD* thd) : thd_(thd) {}
  ~WriterBarrier();
  WriterBarrier(const WriterBarrier&) = delete;
  WriterBarrier& operator=(const WriterBarrier&) = delete;

  // Waits for those who have written to the table ("database.table", as in the dictionary).
  // kLockTimeout when that takes too long or would be a deadlock, kInterrupted after a KILL; the
  // client may have been told.
  Status Add(const std::string& table);
  // Keeps writers from the table until the statement ends. Results are those of Add.
  static Status Keep(THD* thd, const std::string& table);

 private:
  THD* const thd_;
  std::vector<MDL_ticket*> tickets_;
};

}  // namespace basalt::server
