// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engine/table_counters.h"
#include "server/connections/sequence_transaction.h"
#include "server/connections/session_load.h"
#include "server/connections/unsynced_definitions.h"
#include "server/connections/versioned_transaction.h"
#include "server/measures/perf_counters.h"
#include "server/measures/row_counters.h"
#include "server/measures/statement_work.h"
#include "server/server_headers.h"
#include "txn/transaction.h"

namespace basalt::server {

// What the engine knows of one connection: its transaction, and where the running statement
// stands. Made at the connection's first use of a table, freed when the connection ends.
//
//   first table of a statement ---> BeginStatement: registers with the server, begins
//   hton->commit / rollback    ---> the functions of the second group end what was begun
//
// Used by the connection's thread; Interrupt by any; CommitOrdered by the thread that leads a
// group commit, while the connection's own thread waits for it.
class Session {
 public:
  // The session of the connection, made when missing; the database outlives it. Null when memory is
  // short.
  static Session* Of(THD* thd, engine::Database& database);
  // Null when the connection has not used the engine yet.
  static Session* IfAny(THD* thd);
  // Calls `visit` for every connection that has one; it lives as long as the call. Any thread.
  static void ForEach(const std::function<void(THD*, const Session&)>& visit);
  // What all connections have done since the start, those that have ended included. Any thread.
  static RowCounts TotalRowCounts();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Never null. Active between BeginStatement and the end of the transaction.
  txn::Transaction* transaction() const { return transaction_.get(); }
  // Since the connection began. Any thread that keeps the session alive.
  WorkSums Work() const;
  // The running statement's share of it.
  const StatementWork& statement_work() const { return statement_work_; }

  // For values of sequences, beside transaction(). Ended with each statement.
  SequenceTransaction* sequences() { return &sequences_; }
  // The rows of rocksdb_bulk_load, beside transaction(). Finished at the latest when the connection
  // ends.
  SessionLoad* load() { return &load_; }

  // What transaction() does to tables versioned by transaction.
  VersionedTransaction* versions() { return &versions_; }

  // A table of the statement is about to be used: makes the transaction active, frames the
  // statement, tells the server that the engine takes part. Cheap from the second table on.
  // Refreshes what a statement can change: lock wait timeout, use of the block cache.
  void BeginStatement();
  // Tables in use, counted by external_lock.
  void TableLocked() { ++tables_in_use_; }
  // After the last table was given back: ends a transaction that the server has not ended, which
  // happens when it reads tables outside statements. Returns a handler error.
  int TableUnlocked();
  // START TRANSACTION WITH CONSISTENT SNAPSHOT.
  Status TakeSnapshot();

  // --- The ends, called by the functions of the handlerton; `all` as the server gives it ---
  int Prepare(bool all);
  void CommitOrdered(bool all);
  int Commit(bool all);
  int Rollback(bool all);
  // The connection ends. A prepared transaction goes on without it, everything else is undone.
  void Disconnect();

  // What the server keeps for a savepoint; plain bytes there.
  struct SavepointPlace {
    txn::Transaction::Savepoint transaction;
    uint64_t versioned_rows;
  };
  int SetSavepoint(void* place);
  int RollbackToSavepoint(void* place);
  int ReleaseSavepoint(void* place);

  // A failed lock wait decides how much of the transaction survives: tells the server to roll all
  // of it back after a deadlock, the statement otherwise.
  void NoteFailure(Code code);

  // The key that the last failed write of the connection collided in. Not in the handler: after a
  // row could not move to another partition, the server asks the handler of a third one.
  unsigned duplicate_index() const { return duplicate_index_; }
  void set_duplicate_index(unsigned index) { duplicate_index_ = index; }

  // The transaction has changed rows of the table; told to it when they are committed. Called once
  // for each statement and table.
  void NoteChange(const std::shared_ptr<engine::TableCounters>& table);

  // Of the running statement: while it is active, HandOver is called for each row, with the primary
  // key of its table. What the commit adds goes to the last one.
  StatementMeasure* measure() { return &measure_; }
  // Of this connection; its thread counts.
  RowCounters* row_counters() { return &row_counters_; }

  void Interrupt();

  // What the running statement does to files; synced when the server commits it or rolls it back.
  UnsyncedDefinitions* unsynced_definitions() { return &unsynced_definitions_; }

 private:
  Session(THD* thd, engine::Database& database);

  // The running statement uses the engine, with a table or without one.
  void NoteStatement() { statement_work_.Begin(thd_->query_id, Work()); }
  bool EndsTransaction(bool all) const;
  void BeginTransaction();
  bool TakesPartInOrder() const;
  Status MakeOrderedCommitDurable();
  Status CommitAlone(bool all);
  void EndStatement();
  void NotifyChanges();
  void AbortFailedCommit(const Status& status);
  void DetachPrepared();
  void LeaveDecided(txn::DecidedTransactions::Outcome outcome);
  void LogStatement(const char* why) const;

  THD* const thd_;
  engine::Database& database_;
  std::unique_ptr<txn::Transaction> transaction_;
  SequenceTransaction sequences_;
  SessionLoad load_;
  VersionedTransaction versions_;
  RowCounters row_counters_;
  UnsyncedDefinitions unsynced_definitions_;
  std::vector<std::shared_ptr<engine::TableCounters>> changed_;  // since the transaction began
  Mutex interrupt_mutex_;  // guards transaction_ against being replaced under Interrupt
  unsigned tables_in_use_ = 0;
  unsigned duplicate_index_ = 0;
  bool in_statement_ = false;
  StatementMeasure measure_;
  StatementWork statement_work_;
  // Set by CommitOrdered for Commit.
  bool committed_in_order_ = false;
  Status commit_status_;
};

}  // namespace basalt::server
