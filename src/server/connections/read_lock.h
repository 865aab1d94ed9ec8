// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "server/server_headers.h"
#include "txn/transaction.h"

namespace basalt::server {

// Which locks a statement takes on the rows that it finds in one open table, as InnoDB decides it.
// docs/locking.md has the rule as a table.
//
//   kNone       the rows are those of a snapshot
//   kShared     they are the latest committed ones, and stay so until the transaction ends
//   kExclusive  likewise; the statement may change them
//
// The statements of a stored function or a trigger find their tables opened by the statement that
// calls it. Then the choice was made when the table was opened: by the calling statement's kind.
//
// Used by the connection's thread only. Cannot fail.
class ReadLock {
 public:
  enum class Kind : uint8_t { kNone, kShared, kExclusive };

  // The statement opens the table with this lock type.
  Kind Open(THD* thd, thr_lock_type type, const txn::Transaction& transaction);
  // The statement uses a table that was opened before it: by a statement that calls a function or a
  // trigger, or by LOCK TABLES.
  Kind Reuse(THD* thd, thr_lock_type type, const txn::Transaction& transaction) const;

 private:
  Kind opened_ = Kind::kNone;
};

}  // namespace basalt::server
