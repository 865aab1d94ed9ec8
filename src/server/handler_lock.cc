// SPDX-License-Identifier: GPL-2.0-only
//
// The frame of a statement: which table is used how, and what that means for row locks.
#include "server/handler.h"

namespace basalt::server {

namespace {

bool IsSkipLocked(thr_lock_type type) {
  return type == TL_READ_SKIP_LOCKED || type == TL_WRITE_SKIP_LOCKED;
}

// Plain reads take no row locks: INSERT ... SELECT and the like read a snapshot as well, because
// the binary log has the rows and not the statement.
engine::ReadIntent IntentOf(thr_lock_type type, const Session& session) {
  engine::ReadIntent intent;
  if (type >= TL_FIRST_WRITE) {
    intent.lock = true;
    intent.mode = txn::LockMode::kExclusive;
  } else if (type == TL_READ_WITH_SHARED_LOCKS || type == TL_READ_SKIP_LOCKED) {
    intent.lock = true;
    intent.mode = txn::LockMode::kShared;
  }
  intent.skip_locked = IsSkipLocked(type);
  const bool no_wait = session.transaction()->settings().lock_wait_microseconds == 0;
  if (intent.skip_locked || no_wait) intent.wait = txn::LockWait::kNoWait;
  return intent;
}

}  // namespace

THR_LOCK_DATA** Handler::store_lock(THD*, THR_LOCK_DATA** to, thr_lock_type lock_type) {
  // May be called on behalf of another thread, with TL_IGNORE. Row locks replace table locks, so
  // nothing is handed to the server's lock manager.
  if (lock_type != TL_IGNORE) lock_type_ = lock_type;
  return to;
}

int Handler::EnterStatement(THD* thd, thr_lock_type lock_type) {
  if (thd_tx_isolation(thd) == ISO_SERIALIZABLE && !table_data()->lockless()) {
    // Rows are locked, gaps are not: phantoms would appear.
    my_error(ER_ISOLATION_MODE_NOT_SUPPORTED, MYF(0), tx_isolation_names[ISO_SERIALIZABLE]);
    return HA_ERR_UNSUPPORTED;
  }
  session_ = Session::Of(thd);
  if (session_ == nullptr) return HA_ERR_OUT_OF_MEM;
  session_->EnterStatement();
  if (rows_->table() != share_->engine_table.get()) {
    // TRUNCATE has given the table new indexes since.
    MakeRowAccess();
  }
  read_.wanted_known = false;
  const engine::ReadIntent intent = IntentOf(lock_type, *session_);
  txn::Transaction* transaction =
      table_data()->traits().sequence ? session_->SequenceTransaction() : session_->transaction();
  if (!intent.lock && transaction->SnapshotIsBefore(table_data()->readable_from())) {
    // An ALTER, CREATE, TRUNCATE or REPAIR has come since: the snapshot holds none of its rows.
    return HA_ERR_TABLE_DEF_CHANGED;
  }
  rows_->Bind(transaction, intent);
  return 0;
}

void Handler::LeaveStatement() {
  if (rows_->bound()) rows_->Unbind();
}

int Handler::external_lock(THD* thd, int lock_type) {
  if (lock_type == F_UNLCK) {
    // The scan of a HANDLER goes on in its next statement.
    if (table->open_by_handler && inited != NONE) read_.resumes = true;
    CloseScan();
    LeaveStatement();
    lock_type_ = TL_IGNORE;
    return session_ == nullptr ? 0 : session_->TableUnlocked();
  }
  // The server locks the target of a copying ALTER TABLE, and clones, without store_lock().
  thr_lock_type type = lock_type_;
  if (lock_type == F_WRLCK && type < TL_FIRST_WRITE) type = TL_WRITE;
  if (lock_type == F_RDLCK && type == TL_IGNORE) type = TL_READ;
  lock_type_ = type;
  if (int error = EnterStatement(thd, type)) return error;
  session_->TableLocked();
  return 0;
}

int Handler::start_stmt(THD* thd, thr_lock_type lock_type) {
  lock_type_ = lock_type;
  return EnterStatement(thd, lock_type);
}

}  // namespace basalt::server
