// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include "base/status.h"
#include "engine/database.h"
#include "server/server_headers.h"
#include "txn/transaction.h"

namespace basalt::server {

// A connection's transaction for sequences. What it writes is given neither back nor away with the
// connection's own transaction. It takes no snapshot and no locks.
//
//   first sequence of a statement ---> Begin
//   each row written              ---> Commit: visible and durable before the value is given
//   end of the statement          ---> End
//
// Of one connection, used by its thread.
class SequenceTransaction {
 public:
  // Both must outlive this object. The transaction itself is made at need.
  SequenceTransaction(THD* thd, engine::Database* database) : thd_(thd), database_(database) {}

  // Makes it active, if it is not; it stays so until End. Never null; owned by this object.
  txn::Transaction* Begin();
  // Of a row whose write ended with `written`: commits it, and of a failed one nothing stays.
  // Active again afterwards, for the next row. Returns `written`, or why the commit failed.
  Status Commit(Status written);
  // Rolls back what is not committed. Nothing to do when it is not active.
  void End();

 private:
  THD* const thd_;
  engine::Database* const database_;
  std::unique_ptr<txn::Transaction> transaction_;
};

}  // namespace basalt::server
