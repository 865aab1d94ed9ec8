// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/session.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <new>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "engine/database.h"
#include "server/connections/commit_order.h"
#include "server/connections/transaction_settings.h"
#include "server/connections/xid_name.h"
#include "server/error_map.h"
#include "server/plugin_state.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

constexpr ulonglong kSeveralStatements = OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN;
constexpr size_t kLoggedStatementBytes = 4096;
constexpr char kTriedAgain[] = "its rows stay locked, and it is tried again every second";

static_assert(std::is_trivially_copyable_v<Session::SavepointPlace>,
              "savepoints lie in memory of the server");

// All sessions. Guards their existence and their transaction_ against ForEach, and `ended`.
struct Registry {
  Mutex mutex;
  std::unordered_set<Session*> sessions BASALT_GUARDED_BY(mutex);
  RowCounts ended BASALT_GUARDED_BY(mutex){};  // what sessions that are gone have counted
};

Registry& Sessions() {
  static Registry registry;
  return registry;
}

// InnoDB leaves the end of a two-phase commit to the coordinator's log, as CommitOrdered does. All
// engines are through with that part by now, so that its log has the commit.
Status MakeCommitOfInnoDbDurable(THD* thd) {
  handlerton* innodb = ha_resolve_by_legacy_type(thd, DB_TYPE_INNODB);
  if (innodb == nullptr || innodb->flush_logs == nullptr || !innodb->flush_logs(innodb)) {
    return Status::Ok();
  }
  return Status(Code::kIoError, "InnoDB could not write its log");
}

}  // namespace

Session::Session(THD* thd, engine::Database& database)
    : thd_(thd),
      database_(database),
      transaction_(database.transactions()->NewTransaction()),
      sequences_(thd, &database),
      load_(thd, &database),
      versions_(thd, State().version_ids.get()) {
  transaction_->locks().SetRunner(thd);
  MutexLock lock(Sessions().mutex);
  Sessions().sessions.insert(this);
}

Session::~Session() {
  MutexLock lock(Sessions().mutex);
  Sessions().sessions.erase(this);
  row_counters_.AddTo(&Sessions().ended);
}

RowCounts Session::TotalRowCounts() {
  MutexLock lock(Sessions().mutex);
  RowCounts sums = Sessions().ended;
  for (const Session* session : Sessions().sessions) session->row_counters_.AddTo(&sums);
  return sums;
}

void Session::ForEach(const std::function<void(THD*, const Session&)>& visit) {
  MutexLock lock(Sessions().mutex);
  for (const Session* session : Sessions().sessions) visit(session->thd_, *session);
}

WorkSums Session::Work() const {
  const auto of = [this](RowEvent event) { return row_counters_.Of(event); };
  WorkSums sums;
  sums.rows_read = of(RowEvent::kRead) + of(RowEvent::kSystemRead);
  sums.rows_written = of(RowEvent::kInserted) + of(RowEvent::kUpdated) + of(RowEvent::kDeleted) +
                      of(RowEvent::kSystemInserted) + of(RowEvent::kSystemUpdated) +
                      of(RowEvent::kSystemDeleted);
  txn::TransactionWrites& writes = transaction_->writes();
  sums.bytes_written = writes.logged().bytes_added() + writes.temporary().bytes_added();
  return sums;
}

Session* Session::IfAny(THD* thd) {
  return static_cast<Session*>(thd_get_ha_data(thd, Handlerton()));
}

Session* Session::Of(THD* thd, engine::Database& database) {
  Session* session = IfAny(thd);
  if (session != nullptr) return session;
  session = new (std::nothrow) Session(thd, database);
  if (session != nullptr) thd_set_ha_data(thd, Handlerton(), session);
  return session;
}

bool Session::EndsTransaction(bool all) const {
  return all || !thd_test_options(thd_, kSeveralStatements);
}

void Session::BeginTransaction() {
  transaction_->Begin(SettingsOf(thd_));
  committed_in_order_ = false;
}

void Session::NoteChange(const std::shared_ptr<engine::TableCounters>& table) {
  if (std::find(changed_.rbegin(), changed_.rend(), table) == changed_.rend()) {
    changed_.push_back(table);
  }
}

void Session::NotifyChanges() {
  if (changed_.empty()) return;
  const int64_t now = std::time(nullptr);
  for (const auto& table : changed_) table->NoteCommit(now);
  changed_.clear();
}

void Session::BeginStatement() {
  if (!transaction_->active()) BeginTransaction();
  const bool several = thd_test_options(thd_, kSeveralStatements);
  if (!in_statement_) {
    transaction_->set_lock_wait_microseconds(LockWaitOf(thd_));
    transaction_->set_fill_cache(!SkipFillCache(thd_));
    transaction_->BeginStatement();
    versions_.BeginStatement();
    in_statement_ = true;
    measure_.Begin(PerfContextLevel(thd_));
    NoteStatement();
    // An interrupt meant for an earlier statement must not end this one; one that came just now is
    // still to be seen in `killed`, which the server sets first.
    transaction_->locks().ClearInterrupt();
    if (thd_->killed) transaction_->locks().Interrupt();
  }
  trans_register_ha(thd_, false, Handlerton(), 0);
  if (several) trans_register_ha(thd_, true, Handlerton(), 0);
}

void Session::EndStatement() {
  if (!in_statement_) return;
  transaction_->EndStatement();
  sequences_.End();
  in_statement_ = false;
}

int Session::TableUnlocked() {
  if (tables_in_use_ > 0) --tables_in_use_;
  if (tables_in_use_ > 0 || !in_statement_) return 0;
  // The server has read tables without ending a statement (it does for its own tables).
  if (EndsTransaction(false)) return Commit(false);
  EndStatement();
  return 0;
}

Status Session::TakeSnapshot() {
  if (!transaction_->active()) BeginTransaction();
  transaction_->snapshot().ForReads();
  trans_register_ha(thd_, true, Handlerton(), 0);
  return Status::Ok();
}

int Session::Prepare(bool all) {
  if (!EndsTransaction(all)) {
    EndStatement();
    return 0;
  }
  if (transaction_->state() != txn::Transaction::State::kActive) return 0;
  const bool user_xa = thd_->transaction->xid_state.is_explicit_XA();
  if (!transaction_->has_writes()) {
    if (user_xa) transaction_->locks().ReleaseReads();
    return 0;
  }
  EndStatement();
  Status status = versions_.Check(user_xa);
  if (status.ok()) status = versions_.PrepareRegistry(all);
  if (!status.ok()) return ReportError(status, "prepare");
  XID xid;
  thd_get_xid(thd_, reinterpret_cast<MYSQL_XID*>(&xid));
  return ReportError(transaction_->Prepare(NameOfXid(xid), CommitDurability(), user_xa), "prepare");
}

// Rows of temporary tables alone are not prepared. On a replica the next worker may read them when
// this returns; elsewhere only the connection itself will, and Commit is early enough.
bool Session::TakesPartInOrder() const {
  if (transaction_->state() == txn::Transaction::State::kPrepared) return true;
  return IsParallelWorker(thd_) && !transaction_->has_writes() &&
         !transaction_->writes().temporary().empty();
}

void Session::CommitOrdered(bool all) {
  if (!EndsTransaction(all) || !TakesPartInOrder()) return;
  // From here on the coordinator's log decides after a crash, so the commit need not be durable.
  commit_status_ = transaction_->Commit(txn::Durability::kNone);
  committed_in_order_ = true;
}

// With the binary log, that decides after a crash, and CommitOrdered is enough. Without it the
// server's tc.log coordinates, and recovery rolls every transaction back that it finds prepared,
// whatever that log says: then the commit itself has to be durable before it is acknowledged, in
// both engines.
Status Session::MakeOrderedCommitDurable() {
  if (mysql_bin_log.is_open()) return Status::Ok();
  BASALT_RETURN_IF_ERROR(transaction_->MakeDurable(CommitDurability()));
  return MakeCommitOfInnoDbDurable(thd_);
}

// Without a prepare. A row of the registry comes first, as a version without one is worse.
Status Session::CommitAlone(bool all) {
  BASALT_RETURN_IF_ERROR(versions_.Check(/*user_xa=*/false));
  BASALT_RETURN_IF_ERROR(versions_.CommitRegistry(all));
  return transaction_->Commit(CommitDurability());
}

int Session::Commit(bool all) {
  EndStatement();
  if (!EndsTransaction(all)) {
    measure_.End();
    if (transaction_->has_writes()) HoldNextWorkerIfOnePhase(thd_);
    return 0;
  }
  // Of what has only been read another engine's commit, still to come, settles the order.
  const bool settles_order = committed_in_order_ || transaction_->has_writes();
  Status status;
  if (committed_in_order_) {
    status = std::move(commit_status_);
    committed_in_order_ = false;
    if (status.ok()) status = MakeOrderedCommitDurable();
  } else if (transaction_->active()) {
    status = CommitAlone(all);
  }
  versions_.End();
  measure_.End();
  // The order of this commit is settled: those that must follow it may go on.
  if (settles_order) thd_wakeup_subsequent_commits(thd_, status.ok() ? 0 : 1);
  if (status.ok()) {
    NotifyChanges();
    return 0;
  }
  const int error = ReportError(status, "commit");
  AbortFailedCommit(status);
  return error;
}

// A failed commit must not leave its transaction to the next statement.
void Session::AbortFailedCommit(const Status& status) {
  if (transaction_->state() == txn::Transaction::State::kPrepared) {
    sql_print_error("ROCKSDB: a prepared transaction could not be committed (%s): %s",
                    status.ToString().c_str(), kTriedAgain);
    LeaveDecided(txn::DecidedTransactions::Outcome::kCommit);
  } else if (transaction_->active()) {
    const Status undone = transaction_->Rollback();
    if (!undone.ok()) {
      sql_print_error("ROCKSDB: rollback after a failed commit: %s", undone.ToString().c_str());
    }
    changed_.clear();
  }
}

int Session::Rollback(bool all) {
  measure_.End();
  sequences_.End();
  committed_in_order_ = false;
  versions_.NoteRollback();
  if (EndsTransaction(all)) versions_.End();
  if (!transaction_->active()) {
    in_statement_ = false;
    changed_.clear();
    return 0;
  }
  if (EndsTransaction(all)) {
    in_statement_ = false;
    changed_.clear();
    const Status undone = transaction_->Rollback();
    if (transaction_->state() == txn::Transaction::State::kPrepared) {
      sql_print_error("ROCKSDB: a prepared transaction could not be rolled back (%s): %s",
                      undone.ToString().c_str(), kTriedAgain);
      LeaveDecided(txn::DecidedTransactions::Outcome::kRollback);
    }
    return ReportError(undone, "rollback");
  }
  if (!in_statement_) return 0;
  const Status status = transaction_->RollbackStatement();
  versions_.RollbackStatement();
  in_statement_ = false;
  if (status.ok()) return 0;
  // Half of a statement must not be committed.
  thd_->mark_transaction_to_rollback(true);
  return ReportError(status, "rollback of a statement");
}

void Session::LeaveDecided(txn::DecidedTransactions::Outcome outcome) {
  const std::string name(transaction_->name());
  DetachPrepared();
  database_.decided()->Add(name, outcome);
}

void Session::DetachPrepared() {
  std::unique_ptr<txn::Transaction> fresh = database_.transactions()->NewTransaction();
  fresh->locks().SetRunner(thd_);
  transaction_->locks().SetRunner(nullptr);  // it may outlive the connection
  {
    MutexLock registry(Sessions().mutex);
    MutexLock lock(interrupt_mutex_);
    std::swap(transaction_, fresh);
  }
  database_.transactions()->Detach(std::move(fresh));
  versions_.End();
  in_statement_ = false;
  changed_.clear();
}

void Session::Disconnect() {
  load_.FinishDisconnected();
  if (transaction_->state() == txn::Transaction::State::kPrepared) {
    DetachPrepared();
  } else if (transaction_->active()) {
    const Status status = transaction_->Rollback();
    if (!status.ok()) {
      sql_print_error("ROCKSDB: rollback at the end of a connection: %s",
                      status.ToString().c_str());
    }
  }
}

int Session::SetSavepoint(void* place) {
  SavepointPlace savepoint{};
  if (!transaction_->active()) BeginTransaction();
  savepoint.versioned_rows = versions_.rows();
  const int error = ReportError(transaction_->SetSavepoint(&savepoint.transaction), "savepoint");
  std::memcpy(place, &savepoint, sizeof(savepoint));
  return error;
}

int Session::RollbackToSavepoint(void* place) {
  SavepointPlace savepoint{};
  std::memcpy(&savepoint, place, sizeof(savepoint));
  if (!transaction_->active()) return 0;
  const int error = ReportError(transaction_->RollbackToSavepoint(savepoint.transaction),
                                "rollback to a savepoint");
  versions_.RollbackTo(savepoint.versioned_rows);
  if (error != 0) thd_->mark_transaction_to_rollback(true);
  return error;
}

int Session::ReleaseSavepoint(void* place) {
  SavepointPlace savepoint{};
  std::memcpy(&savepoint, place, sizeof(savepoint));
  if (transaction_->active()) transaction_->ReleaseSavepoint(savepoint.transaction);
  return 0;
}

void Session::LogStatement(const char* why) const {
  char query[kLoggedStatementBytes];
  const size_t bytes = thd_query_safe(thd_, query, sizeof(query));
  sql_print_warning("ROCKSDB: %s, in connection %llu: %.*s", why,
                    static_cast<unsigned long long>(thd_get_thread_id(thd_)),
                    static_cast<int>(bytes), query);
}

void Session::NoteFailure(Code code) {
  switch (code) {
    case Code::kDeadlock:
      thd_->mark_transaction_to_rollback(true);
      break;
    case Code::kLockTimeout:
      thd_->mark_transaction_to_rollback(RollbackOnTimeout());
      break;
    case Code::kSnapshotConflict:  // as in MyRocks
      row_counters_.Note(RowEvent::kSnapshotConflict);
      if (PrintSnapshotConflicts()) LogStatement("a row has changed since the snapshot");
      thd_->mark_transaction_to_rollback(false);
      break;
    case Code::kLockBusy:
      thd_->mark_transaction_to_rollback(false);
      break;
    default:
      break;
  }
}

void Session::Interrupt() {
  MutexLock lock(interrupt_mutex_);
  transaction_->locks().Interrupt();
}

}  // namespace basalt::server
