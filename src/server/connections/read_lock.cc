// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/read_lock.h"

#include "server/connections/changing_statement.h"
#include "server/variables/system_variables.h"

namespace basalt::server {
namespace {

using Kind = ReadLock::Kind;

// Statements that lock nothing at any level. The server keeps writers away from a table that is
// rebuilt; HANDLER gives no more than a look at the rows.
bool NeverLocks(int command) {
  switch (command) {
    case SQLCOM_ALTER_TABLE:
    case SQLCOM_CREATE_INDEX:
    case SQLCOM_DROP_INDEX:
    case SQLCOM_OPTIMIZE:
    case SQLCOM_HA_OPEN:
    case SQLCOM_HA_READ:
      return true;
    default:
      return false;
  }
}

// Statements that only look. A SELECT that calls functions which write, while the binary log is to
// have statements, comes with TL_READ_NO_INSERT.
bool OnlyReads(int command, thr_lock_type type) {
  return command == SQLCOM_CHECKSUM || command == SQLCOM_ANALYZE ||
         (command == SQLCOM_SELECT && type != TL_READ_NO_INSERT);
}

bool IsSerialized(THD* thd, const txn::Transaction& transaction) {
  return transaction.settings().isolation == txn::Isolation::kSerializable &&
         thd_test_options(thd, OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN);
}

Kind Choose(THD* thd, thr_lock_type type, const txn::Transaction& transaction) {
  const int command = thd_sql_command(thd);
  if (type >= TL_FIRST_WRITE) return Kind::kExclusive;
  if (type == TL_READ_WITH_SHARED_LOCKS || type == TL_READ_SKIP_LOCKED) return Kind::kShared;
  if (ChangesByReading(command) && LockScannedRows(thd)) return Kind::kShared;
  if (transaction.settings().isolation == txn::Isolation::kReadCommitted || NeverLocks(command)) {
    return Kind::kNone;
  }
  // A SELECT that is a transaction of its own has one snapshot, which is serializable enough.
  if (IsSerialized(thd, transaction)) return Kind::kShared;
  // As in MyRocks all reads but explicitly locking ones go by the snapshot.
  if (transaction.detects_conflicts()) return Kind::kNone;
  return OnlyReads(command, type) ? Kind::kNone : Kind::kShared;
}

}  // namespace

Kind ReadLock::Open(THD* thd, thr_lock_type type, const txn::Transaction& transaction) {
  opened_ = Choose(thd, type, transaction);
  return opened_;
}

Kind ReadLock::Reuse(THD* thd, thr_lock_type type, const txn::Transaction& transaction) const {
  const bool inside_of_another = thd->locked_tables_mode == LTM_PRELOCKED;
  if (type >= TL_FIRST_WRITE || !inside_of_another) return Choose(thd, type, transaction);
  const bool plain_select = thd_sql_command(thd) == SQLCOM_SELECT && type == TL_READ;
  if (plain_select && !IsSerialized(thd, transaction)) return Kind::kNone;
  return opened_;
}

}  // namespace basalt::server
