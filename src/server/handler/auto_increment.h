// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "server/handler/index_reader.h"
#include "server/handler/open_table.h"
#include "server/server_headers.h"

namespace basalt::server {

// The AUTO_INCREMENT counter of a table, as one handler uses it. The counter itself is
// engine::TableCounters'.
//
// Functions with an int result return 0 or a handler error. One thread. Borrows table and reader.
class AutoIncrement {
 public:
  AutoIncrement(OpenTable* table, IndexReader* reader) : table_(table), reader_(reader) {}

  // Reserves `wanted` values of the series, or fewer: *wanted says how many. Returns the first;
  // ULONGLONG_MAX: there are none. `first_time`: the statement has not asked before.
  ulonglong Reserve(ulonglong offset, ulonglong increment, bool first_time, ulonglong* wanted);
  // Moves the counter past the value that the row really has, whether generated or given.
  void NoteRow(const uchar* record);
  // The row was refused for a duplicate; some statements use up its value.
  void NoteRefused(const uchar* record);
  // Makes the counter known, with or without a statement that uses the table.
  int Learn() { return table_->rows()->bound() ? Derive() : DeriveOutsideStatement(); }

 private:
  int Derive();
  int DeriveOutsideStatement();
  Status FindLargest(uint64_t* largest);

  OpenTable* const table_;
  IndexReader* const reader_;
};

}  // namespace basalt::server
