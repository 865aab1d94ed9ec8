// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "codec/column_set.h"
#include "server/handler/open_table.h"
#include "server/server_headers.h"

namespace basalt::server {

// The columns that the reads of a statement fill in: those that the server asks for, and what the
// engine needs besides.
//
// One thread. Borrows the table.
class WantedColumns {
 public:
  explicit WantedColumns(OpenTable* table) : table_(table) {}

  // The server's read set, the index or the statement has changed.
  void Forget() { known_ = false; }
  bool known() const { return known_; }
  // Finds out again what is wanted, if that was forgotten, and tells the engine's rows.
  // `compares`: rows are going to be compared with bounds, see RowBounds.
  void Learn(bool compares);

  // The rest is valid when it is known.
  const codec::ColumnSet& columns() const { return columns_; }
  // The statement may write rows back that it reads: whole ones, by the key of the row and not of
  // the entry.
  bool may_write() const { return may_write_; }

 private:
  bool EntriesSuffice() const;
  void AddReadSet();
  void AddWhatEntriesLack();
  bool CanBeLeftOut(uint column) const;
  void LeaveOut(uint column) const;
  void AddPrimaryKey();
  void AddVirtualSources(bool compares);

  OpenTable* const table_;
  codec::ColumnSet columns_;
  bool known_ = false;
  bool may_write_ = false;
};

}  // namespace basalt::server
