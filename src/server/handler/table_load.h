// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include "engine/loads/bulk_insert.h"
#include "server/handler/open_table.h"
#include "server/handler/row_references.h"
#include "server/server_headers.h"

namespace basalt::server {

// Does the server itself look for duplicates among the rows? It would not see those of a load.
bool IsKeptUniqueByServer(const TABLE_SHARE& share);

// Rows of one handler that go into a load instead of the write set: those of a connection with
// rocksdb_bulk_load, and those of a statement that has proved large (docs/bulk-load.md).
//
//   row by row --2 MiB, empty table--> past locks and look-ups
//        |
//        +--the writes do not fit into memory--> checked: the writer locks and checks each row and
//                                                leaves its entries to the load
//
// Of a child of foreign keys the parents are looked for many rows at a time: where one is missing,
// the load is over.
//
// Functions with an int result return 0 or a handler error. One thread. Borrows the table and its
// foreign keys.
class TableLoad {
 public:
  TableLoad(OpenTable* table, RowReferences* references) : table_(table), references_(references) {}

  // A statement enters: do its rows go into the load of the connection?
  void BeginStatement(bool into_explicit_load) { into_explicit_load_ = into_explicit_load; }
  // The statement is going to add so many rows (0: nobody knows). It may become a load.
  void Begin(ha_rows rows);
  // It must not: it goes on after duplicates.
  void Forbid() { wanted_ = false; }
  // May a row go into a load? Then Insert says whether it has.
  bool possible() const { return into_explicit_load_ || wanted_ || load_ != nullptr; }
  // Takes the row, when there is a load now that checks nothing row by row: *taken.
  int Insert(const uchar* record, bool* taken);
  // Does the writer leave entries? Then TakeEntries follows each row that it has inserted.
  bool takes_entries() const { return checked_; }
  int TakeEntries();
  // The statement has added all its rows: makes the load part of its transaction.
  int End();
  // The handler is done with the statement, and the server with the record.
  void Reset();

 private:
  int InsertExplicitly(const uchar* record);
  int CheckExplicit(const uchar* record);
  int EndExplicitly();
  int DropExplicit(Status status);
  Status BeginWhenLarge();
  Status BeginOfEmpty();
  Status BeginOfChecked();
  Status BeginLoad(bool checked_rows);
  void Close();
  Status Finish();
  int Fail(Status status);

  OpenTable* const table_;
  RowReferences* const references_;
  bool gathers_ = false;  // between Begin and End
  bool into_explicit_load_ = false;
  bool wanted_ = false;                         // the statement may still become a load
  bool filled_ = false;                         // that of an empty table was asked for, and refused
  bool checked_ = false;                        // the load has rows that the writer has checked
  std::unique_ptr<engine::BulkInsert> load_;    // it has
  std::unique_ptr<engine::BulkInsert> failed_;  // it has failed: record[0] may point into it
};

}  // namespace basalt::server
