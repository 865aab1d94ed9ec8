// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "txn/lock_owner.h"
#include "txn/transaction_types.h"

namespace basalt::txn {

class Transaction;
class TransactionManager;

// The locks of one transaction: of rows, of unique values and of ranges. They stay until it ends,
// but for those given up here.
//
// Locks are given up by how many there were before: lock_count() then, ReleaseAfter(that) later.
// Results: kLockBusy (kNoWait), kLockTimeout, kDeadlock, kInterrupted. The transaction's thread.
class TransactionLocks {
 public:
  TransactionLocks(Transaction* transaction, TransactionManager* manager, uint64_t id)
      : transaction_(transaction), manager_(manager), owner_(id) {}

  LockOwner& owner() { return owner_; }
  const LockOwner& owner() const { return owner_; }
  size_t count() const { return owner_.lock_count(); }
  bool empty() const { return owner_.holds_nothing(); }

  // Locks a row of the (hidden) primary key, or a value of a unique index by its prefix.
  Status Acquire(IndexId index, Bytes key, LockMode mode, LockWait wait, bool* acquired = nullptr);
  // Has nobody else the row, and does nobody else get it?
  bool HoldExclusively(IndexId index, Bytes key) const;
  // Exclusively, for an entry that is about to be added: a roll-back of the statement or to a
  // savepoint gives it back, and no other lock. EntryIsThere, right after it: the lock stays, in
  // this mode, or as it was before.
  Status AcquireForEntry(IndexId index, Bytes key, LockWait wait, bool* acquired);
  void EntryIsThere(Bytes key, bool acquired, LockMode mode);
  // Waits until no prepared transaction that was found at start may still put a key of the index
  // that begins with `prefix`. Their locks are those of whole keys: whoever checks for a unique
  // value locks it and then calls this. One load when there is none.
  Status WaitForUndecided(IndexId index, Bytes prefix);
  // Locks all rows of the index shared, when nobody else has or wants one exclusively; else false.
  bool ShareIndex(IndexId index);
  void ReleaseAfter(size_t count);    // gives up the row locks taken since there were so many;
  void ReleaseRefused(size_t count);  // those of them that a statement's roll-back gives up

  // Locks the range [start, end) of an index's keys: from Ok until the transaction ends nobody else
  // adds an entry there, and what others have added before is committed. The caller looks at the
  // range only with a view that is made afterwards, or whose stamp is still the present one.
  Status AcquireRange(IndexId index, Bytes start, Bytes end, LockWait wait);
  void TrimRange(IndexId index, Bytes start, Bytes end);  // what only the last call asked for
  void ReleaseRanges(IndexId index);                      // all of them there
  // Waits until a range of another around the entry goes; then it may be added. The caller should
  // give up first the locks it took for this write: the owner of the range may want the same key.
  Status WaitToInsert(const NewEntry& entry);

  void ReleaseReads();  // nothing is read any more: shared ones and ranges
  void ReleaseAll();

  // Who runs the transaction (see wait_observer.h); null: nobody from now on.
  void SetRunner(void* runner);
  void Interrupt();  // makes a wait of this transaction end with kInterrupted; any thread
  void ClearInterrupt();

 private:
  Transaction* const transaction_;
  TransactionManager* const manager_;
  LockOwner owner_;
};

}  // namespace basalt::txn
