// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/status.h"
#include "codec/table_descriptor.h"
#include "engine/table.h"
#include "engine/task_progress.h"
#include "server/server_headers.h"

namespace basalt::server {

// Does an ALTER in place bring a CHECK that rows of the table might break? Not with
// check_constraint_checks=0, and not where the CHECK is about new columns only and what the rows
// get in them obeys it: the first record image of `altered` has that (FindDefaultValue).
bool MustCheckRows(const TABLE& altered, const Alter_inplace_info& info);

// Reads all rows of a table, or of one partition, as they are going to be, and looks whether they
// obey its CHECK constraints, as a copy does. The statement's thread.
class ConstraintCheck {
 public:
  // `target` describes the altered table and has the layout of the rows and the version of the
  // primary key. All are borrowed.
  ConstraintCheck(const engine::Table* table, const codec::TableDescriptor* target, TABLE* altered,
                  engine::TaskProgress* progress);
  ConstraintCheck(const ConstraintCheck&) = delete;
  ConstraintCheck& operator=(const ConstraintCheck&) = delete;

  // Nobody may be writing. kInvalidArgument when a row breaks a CHECK: the client has been told.
  // kCorruption, kInterrupted after a KILL, or an error of the store.
  Status Run();

 private:
  Status CheckRows();
  Status CheckRow(const uint8_t* record);
  void ListVirtualColumns();

  const engine::Table& table_;
  const codec::TableDescriptor& target_;
  TABLE* const altered_;
  engine::TaskProgress* const progress_;
  std::vector<Field*> virtual_columns_;  // that constraints look at, in the order to compute them
};

}  // namespace basalt::server
