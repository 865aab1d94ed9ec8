// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction_locks.h"

#include <string>

#include "txn/transaction.h"
#include "txn/transaction_manager.h"

namespace basalt::txn {

Status TransactionLocks::Acquire(IndexId index, Bytes key, LockMode mode, LockWait wait,
                                 bool* acquired) {
  return manager_->locks()->Acquire(&owner_, index, key, mode, wait,
                                    transaction_->settings().lock_wait_microseconds, acquired);
}

bool TransactionLocks::HoldExclusively(IndexId index, Bytes key) const {
  return manager_->locks()->HoldsExclusively(owner_, index, key);
}

Status TransactionLocks::AcquireForEntry(IndexId index, Bytes key, LockWait wait, bool* acquired) {
  Status locked = Acquire(index, key, LockMode::kExclusive, wait, acquired);
  if (locked.ok() && *acquired) LockTable::NoteNewEntry(&owner_);
  return locked;
}

void TransactionLocks::EntryIsThere(Bytes key, bool acquired, LockMode mode) {
  if (acquired) {
    manager_->locks()->KeepNewest(&owner_, mode);
  } else if (mode == LockMode::kShared) {
    manager_->locks()->UndoStrengthening(&owner_, key);
  }
}

Status TransactionLocks::WaitForUndecided(IndexId index, Bytes prefix) {
  std::string key;
  while (manager_->undecided()->Find(index, prefix, &key)) [[unlikely]] {
      BASALT_RETURN_IF_ERROR(Acquire(index, key, LockMode::kExclusive, LockWait::kWait));
    }
  return Status::Ok();
}

bool TransactionLocks::ShareIndex(IndexId index) {
  return manager_->locks()->TryShareIndex(&owner_, index);
}

void TransactionLocks::ReleaseAfter(size_t count) {
  manager_->locks()->ReleaseAfter(&owner_, count);
}

// After writes were taken back, or not made. Rows that are there stay locked, as in InnoDB: the
// client may have seen them, and the error of a refused INSERT has named one. MyRocks gives all
// back.
void TransactionLocks::ReleaseRefused(size_t count) {
  if (transaction_->detects_conflicts()) {
    manager_->locks()->ReleaseAfter(&owner_, count);
  } else {
    manager_->locks()->ReleaseNewEntriesAfter(&owner_, count);
  }
  // Those who lock ranges may have waited for entries that are gone.
  manager_->waits()->Changed(&owner_);
}

Status TransactionLocks::AcquireRange(IndexId index, Bytes start, Bytes end, LockWait wait) {
  return manager_->LockRange(transaction_, index, start, end, wait);
}

void TransactionLocks::TrimRange(IndexId index, Bytes start, Bytes end) {
  manager_->ranges()->Trim(&owner_, index, start, end);
}

void TransactionLocks::ReleaseRanges(IndexId index) {
  manager_->ranges()->ReleaseIndex(&owner_, index);
}

Status TransactionLocks::WaitToInsert(const NewEntry& entry) {
  const uint64_t wait = transaction_->settings().lock_wait_microseconds;
  return manager_->ranges()->WaitForKey(&owner_, entry.index, entry.key,
                                        WaitGraph::DeadlineAfter(wait));
}

void TransactionLocks::ReleaseReads() {
  manager_->locks()->ReleaseShared(&owner_);
  manager_->ranges()->ReleaseAll(&owner_);
}

void TransactionLocks::ReleaseAll() {
  manager_->locks()->ReleaseAll(&owner_);
  manager_->ranges()->ReleaseAll(&owner_);
  manager_->waits()->Changed(&owner_);
}

void TransactionLocks::SetRunner(void* runner) { manager_->waits()->SetRunner(&owner_, runner); }
void TransactionLocks::Interrupt() { manager_->waits()->Interrupt(&owner_); }
void TransactionLocks::ClearInterrupt() { WaitGraph::ClearInterrupt(&owner_); }

}  // namespace basalt::txn
