// SPDX-License-Identifier: GPL-2.0-only
#include "txn/temporary_writes.h"

#include <utility>

#include "catalog/catalog.h"
#include "txn/ingestion.h"
#include "txn/transaction_manager.h"

namespace basalt::txn {

TemporaryWrites::TemporaryWrites(TransactionManager* manager)
    : manager_(manager), writes_(manager->spill(), manager->options().writes) {}

Status TemporaryWrites::Begin() {
  if (batch_ != nullptr) [[likely]]
    return Status::Ok();
  BASALT_RETURN_IF_ERROR(manager_->store()->CheckWritingAllowed());
  batch_ = std::make_unique<rocksdb::WriteBatchWithIndex>(rocksdb::BytewiseComparator(), 0,
                                                          /*overwrite_key=*/true);
  writes_.Attach(batch_.get());
  return Status::Ok();
}

void TemporaryWrites::BeginStatement() { statement_mark_ = SetMark(); }

void TemporaryWrites::EndStatement() {
  ReleaseMark(statement_mark_);
  statement_mark_ = kNoWrites;
}

Status TemporaryWrites::RollbackStatement() {
  Status undone = RollbackTo(statement_mark_);
  EndStatement();
  return undone;
}

WriteSet::Mark TemporaryWrites::SetMark() {
  return batch_ == nullptr ? kNoWrites : writes_.SetMark();
}

Status TemporaryWrites::RollbackTo(WriteSet::Mark mark) {
  if (batch_ == nullptr) return Status::Ok();
  return mark == kNoWrites ? writes_.DiscardContent() : writes_.RollbackTo(mark);
}

void TemporaryWrites::ReleaseMark(WriteSet::Mark mark) {
  if (mark != kNoWrites) writes_.ReleaseMark(mark);
}

Status TemporaryWrites::Commit() {
  if (writes_.empty()) return Status::Ok();
  if (writes_.spilled()) return CommitSpilled();
  return manager_->store()->WriteUnlogged(batch_->GetWriteBatch());
}

// As table files, like the other writes of a large transaction, but without the record that would
// bring the files back after a crash.
Status TemporaryWrites::CommitSpilled() {
  catalog::IngestJob job;
  job.number = manager_->catalog()->ingest_jobs().NewNumber();
  BASALT_RETURN_IF_ERROR(BuildIngestFiles(manager_->store(), &writes_, {}, &job));
  Status taken = RunIngestJob(manager_->store(), job);
  if (!taken.ok()) RemoveIngestFiles(manager_->store(), job);
  return taken;
}

void TemporaryWrites::Clear() {
  if (batch_ == nullptr && dropped_.empty()) [[likely]]
    return;
  writes_.Clear();
  batch_.reset();
  statement_mark_ = kNoWrites;
  for (const auto& table : std::exchange(dropped_, {})) {
    (void)manager_->catalog()->temporary_tables()->Reclaim(*table);
  }
}

void TemporaryWrites::TableDropped(std::shared_ptr<const catalog::TableRecord> table) {
  if (batch_ != nullptr) {
    dropped_.push_back(std::move(table));
  } else {
    (void)manager_->catalog()->temporary_tables()->Reclaim(*table);
  }
}

}  // namespace basalt::txn
