// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction_snapshot.h"

namespace basalt::txn {

const rocksdb::Snapshot* TransactionSnapshot::ForEstimate() {
  if (snapshot_ != nullptr) return snapshot_;
  snapshot_ = database_->GetSnapshot();
  only_estimated_ = true;
  return snapshot_;
}

const rocksdb::Snapshot* TransactionSnapshot::RefreshIfReadOnce() {
  if (snapshot_ == nullptr || reads_ != 1) return nullptr;
  Release();
  return ForReads();
}

void TransactionSnapshot::Release() {
  if (snapshot_ != nullptr) database_->ReleaseSnapshot(snapshot_);
  snapshot_ = nullptr;
  only_estimated_ = false;
  reads_ = 0;
}

}  // namespace basalt::txn
