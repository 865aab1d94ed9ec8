// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/index_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "catalog/catalog.h"
#include "store/options/memory_charge.h"
#include "store/store.h"
#include "txn/bulk_load.h"
#include "txn/idle_cursors.h"
#include "txn/lock_table.h"
#include "txn/range_locks.h"
#include "txn/spill.h"
#include "txn/transaction.h"
#include "txn/undecided_keys.h"
#include "txn/wait_graph.h"
#include "txn/write_set.h"

namespace basalt::txn {

// What all transactions of one store share: the locks, the spill space, the prepared transactions
// nobody holds, and recovery.
class TransactionManager {
 public:
  struct Options {
    LockTable::Options locks;
    RangeLocks::Options ranges;
    WriteSet::Options writes;
  };

  TransactionManager(store::Store* store, catalog::Catalog* catalog, Options options);
  ~TransactionManager();

  // After the store is open and before any transaction: finishes commits that were decided but not
  // ingested, removes what uncommitted transactions left, takes the locks of prepared ones again.
  // `finished_commits` (may be null): how many of the first kind there were.
  Status Recover(size_t* finished_commits = nullptr);

  std::unique_ptr<Transaction> NewTransaction();

  // --- Called by transactions ---
  // Every transaction is in a list from its construction to its destruction.
  void AddTransaction(Transaction* transaction);
  void RemoveTransaction(Transaction* transaction);
  // TransactionLocks::AcquireRange; the protocol is described in range_locks.h.
  Status LockRange(Transaction* asker, IndexId index, Bytes start, Bytes end, LockWait wait);
  ViewStamp LatestStamp() const;
  // Transaction::BeginLoad: nobody else has uncommitted rows or locks in these indexes, whose first
  // is the primary one, or gets any before the asker ends; and with `empty` nothing is committed
  // there. Else kLockBusy, and all is as before. Does not wait.
  Status OwnTable(Transaction* asker, std::span<const IndexId> indexes, bool empty);

  // --- Change logs (change_log.h) ---
  // The position of the next change of any log; of the change that asks for it.
  uint64_t next_change() const { return next_change_.load(); }
  uint64_t TakeChangePosition() { return next_change_.fetch_add(1); }
  // All changes in front of this position are decided: in the store, or gone. Looks at every
  // transaction.
  uint64_t FirstUndecidedChange() const;

  // All that are active, for reports. Any thread.
  std::vector<TransactionInfo> ActiveTransactions() const;

  // --- Prepared transactions that others than their connection may decide ---
  // A connection registers one that may outlive it, and removes it when it has decided it itself.
  // Neither name nor writes may change in between. Borrowed. Fails when its files cannot be read.
  Status Register(Transaction* prepared);
  void Unregister(const Transaction* prepared);
  // Takes over a prepared transaction whose connection ends; registers it if need be.
  void Detach(std::unique_ptr<Transaction> prepared);
  // Of those without a connection: found at start, or detached.
  std::vector<std::string> DetachedNames() const;
  // Has one of those registered written entries of this index? Metadata locks keep the index from
  // those that still have a connection, so that one asks that wants to change the table.
  bool PreparedHasWritesOf(IndexId index) const;
  // Decides one without a connection; kNotFound when none of that name is registered. The server
  // asks for it a moment before the connection has detached it: both wait for that moment. What a
  // commit writes into indexes that were dropped meanwhile is reclaimed. It stays registered until
  // it has ended; after an error it can be decided again, unless it is idle (transaction.h).
  Status CommitDetached(Bytes name, Durability durability);
  Status RollbackDetached(Bytes name);

  // Makes the record of a large commit durable and does steps 3 and 4 of ingestion.h. The outcome
  // is decided already, so it waits as long as the disk is full, and tries again for a while after
  // other errors. When it fails the store takes no more writes: the next start finishes the commit,
  // and would overwrite them.
  Status FinishCommit(const catalog::IngestJob& job);

  store::Store* store() const { return store_; }
  catalog::Catalog* catalog() const { return catalog_; }
  LockTable* locks() { return &locks_; }
  IdleCursors* idle_cursors() { return &idle_cursors_; }
  RangeLocks* ranges() { return &ranges_; }
  WaitGraph* waits() { return &waits_; }
  Spill* spill() { return &spill_; }
  // What prepared transactions found at start have put and nobody else may take yet.
  UndecidedKeys* undecided() { return &undecided_; }
  const Options& options() const { return options_; }
  LoadCounts* load_counts() { return &load_counts_; }
  // What transactions keep in memory, as a part of the block cache.
  store::MemoryCharge& memory_charge() { return memory_charge_; }

 private:
  // `transaction` is the same as `detached`, which is null while somebody has it: the connection,
  // or who decides it.
  struct Prepared {
    std::string name;
    Transaction* transaction = nullptr;
    std::unique_ptr<Transaction> detached;
    std::set<IndexId> indexes;  // that it has written entries of
  };
  using Registry = std::vector<Prepared>;

  Registry::iterator FindByName(Bytes name) BASALT_REQUIRES(mutex_);
  Registry::iterator Find(const Transaction* prepared) BASALT_REQUIRES(mutex_);
  Status TakeDetached(Bytes name, std::unique_ptr<Transaction>* taken);
  std::set<IndexId> PutBack(std::unique_ptr<Transaction> decided);
  Status IndexesOf(Transaction* prepared, std::set<IndexId>* indexes);
  Status FinishIngestJob(const catalog::IngestJob& job);
  Status AdoptPrepared(rocksdb::Transaction* prepared);
  bool AcquireAlone(Transaction* asker, std::span<const IndexId> indexes, size_t* taken);
  bool WatchInserters(Transaction* asker, IndexId index, Bytes start, Bytes end);
  bool AnyIsExempt(const LockOwner& owner);

  store::Store* const store_;
  catalog::Catalog* const catalog_;
  store::MemoryCharge memory_charge_;
  const Options options_;
  WaitGraph waits_;
  LockTable locks_;
  IdleCursors idle_cursors_;
  RangeLocks ranges_;
  Spill spill_;
  std::atomic<uint64_t> ingestions_{0};
  LoadCounts load_counts_;
  UndecidedKeys undecided_;
  mutable SharedMutex transactions_mutex_;
  std::vector<Transaction*> transactions_ BASALT_GUARDED_BY(transactions_mutex_);  // all there are
  std::atomic<uint64_t> next_id_{1};
  std::atomic<uint64_t> next_change_{1};
  mutable Mutex mutex_;
  CondVar registry_changed_;
  Registry prepared_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::txn
