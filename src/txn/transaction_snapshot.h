// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstdint>

namespace basalt::txn {

// The snapshot of one transaction, or, in READ COMMITTED, of its running statement (T3).
//
// One thread. Borrows the database.
class TransactionSnapshot {
 public:
  explicit TransactionSnapshot(rocksdb::DB* database) : database_(database) {}
  ~TransactionSnapshot() { Release(); }
  TransactionSnapshot(const TransactionSnapshot&) = delete;
  TransactionSnapshot& operator=(const TransactionSnapshot&) = delete;

  // The snapshot that plain reads use, taken at the first call.
  const rocksdb::Snapshot* ForReads() {
    if (snapshot_ == nullptr) snapshot_ = database_->GetSnapshot();
    only_estimated_ = false;
    ++reads_;
    return snapshot_;
  }
  // The snapshot for a mere estimate: when the statement then reads nothing, the snapshot does not
  // outlive it, so that the transaction's view begins with its first real read.
  const rocksdb::Snapshot* ForEstimate();
  // A newer snapshot in the place of one that ForReads() gave out only once; else null.
  const rocksdb::Snapshot* RefreshIfReadOnce();
  void Release();

  bool taken() const { return snapshot_ != nullptr; }
  // It was taken for estimates, and nothing has been read.
  bool only_estimated() const { return only_estimated_; }
  // Null unless it is taken.
  const rocksdb::Snapshot* get() const { return snapshot_; }
  // Was it taken before this sequence number of the store?
  bool IsBefore(uint64_t sequence) const {
    return snapshot_ != nullptr && snapshot_->GetSequenceNumber() < sequence;
  }

 private:
  rocksdb::DB* const database_;
  const rocksdb::Snapshot* snapshot_ = nullptr;
  bool only_estimated_ = false;
  unsigned reads_ = 0;  // calls of ForReads() since it was taken
};

}  // namespace basalt::txn
