// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <unordered_map>

#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/catalog.h"
#include "catalog/index_reclaimer.h"
#include "engine/closed_logs.h"
#include "engine/key_prefixes.h"
#include "engine/opening_summary.h"
#include "engine/table_counters.h"
#include "store/store.h"
#include "txn/decided_transactions.h"
#include "txn/transaction_manager.h"

namespace basalt::engine {

// Everything of one running store, from the files to the transactions: opened in order, closed in
// the opposite one.
class Database {
 public:
  struct Options {
    store::StoreOptions store;
    txn::TransactionManager::Options transactions;
  };

  // Opens the store (made when missing), loads the dictionary, recovers transactions. A directory
  // that cannot be served is refused before anything in it changes. Background work that deletes
  // data begins only with StartBackgroundWork.
  static Status Open(Options options, std::unique_ptr<Database>* database);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // After the server has finished its own recovery of DDL statements: starts reclaiming the space
  // of dropped indexes, and what is done once a second (Housekeeper).
  Status StartBackgroundWork();
  // Stops background work. Safe while connections still run; idempotent.
  void StopBackgroundWork();
  // No transaction may be active.
  Status Close();

  // What the opening has found and done.
  const OpeningSummary& summary() const { return summary_; }

  store::Store* store() const { return store_.get(); }
  catalog::Catalog* catalog() const { return catalog_.get(); }
  txn::TransactionManager* transactions() const { return transactions_.get(); }
  catalog::IndexReclaimer* reclaimer() const { return reclaimer_.get(); }

  // Tells the store where the parts of an index's keys end; kept until told otherwise.
  KeyPrefixes* key_prefixes() const { return key_prefixes_.get(); }

  // Prepared transactions that could not be ended.
  txn::DecidedTransactions* decided() const { return decided_.get(); }

  // Logs of index builds that have ended.
  ClosedLogs* closed_logs() const { return closed_logs_.get(); }

  // The counters of the table with this (hidden) primary key, made when missing.
  std::shared_ptr<TableCounters> CountersOf(IndexId primary);
  // Forgets them: the index is gone for good.
  void ForgetCounters(IndexId primary);

 private:
  class Housekeeper;
  Database();

  Status Inspect(const store::StoreOptions& options);
  void Summarize(size_t finished_commits);

  OpeningSummary summary_;
  std::shared_ptr<KeyPrefixes> key_prefixes_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<catalog::Catalog> catalog_;
  std::unique_ptr<txn::TransactionManager> transactions_;
  std::unique_ptr<txn::DecidedTransactions> decided_;
  std::unique_ptr<ClosedLogs> closed_logs_;
  std::unique_ptr<catalog::IndexReclaimer> reclaimer_;
  std::unique_ptr<Housekeeper> housekeeper_;
  Mutex mutex_;
  std::unordered_map<IndexId, std::shared_ptr<TableCounters>> counters_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::engine
