// SPDX-License-Identifier: GPL-2.0-only
//
// The frame of a statement: which table is used how, and what that means for row locks.
#include <utility>

#include "engine/loads/bulk_insert.h"
#include "server/connections/commit_order.h"
#include "server/connections/prepared_wait.h"
#include "server/handler/handler.h"
#include "server/plugin_state.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

bool IsSkipLocked(thr_lock_type type) {
  return type == TL_READ_SKIP_LOCKED || type == TL_WRITE_SKIP_LOCKED;
}

bool AltersTable(int command) {
  return command == SQLCOM_ALTER_TABLE || command == SQLCOM_CREATE_INDEX ||
         command == SQLCOM_DROP_INDEX;
}

// Statements that rebuild tables read them for themselves; the server keeps writers away.
bool RebuildsTable(int command) { return AltersTable(command) || command == SQLCOM_OPTIMIZE; }

// Whether what is prepared and not decided could not be committed behind the statement. (REPAIR
// looks for it itself, and says so in its result.)
bool OvertakesPrepared(int command) { return AltersTable(command) || command == SQLCOM_TRUNCATE; }

// A replica applies row events with a write lock and without a command. They name the rows that
// the primary has changed: what lies between them does not matter.
bool AppliesRowEvents(THD* thd) { return thd->slave_thread && thd_sql_command(thd) == SQLCOM_END; }

// A running server gives an engine that comes later no part in XA PREPARE (see
// WarnIfWithoutTwoPhaseCommit): what is written would be gone with the connection, or a crash,
// after it was acknowledged as prepared.
constexpr char kNoXa[] =
    "neither writes nor FOR UPDATE inside an XA transaction: the engine was installed while the "
    "server runs, and XA PREPARE would lose them. Restart the server";

bool WouldLosePrepared(THD* thd) {
  return Handlerton()->prepare == nullptr && thd->transaction->xid_state.is_explicit_XA();
}

engine::ReadIntent IntentOf(THD* thd, thr_lock_type type, ReadLock::Kind lock,
                            const Session& session) {
  const txn::Transaction::Settings& settings = session.transaction()->settings();
  engine::ReadIntent intent;
  intent.lock = lock != ReadLock::Kind::kNone;
  intent.mode =
      lock == ReadLock::Kind::kShared ? txn::LockMode::kShared : txn::LockMode::kExclusive;
  intent.skip_locked = IsSkipLocked(type);
  const bool no_wait = settings.lock_wait_microseconds == 0;
  if (intent.skip_locked || no_wait) intent.wait = txn::LockWait::kNoWait;
  // What SKIP LOCKED finds cannot be repeated anyway: a queue's consumers do not stop its
  // producers.
  intent.repeatable = intent.lock && settings.isolation != txn::Isolation::kReadCommitted &&
                      !session.transaction()->detects_conflicts() && !intent.skip_locked &&
                      !AppliesRowEvents(thd);
  // The server starts the next worker of a replica when a commit begins. From then on it relies on
  // locks: what the worker looks for may be among the rows that are being committed.
  intent.awaits_entries =
      intent.lock && !intent.repeatable && !intent.skip_locked && IsParallelWorker(thd);
  return intent;
}

// What neither adds to the load nor only reads is to find the table as the load leaves it, and must
// not wait for the locks of its own connection. Rows that are no load end that of another table.
bool EndsExplicitLoad(THD* thd, const engine::ReadIntent& intent, bool writes, bool loads) {
  if (BulkLoad(thd) && LoadsRows(thd)) return writes && !loads;
  const int command = thd_sql_command(thd);
  return intent.lock || (command != SQLCOM_SELECT && command != SQLCOM_SET_OPTION);
}

}  // namespace

THR_LOCK_DATA** Handler::store_lock(THD*, THR_LOCK_DATA** to, thr_lock_type lock_type) {
  // May be called on behalf of another thread, with TL_IGNORE. Row locks replace table locks, so
  // nothing is handed to the server's lock manager.
  if (lock_type != TL_IGNORE) lock_type_ = lock_type;
  return to;
}

int Handler::BeginStatement(THD* thd, thr_lock_type lock_type, bool opens) {
  // The server takes this mark of an earlier statement away for SELECT only: UPDATE and DELETE by
  // an index of a table with partitions would find no rows. Partitions are chosen after this call.
  table->all_partitions_pruned_away = false;
  Session* session = Session::Of(thd, database_);
  if (session == nullptr) return HA_ERR_OUT_OF_MEM;
  open_.BeginStatement(session, lock_type, RebuildsTable(thd_sql_command(thd)));
  const bool writes = lock_type >= TL_FIRST_WRITE && table_share->tmp_table == NO_TMP_TABLE;
  if (writes && WouldLosePrepared(thd)) return Fail(Status(Code::kNotSupported, kNoXa));
  if (OvertakesPrepared(thd_sql_command(thd)) && table_share->tmp_table == NO_TMP_TABLE)
      [[unlikely]] {
    Status decided = WaitForDecision(*database_.transactions(), thd, table_data()->primary().id);
    if (!decided.ok()) return Fail(std::move(decided));
  }
  session->BeginStatement();
  // No lock keeps the next worker of a replica away from rows that are not committed yet.
  if (table_share->tmp_table != NO_TMP_TABLE) [[unlikely]]
    HoldNextWorker(thd);
  open_.RefreshRows();  // TRUNCATE may have given the table new indexes since
  reader_.ForgetWantedColumns();
  const txn::Transaction& reader = *session->transaction();
  const ReadLock::Kind lock =
      opens ? read_lock_.Open(thd, lock_type, reader) : read_lock_.Reuse(thd, lock_type, reader);
  const engine::ReadIntent intent = IntentOf(thd, lock_type, lock, *session);
  references_.BeginStatement(lock_type >= TL_FIRST_WRITE);
  const bool loads = writes && BulkLoad(thd) && LoadsRows(thd) && !references_.refers_to_itself() &&
                     !IsKeptUniqueByServer(*table_share) && !table->versioned(VERS_TRX_ID) &&
                     engine::BulkInsert::IsPossible(*table_data());
  load_.BeginStatement(loads);
  if (!session->load()->empty() && EndsExplicitLoad(thd, intent, writes, loads)) [[unlikely]] {
    if (int error = session->load()->Finish()) return error;
  }
  txn::Transaction* transaction =
      table_data()->traits().sequence ? session->sequences()->Begin() : session->transaction();
  if (!intent.lock && transaction->snapshot().IsBefore(table_data()->readable_from())) {
    // An ALTER, CREATE, TRUNCATE or REPAIR has come since: the snapshot holds none of its rows.
    return HA_ERR_TABLE_DEF_CHANGED;
  }
  rows()->Bind(transaction, intent);
  return 0;
}

void Handler::EndStatement() {
  if (!rows()->bound()) return;
  references_.EndStatement();
  texts_.EndStatement();
  rows()->Unbind();
  if (session()->measure()->active()) session()->measure()->HandOver(table_data()->primary().id);
}

int Handler::external_lock(THD* thd, int lock_type) {
  if (lock_type == F_UNLCK) {
    // The scan of a HANDLER goes on in its next statement.
    if (table->open_by_handler && inited != NONE) reader_.Suspend();
    CloseScan();
    EndStatement();
    lock_type_ = TL_IGNORE;
    if (table_share->tmp_table != NO_TMP_TABLE) reset();  // which came too early
    // On a replica the connection may end before its temporary tables do.
    Session* session = open_.session();
    open_.ForgetSession();
    return session == nullptr ? 0 : session->TableUnlocked();
  }
  // The server locks the target of a copying ALTER TABLE, and clones, without store_lock().
  thr_lock_type type = lock_type_;
  if (lock_type == F_WRLCK && type < TL_FIRST_WRITE) type = TL_WRITE;
  if (lock_type == F_RDLCK && type == TL_IGNORE) type = TL_READ;
  lock_type_ = type;
  if (int error = BeginStatement(thd, type, /*opens=*/true)) return error;
  session()->TableLocked();
  return 0;
}

int Handler::start_stmt(THD* thd, thr_lock_type lock_type) {
  lock_type_ = lock_type;
  return BeginStatement(thd, lock_type, /*opens=*/false);
}

}  // namespace basalt::server
