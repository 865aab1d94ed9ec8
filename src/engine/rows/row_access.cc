// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_access.h"

#include <utility>

namespace basalt::engine {

RowAccess::RowAccess(std::shared_ptr<Table> table)
    : context_(std::move(table)),
      encoder_(&context_.table()),
      scan_cursors_(&context_.table()),
      reader_(&context_),
      batch_(&context_, &reader_),
      estimator_(&context_, &scan_cursors_),
      scan_({&context_, &encoder_, &reader_, &estimator_, &scan_cursors_}),
      expiry_(&context_, &encoder_),
      unique_(&context_, &encoder_, &expiry_),
      writer_(&context_, &encoder_, &reader_, &unique_, &expiry_) {}

void RowAccess::Bind(txn::Transaction* transaction, const ReadIntent& intent) {
  context_.Begin(transaction, intent);
  reader_.Begin();
  scan_.Begin();
  unique_.Begin();
}

void RowAccess::Unbind() {
  scan_.End();
  scan_cursors_.Park();
  estimator_.End();
  unique_.End();
  reader_.End();
  batch_.Clear();
  context_.End();
}

void RowAccess::ReleaseCursors() {
  scan_.End();
  scan_cursors_.Release();
  estimator_.ReleaseCursors();
  unique_.ReleaseCursors();
}

void RowAccess::SetWantedColumns(const codec::ColumnSet& wanted) {
  if (reader_.SetWantedColumns(wanted)) scan_.WantedColumnsChanged();
}

}  // namespace basalt::engine
