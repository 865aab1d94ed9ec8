// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/foreign_key_map.h"
#include "engine/checks/orphan_check.h"
#include "engine/table.h"
#include "engine/task_progress.h"
#include "server/server_headers.h"

namespace basalt::server {

// The table that CHECK TABLE ... EXTENDED has open. Plain data.
struct CheckedChild {
  std::shared_ptr<engine::Table> table;
  const TABLE* definition = nullptr;
  engine::VirtualColumns* virtual_columns = nullptr;  // as for engine::RowImage
};

// What CHECK TABLE ... EXTENDED says of a table's foreign keys: rows whose parent is not there,
// parents that are not there at all, and what keeps a foreign key from being checked. None of it
// is damage: the table stays usable.
//
// The statement's thread only; what the child and `progress` borrow must outlive the object.
class OrphanReport {
 public:
  OrphanReport(THD* thd, CheckedChild child, engine::TaskProgress* progress);

  // Stages that Run reports: one for each foreign key, after those of the check before.
  unsigned stages() const;
  // Goes through the foreign keys one by one. Takes the metadata locks of the parents, until the
  // statement ends. Ok when all were looked at; kInterrupted when the statement was killed;
  // kLockTimeout when a parent's metadata lock could not be had.
  Status Run();
  // A line for each foreign key with findings, ready for the client.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  Status CheckOne(const catalog::ForeignKey& foreign);
  Status CheckWithOther(const catalog::ForeignKey& foreign);
  Status Search(const catalog::ForeignKey& foreign, const std::shared_ptr<engine::Table>& parent,
                const std::optional<std::vector<uint32_t>>& to);
  void AddLine(const catalog::ForeignKey& foreign, const std::string& text);

  THD* const thd_;
  const CheckedChild child_;
  engine::TaskProgress* const progress_;
  const catalog::ForeignKeyMap::Keys keys_;  // null: the table has none
  std::vector<std::string> lines_;
};

}  // namespace basalt::server
