// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/status.h"
#include "catalog/version_ids.h"
#include "server/server_headers.h"

namespace basalt::server {

// What a connection's transaction has done to tables versioned by transaction, and its ids. The
// server writes them into mysql.transaction_registry, a table of InnoDB, right before the commit:
//
//   first such row              ---> GetBeginId: the id that is the start of its life
//   hton->prepare_commit_versioned -> TakeCommitId; then the server writes the row of the registry
//   prepare of this engine      ---> PrepareRegistry     } the server does not know yet, there,
//   commit without a prepare    ---> CommitRegistry      } that InnoDB takes part
//   rollback                    ---> NoteRollback: the server may have failed to write the row
//
// So after a crash there is no version without its row in the registry. There may be a row of a
// transaction that was in flight and was not committed.
//
// Of one connection, used by its thread.
class VersionedTransaction {
 public:
  // Both must outlive this object.
  VersionedTransaction(THD* thd, catalog::VersionIds* ids) : thd_(thd), ids_(ids) {}

  // The transaction has ended; the server may ask for a commit before the next one begins.
  void End();
  void BeginStatement() { statement_rows_ = rows_; }
  void RollbackStatement() { rows_ = statement_rows_; }

  // The id of the transaction, given to it at the first call. Fails as catalog::VersionIds::Take.
  Status GetBeginId(uint64_t* id);
  // A row has begun or ended its life in this transaction.
  void NoteRow() { ++rows_; }
  // How many have, for savepoints; and back to where one was set.
  uint64_t rows() const { return rows_; }
  void RollbackTo(uint64_t rows) { rows_ = rows; }

  // The transaction is going to be committed: the id of that, and *begin; 0 when it has no such
  // rows. After a failure 0, too, and Check says why: the commit must fail.
  ulonglong TakeCommitId(ulonglong* begin);
  // Of TakeCommitId. kNotSupported when a transaction with such rows has got no id of its commit:
  // of XA PREPARE the server asks none, and of two engines only one.
  Status Check(bool user_xa);
  // Makes InnoDB prepare, or commit, the row of the registry, where the server has not or will only
  // do it behind this engine. Nothing to do without such a row. `all` as the server gives it.
  Status PrepareRegistry(bool all);
  Status CommitRegistry(bool all);
  // The server rolls a statement or the transaction back: before End. After TakeCommitId that means
  // that the commit has failed. Two faults of the server, which InnoDB's tables have, are undone:
  // - A commit that is killed, or the victim of a deadlock, while the server opens the registry
  //   makes the server switch the registry off: all commits after it fail, until the next start
  //   (error 4133). TakeCommitId switches it on again.
  // - Of a registry with other columns than it should have the server tells the error log only, and
  //   acknowledges the commit that it rolls back. Here an error is raised if there is none.
  void NoteRollback();

 private:
  bool CommitWasInterrupted() const;
  handlerton* InnoDbWithRegistry() const;
  Ha_trx_info* ShareOf(const handlerton& engine) const;

  THD* const thd_;
  catalog::VersionIds* const ids_;
  uint64_t begin_id_ = 0;
  uint64_t commit_id_ = 0;
  uint64_t rows_ = 0;
  uint64_t statement_rows_ = 0;
  bool innodb_was_part_ = false;  // had written, before the registry
  Status failure_;
};

}  // namespace basalt::server
