// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/versioned_transaction.h"

#include <atomic>
#include <utility>

#include "server/connections/commit_order.h"
#include "server/error_map.h"
#include "server/plugin_state.h"

namespace basalt::server {

namespace {

handlerton* InnoDb(THD* thd) { return ha_resolve_by_legacy_type(thd, DB_TYPE_INNODB); }

// The server asks one engine after the other, and registers the ids of the first that has some.
Status RefuseTwoEngines() {
  return Status(Code::kNotSupported,
                "one transaction changes tables versioned by transaction in two engines: the "
                "server would write one of them into mysql.transaction_registry");
}

// A commit has failed for a reason that says nothing about the registry. Set before the server
// switches the registry off, since it rolls back before that.
std::atomic<bool> registry_was_busy{false};

// The server will open the registry and check its columns, as at the first commit after a start.
void SwitchRegistryOn() {
  if (TR_table::use_transaction_registry == TR_table::NO && registry_was_busy)
    TR_table::use_transaction_registry = TR_table::MAYBE;
}

}  // namespace

void VersionedTransaction::End() {
  if (begin_id_ == 0) [[likely]]
    return;
  begin_id_ = 0;
  commit_id_ = 0;
  rows_ = 0;
  statement_rows_ = 0;
  failure_ = Status::Ok();
}

Status VersionedTransaction::GetBeginId(uint64_t* id) {
  if (begin_id_ == 0) BASALT_RETURN_IF_ERROR(ids_->Take(&begin_id_));
  *id = begin_id_;
  return {};
}

ulonglong VersionedTransaction::TakeCommitId(ulonglong* begin) {
  *begin = 0;
  if (rows_ == 0) [[likely]]
    return 0;
  handlerton* innodb = InnoDb(thd_);
  innodb_was_part_ =
      innodb != nullptr && ShareOf(*innodb)->is_started() && ShareOf(*innodb)->is_trx_read_write();
  ulonglong other = 0;
  failure_ = innodb_was_part_ && innodb->prepare_commit_versioned(thd_, &other) != 0
                 ? RefuseTwoEngines()
                 : ids_->Take(&commit_id_);
  if (!failure_.ok()) return 0;
  HoldNextWorkerForRegistry(thd_);
  SwitchRegistryOn();
  *begin = begin_id_;
  return commit_id_;
}

Status VersionedTransaction::Check(bool user_xa) {
  if (!failure_.ok()) return std::exchange(failure_, Status::Ok());
  // The statement COMMIT has taken this away, and then InnoDB has come to the transaction.
  if (commit_id_ != 0 && !innodb_was_part_)
    thd_->server_status &= ~static_cast<uint>(SERVER_STATUS_IN_TRANS);
  if (rows_ == 0 || commit_id_ != 0) [[likely]]
    return {};
  if (!user_xa) return RefuseTwoEngines();
  return Status(Code::kNotSupported,
                "XA PREPARE of changes to tables versioned by transaction: the server would not "
                "write them into mysql.transaction_registry; XA COMMIT .. ONE PHASE does");
}

// The server ends what belongs to the whole transaction, or to the statement when that is one.
Ha_trx_info* VersionedTransaction::ShareOf(const handlerton& engine) const {
  return &thd_->ha_data[engine.slot].ha_info[thd_->transaction->all.ha_list != nullptr ? 1 : 0];
}

// Null when the registry has no row of the transaction.
handlerton* VersionedTransaction::InnoDbWithRegistry() const {
  return commit_id_ == 0 ? nullptr : InnoDb(thd_);
}

// The server goes through the engines that had written before it wrote the registry. Of a statement
// that is a transaction InnoDB has committed the row by now, when the registry was closed.
Status VersionedTransaction::PrepareRegistry(bool all) {
  if (!thd_test_options(thd_, OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN)) return {};
  handlerton* innodb = InnoDbWithRegistry();
  if (innodb == nullptr || innodb_was_part_ || !ShareOf(*innodb)->is_started()) return {};
  // The binary log tells recovery how many engines have written.
  ShareOf(*innodb)->set_trx_read_write();
  Ha_trx_info* behind = ShareOf(*Handlerton())->next();
  while (behind != nullptr && behind->ht() != innodb) behind = behind->next();
  if (behind != nullptr || innodb->prepare(innodb, thd_, all) == 0) return {};
  return Status(Code::kIoError, "InnoDB could not prepare mysql.transaction_registry");
}

// The server may have committed it already. Twice is no harm: there is nothing to commit then.
Status VersionedTransaction::CommitRegistry(bool all) {
  handlerton* innodb = InnoDbWithRegistry();
  if (innodb == nullptr) return {};
  if (innodb->commit(innodb, thd_, all) != 0 ||
      (innodb->flush_logs != nullptr && innodb->flush_logs(innodb))) {
    return Status(Code::kIoError, "InnoDB could not commit mysql.transaction_registry");
  }
  return {};
}

// The registry may be whole.
bool VersionedTransaction::CommitWasInterrupted() const {
  if (thd_->killed != NOT_KILLED) return true;
  if (!thd_->is_error()) return false;
  const unsigned error = thd_->get_stmt_da()->sql_errno();
  return error == ER_LOCK_DEADLOCK || error == ER_LOCK_WAIT_TIMEOUT;
}

void VersionedTransaction::NoteRollback() {
  if (commit_id_ == 0) [[likely]]
    return;
  const bool interrupted = CommitWasInterrupted();
  if (interrupted) registry_was_busy = true;
  if (thd_->is_error()) return;
  if (!interrupted) registry_was_busy = false;
  ReportError(Status(Code::kIoError,
                     "the server could not use mysql.transaction_registry (the error log says "
                     "why): the transaction was rolled back"),
              "commit");
}

}  // namespace basalt::server
