// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

#include "server/handler/open_table.h"
#include "server/server_headers.h"

namespace basalt::server {

// The versions of rows of one open table that is versioned by transaction. For time stamps the
// server does all of this itself. Here it asks the engine to give rows the ids of the transactions
// in which they begin and end, and to keep the old ones.
//
//   insert  the row begins with this transaction, and ends never.
//   update  the new row begins with this transaction; the old one becomes history, unless it has
//           begun in this transaction. (The server asks for it even where no value changes, but
//           not where only columns WITHOUT SYSTEM VERSIONING are set: versioned_write is false.)
//   delete  the row becomes history, unless it has begun in this transaction: then it goes
//
// Call only while the table's versioned_write(VERS_TRX_ID) holds. Functions with an int result
// return 0 or a handler error. One thread. Borrows the table.
class RowVersions {
 public:
  explicit RowVersions(OpenTable* table) : table_(table) {}

  // Rows are going to be copied into the table. (Call it in any case.) As with InnoDB an ALTER that
  // adds the versioning goes into the registry, also when there are no rows.
  int BeginCopy();
  // Gives the row its ids, in the record.
  int BeginInsert(const uchar* record);
  // Gives the ids to the row that `after` is to be. *history: `before` is to stay as history.
  int BeginUpdate(const uchar* before, const uchar* after, bool* history);
  // *ended: the row as history, to be written in its place. It lives until the next call. Null: the
  // row goes.
  int BeginDelete(const uchar* record, const uchar** ended);
  // One of these has been written.
  void NoteRow();

  // While it lives, the record is history that ends with this transaction.
  class Ended {
   public:
    Ended(const RowVersions& versions, const uchar* record);
    ~Ended();
    Ended(const Ended&) = delete;
    Ended& operator=(const Ended&) = delete;

   private:
    uchar* const end_;
    const ulonglong before_;
  };

 private:
  int Begin(uint64_t* id);

  OpenTable* const table_;
  uint64_t id_ = 0;                 // of the running transaction
  query_id_t checked_ = 0;          // the statement that CheckLoggedAsStatement has let pass
  std::basic_string<uchar> ended_;  // see BeginDelete
};

}  // namespace basalt::server
