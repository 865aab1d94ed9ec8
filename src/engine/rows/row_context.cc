// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_context.h"

#include <string>

#include "engine/entry_name.h"

namespace basalt::engine {

Status RowContext::LockForWrite(Bytes primary_key) const {
  if (table_->lockless()) return Status::Ok();
  BASALT_RETURN_IF_ERROR(transaction_->locks().Acquire(
      table_->primary().id, primary_key, txn::LockMode::kExclusive, txn::LockWait::kWait));
  return transaction_->reads().CheckUnchanged(table_->primary().family, primary_key);
}

bool RowContext::IsLockedForWrite(Bytes primary_key) const {
  return table_->lockless() ||
         transaction_->locks().HoldExclusively(table_->primary().id, primary_key);
}

Status RowContext::LogChange(const codec::RowChange& change) const {
  std::string bytes;
  codec::EncodeRowChange(change, &bytes);
  return transaction_->changes().Add(table_->counters().change_log(), bytes);
}

Status RowContext::EntryWithoutRow(size_t index, Bytes row_key) const {
  if (ttl_clock_.EntriesMayStandAlone()) return Status(Code::kNotFound);
  return Status(Code::kCorruption, NameOfEntry(*table_, table_->primary_position(), row_key) +
                                       ": there is no such row, but an entry of index " +
                                       table_->descriptor().indexes[index].name);
}

}  // namespace basalt::engine
