// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/sequence_transaction.h"

#include <utility>

#include "server/connections/transaction_settings.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

txn::Transaction* SequenceTransaction::Begin() {
  if (transaction_ == nullptr) transaction_ = database_->transactions()->NewTransaction();
  if (!transaction_->active()) transaction_->Begin(SettingsOf(thd_));
  return transaction_.get();
}

Status SequenceTransaction::Commit(Status written) {
  if (written.ok()) written = transaction_->Commit(CommitDurability());
  End();  // what has failed
  Begin();
  return written;
}

void SequenceTransaction::End() {
  if (transaction_ != nullptr && transaction_->active()) (void)transaction_->Rollback();
}

}  // namespace basalt::server
