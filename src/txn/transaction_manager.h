// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "catalog/catalog.h"
#include "store/store.h"
#include "txn/lock_table.h"
#include "txn/spill.h"
#include "txn/transaction.h"
#include "txn/write_set.h"

namespace basalt::txn {

// What all transactions of one store share: the lock table, the spill space, the prepared
// transactions nobody holds, and recovery.
class TransactionManager {
 public:
  struct Options {
    LockTable::Options locks;
    WriteSet::Options writes;
  };

  TransactionManager(store::Store* store, catalog::Catalog* catalog, Options options);
  ~TransactionManager();

  // After the store is open and before any transaction: finishes commits that were decided but not
  // ingested, removes what uncommitted transactions left, takes the locks of prepared ones again.
  Status Recover();

  std::unique_ptr<Transaction> NewTransaction();

  // Prepared transactions without a connection: found at start, or detached when their connection
  // ended. Detach takes one over from its connection.
  void Detach(std::unique_ptr<Transaction> transaction);
  // Names of prepared transactions that may outlive their connection. The server lets others decide
  // such a one a moment before its connection has detached it: they then wait for that moment.
  void Announce(Bytes name);
  void Withdraw(Bytes name);
  std::vector<std::string> DetachedNames() const;
  // kNotFound when there is none of that name.
  Status CommitDetached(Bytes name, Durability durability);
  Status RollbackDetached(Bytes name);

  // Step 3 and 4 of ingestion.h for a job that is committed: tries again for a while when the store
  // fails, because the outcome is decided already. What does not succeed is left to the next start.
  Status FinishIngestJob(const catalog::IngestJob& job);

  store::Store* store() const { return store_; }
  catalog::Catalog* catalog() const { return catalog_; }
  LockTable* locks() { return &locks_; }
  Spill* spill() { return &spill_; }
  const Options& options() const { return options_; }

 private:
  Status TakeDetached(Bytes name, std::unique_ptr<Transaction>* transaction);
  Status AdoptPrepared(rocksdb::Transaction* prepared);

  store::Store* const store_;
  catalog::Catalog* const catalog_;
  const Options options_;
  LockTable locks_;
  Spill spill_;
  std::atomic<uint64_t> next_id_{1};
  mutable std::mutex mutex_;
  std::condition_variable detached_or_withdrawn_;
  std::vector<std::unique_ptr<Transaction>> detached_;  // guarded by mutex_
  std::multiset<std::string> announced_;                // guarded by mutex_
};

}  // namespace basalt::txn
