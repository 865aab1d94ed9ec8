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
#include "engine/loads/explicit_load.h"
#include "server/backup_lock.h"
#include "server/connections/commit_order.h"
#include "server/connections/xid_name.h"
#include "server/error_map.h"
#include "server/measures/instruments.h"
#include "server/measures/perf_counters.h"
#include "server/plugin_state.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

constexpr ulonglong kSeveralStatements = OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN;
constexpr int kLastLevelWithoutMeasuring = 1;
constexpr size_t kLoggedStatementBytes = 4096;
constexpr uint64_t kMicrosecondsPerSecond = 1'000'000;

static_assert(std::is_trivially_copyable_v<txn::Transaction::Savepoint>,
              "savepoints lie in memory of the server");

txn::Isolation IsolationOf(const THD* thd) {
  // READ UNCOMMITTED is served as READ COMMITTED: uncommitted rows of others are not in the store.
  switch (thd_tx_isolation(thd)) {
    case ISO_READ_UNCOMMITTED:
    case ISO_READ_COMMITTED:
      return txn::Isolation::kReadCommitted;
    case ISO_SERIALIZABLE:
      return txn::Isolation::kSerializable;
    default:
      return txn::Isolation::kRepeatableRead;
  }
}

// SELECT ... WAIT n sets lock_wait_timeout for its statement: the only way the server tells.
uint64_t LockWaitOf(THD* thd) {
  uint64_t seconds = LockWaitSeconds(thd);
  if (thd->lex->stmt_var_list.elements > 0) {
    seconds = std::min<uint64_t>(seconds, thd->variables.lock_wait_timeout);
  }
  return seconds * kMicrosecondsPerSecond;
}

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

}  // namespace

Session::Session(THD* thd, engine::Database& database)
    : thd_(thd), database_(database), transaction_(database.transactions()->NewTransaction()) {
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

void Session::ForEach(const std::function<void(THD*, const txn::Transaction&)>& visit) {
  MutexLock lock(Sessions().mutex);
  for (const Session* session : Sessions().sessions) visit(session->thd_, *session->transaction_);
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

txn::Transaction::Settings Session::Settings() const {
  txn::Transaction::Settings settings;
  settings.isolation = IsolationOf(thd_);
  settings.lock_wait_microseconds = LockWaitOf(thd_);
  // A worker of a replica may find rows of the transaction before it by locks only, not by a
  // snapshot.
  settings.detect_conflicts = HasMyRocksLockingStyle(thd_) && !IsParallelWorker(thd_);
  return settings;
}

void Session::StartTransaction() {
  transaction_->Begin(Settings());
  committed_in_order_ = false;
}

txn::Transaction* Session::SequenceTransaction() {
  if (sequences_ == nullptr) sequences_ = database_.transactions()->NewTransaction();
  if (!sequences_->active()) sequences_->Begin(Settings());
  return sequences_.get();
}

Status Session::CommitSequence(Status written) {
  if (written.ok()) written = sequences_->Commit(CommitDurability());
  EndSequences();  // what has failed
  SequenceTransaction();
  return written;
}

void Session::EndSequences() {
  if (sequences_ != nullptr && sequences_->active()) (void)sequences_->Rollback();
}

void Session::NoteChange(const std::shared_ptr<engine::TableCounters>& table) {
  if (std::find(changed_.rbegin(), changed_.rend(), table) == changed_.rend()) {
    changed_.push_back(table);
  }
}

void Session::TellChanges() {
  if (changed_.empty()) return;
  const int64_t now = std::time(nullptr);
  for (const auto& table : changed_) table->NoteCommit(now);
  changed_.clear();
}

bool Session::LoadsRows(THD* thd) {
  const int command = thd_sql_command(thd);
  const bool adds =
      command == SQLCOM_INSERT || command == SQLCOM_INSERT_SELECT || command == SQLCOM_LOAD;
  return adds && !thd->slave_thread && !thd->lex->ignore && thd->lex->duplicates == DUP_ERROR;
}

void Session::EnterStatement() {
  if (!transaction_->active()) StartTransaction();
  const bool several = thd_test_options(thd_, kSeveralStatements);
  if (!in_statement_) {
    transaction_->set_lock_wait_microseconds(LockWaitOf(thd_));
    transaction_->set_fill_cache(!SkipFillCache(thd_));
    transaction_->BeginStatement();
    in_statement_ = true;
    Measure();
    // An interrupt meant for an earlier statement must not end this one; one that came just now is
    // still to be seen in `killed`, which the server sets first.
    transaction_->locks().ClearInterrupt();
    if (thd_->killed) transaction_->locks().Interrupt();
  }
  trans_register_ha(thd_, false, Handlerton(), 0);
  if (several) trans_register_ha(thd_, true, Handlerton(), 0);
}

void Session::Measure() {
  const int level = PerfContextLevel(thd_);
  measures_ = level > kLastLevelWithoutMeasuring;
  if (measures_) [[unlikely]] {
    StartMeasuring(level);
  } else {
    MeasureNothing();
  }
}

void Session::HandOver(IndexId table) {
  HandOverMeasured(table);
  measured_table_ = table;
}

// The thread may go on with a statement of another connection.
void Session::StopMeasuring() {
  if (!measures_) return;
  HandOverMeasured(measured_table_);
  MeasureNothing();
  measures_ = false;
}

void Session::EndStatement() {
  if (!in_statement_) return;
  transaction_->EndStatement();
  EndSequences();
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
  if (!transaction_->active()) StartTransaction();
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
// whatever that log says: then the commit itself has to be durable before it is acknowledged.
Status Session::MakeOrderedCommitDurable() {
  const txn::Durability durability = CommitDurability();
  if (mysql_bin_log.is_open() || durability == txn::Durability::kNone) return Status::Ok();
  return database_.store()->SyncWal(durability == txn::Durability::kSync);
}

int Session::Commit(bool all) {
  EndStatement();
  if (!EndsTransaction(all)) {
    StopMeasuring();
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
    status = transaction_->Commit(CommitDurability());
  }
  StopMeasuring();
  // The order of this commit is settled: those that must follow it may go on.
  if (settles_order) thd_wakeup_subsequent_commits(thd_, status.ok() ? 0 : 1);
  if (status.ok()) {
    TellChanges();
    return 0;
  }
  const int error = ReportError(status, "commit");
  AbandonFailedCommit(status);
  return error;
}

// A failed commit must not leave its transaction to the next statement.
void Session::AbandonFailedCommit(const Status& status) {
  if (transaction_->state() == txn::Transaction::State::kPrepared) {
    sql_print_error(
        "ROCKSDB: a prepared transaction could not be committed (%s); it is kept and "
        "can be resolved after a restart",
        status.ToString().c_str());
    DetachPrepared();
  } else if (transaction_->active()) {
    const Status undone = transaction_->Rollback();
    if (!undone.ok()) {
      sql_print_error("ROCKSDB: rollback after a failed commit: %s", undone.ToString().c_str());
    }
    changed_.clear();
  }
}

int Session::Rollback(bool all) {
  StopMeasuring();
  EndSequences();
  committed_in_order_ = false;
  if (!transaction_->active()) {
    in_statement_ = false;
    changed_.clear();
    return 0;
  }
  if (EndsTransaction(all)) {
    in_statement_ = false;
    changed_.clear();
    return ReportError(transaction_->Rollback(), "rollback");
  }
  if (!in_statement_) return 0;
  const Status status = transaction_->RollbackStatement();
  in_statement_ = false;
  if (status.ok()) return 0;
  // Half of a statement must not be committed.
  thd_->mark_transaction_to_rollback(true);
  return ReportError(status, "rollback of a statement");
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
  in_statement_ = false;
  changed_.clear();
}

engine::ExplicitLoad* Session::explicit_load() {
  if (explicit_load_ == nullptr) {
    explicit_load_ = std::make_unique<engine::ExplicitLoad>(
        // A connection that ends finishes its load all the same.
        &database_,
        [thd = thd_](uint64_t, uint64_t) { return !thd->killed || thd->killed >= KILL_CONNECTION; },
        [thd = thd_](const std::function<Status()>& commit) {
          return CommitBetweenBackups(thd, commit);
        });
  }
  return explicit_load_.get();
}

bool Session::has_explicit_load() const {
  return explicit_load_ != nullptr && !explicit_load_->empty();
}

int Session::FinishExplicitLoad() {
  if (!has_explicit_load()) return 0;
  bool lost = false;
  const StageScope stage(thd_, stage_sorting);
  const Status status = explicit_load_->Finish(&lost);
  if (lost) {
    push_warning(thd_, Sql_condition::WARN_LEVEL_WARN, ER_UNKNOWN_ERROR,
                 "ROCKSDB: a table was dropped, emptied or copied before its bulk load ended: "
                 "nothing was loaded");
  }
  return ReportLoadError(status);
}

int Session::ReportLoadError(const Status& status) const {
  using Problem = engine::ExplicitLoad::Problem;
  if (status.ok()) return 0;
  switch (explicit_load_->problem()) {
    case Problem::kOutOfOrder:
      // MyRocks' words, not the server's, here and below.
      my_printf_error(ER_KEYS_OUT_OF_ORDER,
                      "Rows must be inserted in primary key order during bulk load operation",
                      MYF(0));
      break;
    case Problem::kOverlapping:
      my_printf_error(ER_OVERLAPPING_KEYS,
                      "Rows inserted during bulk load must not overlap existing rows", MYF(0));
      break;
    case Problem::kDuplicate: {
      const std::string text = "Duplicate entry in a bulk load: " + std::string(status.message());
      my_printf_error(ER_DUP_ENTRY, "%s", MYF(0), text.c_str());
      break;
    }
    case Problem::kInUse:
      my_printf_error(ER_LOCK_WAIT_TIMEOUT,
                      "A bulk load cannot begin: transactions, this connection's own perhaps, have "
                      "changed or locked rows of the table",
                      MYF(0));
      break;
    case Problem::kKnownKey:  // the server says which
    case Problem::kOther:
      return ReportError(status, "bulk load");
  }
  return HandlerError(status);
}

void Session::FinishLoadOfDisconnected() {
  if (!has_explicit_load()) return;
  bool lost = false;
  const Status loaded = explicit_load_->Finish(&lost);
  if (!lost && loaded.ok()) return;
  sql_print_error("ROCKSDB: error %d at the end of a bulk load whose connection ends: %s",
                  HandlerError(loaded), lost ? "its table is gone" : loaded.ToString().c_str());
}

void Session::Disconnect() {
  FinishLoadOfDisconnected();
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
  txn::Transaction::Savepoint savepoint{};
  if (!transaction_->active()) StartTransaction();
  const int error = ReportError(transaction_->SetSavepoint(&savepoint), "savepoint");
  std::memcpy(place, &savepoint, sizeof(savepoint));
  return error;
}

int Session::RollbackToSavepoint(void* place) {
  txn::Transaction::Savepoint savepoint;
  std::memcpy(&savepoint, place, sizeof(savepoint));
  if (!transaction_->active()) return 0;
  const int error =
      ReportError(transaction_->RollbackToSavepoint(savepoint), "rollback to a savepoint");
  if (error != 0) thd_->mark_transaction_to_rollback(true);
  return error;
}

int Session::ReleaseSavepoint(void* place) {
  txn::Transaction::Savepoint savepoint;
  std::memcpy(&savepoint, place, sizeof(savepoint));
  if (transaction_->active()) transaction_->ReleaseSavepoint(savepoint);
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
