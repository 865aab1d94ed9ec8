// SPDX-License-Identifier: GPL-2.0-only
#include "server/plugin/handlerton.h"

#include <set>
#include <string>
#include <vector>

#include "server/checkpoint_notifier.h"
#include "server/connections/session.h"
#include "server/connections/xid_name.h"
#include "server/definitions/definition_check.h"
#include "server/definitions/table_dropper.h"
#include "server/error_map.h"
#include "server/foreign_keys/relatives_validation.h"
#include "server/handler/count_query.h"
#include "server/handler/handler.h"
#include "server/plugin_state.h"
#include "server/reports/engine_status.h"
#include "server/tables/definition_files.h"
#include "server/tables/discovery.h"
#include "server/tables/index_attributes.h"
#include "server/tables/storage_preset.h"
#include "server/tables/table_name.h"
#include "server/variables/system_variables.h"

// Functions the server calls through the handlerton. Each is a few lines: the work is in Session
// and below. The result is 0 or a handler error; nothing throws past them.

namespace basalt::server {

namespace {

// --- Connections and transactions ---

::handler* Create(handlerton* hton, TABLE_SHARE* share, MEM_ROOT* mem_root) {
  // `share` is null when the server only wants to drop a table.
  return new (mem_root) Handler(hton, share, *RunningDatabase());
}

int CloseConnection(handlerton* hton, THD* thd) {
  Session* session = Session::IfAny(thd);
  if (session == nullptr) return 0;
  session->Disconnect();
  thd_set_ha_data(thd, hton, nullptr);  // from here on no KILL finds it
  delete session;
  return 0;
}

// Nothing to do at the end of most statements.
Status SyncDefinitions(Session* session) {
  UnsyncedDefinitions* definitions = session->unsynced_definitions();
  if (definitions->empty()) [[likely]]
    return Status::Ok();
  return definitions->Sync();
}

int Commit(handlerton*, THD* thd, bool all) {
  Session* session = Session::IfAny(thd);
  if (session == nullptr) return 0;
  // First: what follows on a replica may be acknowledged once this has ended.
  const Status synced = SyncDefinitions(session);
  const int ended = session->Commit(all);
  if (ended != 0 || synced.ok()) [[likely]]
    return ended;
  return ReportError(synced, "syncing .frm files");
}

int Rollback(handlerton*, THD* thd, bool all) {
  Session* session = Session::IfAny(thd);
  if (session == nullptr) return 0;
  const Status synced = SyncDefinitions(session);
  if (!synced.ok()) sql_print_error("ROCKSDB: syncing .frm files: %s", synced.ToString().c_str());
  return session->Rollback(all);
}

int Prepare(handlerton*, THD* thd, bool all) {
  Session* session = Session::IfAny(thd);
  return session == nullptr ? 0 : session->Prepare(all);
}

void CommitOrdered(handlerton*, THD* thd, bool all) {
  Session* session = Session::IfAny(thd);
  if (session != nullptr) session->CommitOrdered(all);
}

ulonglong TakeCommitId(THD* thd, ulonglong* begin) {
  *begin = 0;
  Session* session = Session::IfAny(thd);
  return session == nullptr ? 0 : session->versions()->TakeCommitId(begin);
}

int StartConsistentSnapshot(handlerton*, THD* thd) {
  Session* session = Session::Of(thd, *RunningDatabase());
  if (session == nullptr) return HA_ERR_OUT_OF_MEM;
  if (thd_tx_isolation(thd) < ISO_REPEATABLE_READ) {
    push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_UNKNOWN_ERROR,
                        "ROCKSDB: a consistent snapshot lasts for the transaction only with "
                        "REPEATABLE READ or SERIALIZABLE; it was not taken");
    return 0;
  }
  return ReportError(session->TakeSnapshot(), "consistent snapshot");
}

int SetSavepoint(handlerton*, THD* thd, void* place) {
  Session* session = Session::Of(thd, *RunningDatabase());
  return session == nullptr ? HA_ERR_OUT_OF_MEM : session->SetSavepoint(place);
}

int RollbackToSavepoint(handlerton*, THD* thd, void* place) {
  Session* session = Session::IfAny(thd);
  return session == nullptr ? 0 : session->RollbackToSavepoint(place);
}

int ReleaseSavepoint(handlerton*, THD* thd, void* place) {
  Session* session = Session::IfAny(thd);
  return session == nullptr ? 0 : session->ReleaseSavepoint(place);
}

bool SavepointRollbackCanReleaseMdl(handlerton*, THD* thd) {
  // Rows that stay locked must keep their tables from being changed.
  Session* session = Session::IfAny(thd);
  return session == nullptr || session->transaction()->locks().empty();
}

void KillQuery(handlerton*, THD* thd, thd_kill_levels) {
  // The server holds LOCK_thd_data, so the session cannot go away meanwhile.
  Session* session = Session::IfAny(thd);
  if (session != nullptr) session->Interrupt();
}

// --- Recovery and durability ---

// The server asks in portions of `room`, until it gets fewer than that.
int Recover(handlerton*, XID* list, uint room) {
  static std::vector<std::string> names;
  static size_t next = 0;
  if (room == 0 || list == nullptr) return 0;
  if (next == 0) names = RunningDatabase()->transactions()->DetachedNames();
  uint found = 0;
  while (found < room && next < names.size()) {
    if (XidOfName(names[next], &list[found])) {
      ++found;
    } else {
      sql_print_warning("ROCKSDB: a prepared transaction has a name that is no XID; it stays");
    }
    ++next;
  }
  if (found < room) next = 0;
  return static_cast<int>(found);
}

// Results of the X/Open XA interface.
constexpr int kXaOk = 0;
constexpr int kXaNoSuchTransaction = -4;
constexpr int kXaResourceFailed = -7;

int XaResult(const Status& status, const char* doing) {
  if (status.ok()) return kXaOk;
  if (status.code() == Code::kNotFound) return kXaNoSuchTransaction;
  sql_print_error("ROCKSDB: %s of a prepared transaction: %s", doing, status.ToString().c_str());
  return kXaResourceFailed;
}

int CommitByXid(handlerton*, XID* xid) {
  // Durable: the coordinator forgets the transaction when this returns.
  return XaResult(
      RunningDatabase()->transactions()->CommitDetached(NameOfXid(*xid), txn::Durability::kSync),
      "commit");
}

int RollbackByXid(handlerton*, XID* xid) {
  return XaResult(RunningDatabase()->transactions()->RollbackDetached(NameOfXid(*xid)), "rollback");
}

void CommitCheckpointRequest(void* cookie) { State().checkpoint_notifier->Request(cookie); }

bool FlushLogs(handlerton*) {
  const engine::Database* const database = RunningDatabase();
  if (database == nullptr) return false;
  const Status status = database->store()->SyncWal(true);
  if (status.ok()) return false;
  sql_print_error("ROCKSDB: FLUSH LOGS: %s", status.ToString().c_str());
  return true;
}

int SignalDdlRecoveryDone(handlerton*) {
  engine::Database& database = *RunningDatabase();
  WarnIfWithoutTwoPhaseCommit();
  State().recovered = true;
  if (ValidateTables() != TableValidation::kOff) {
    RepairDefinitions(database, ".", State().ddl_recovery);
  }
  State().ddl_recovery = {};
  const Status status = database.StartBackgroundWork();
  if (status.ok()) return 0;
  sql_print_error("ROCKSDB: background work does not start: %s", status.ToString().c_str());
  return 1;
}

void PreShutdown() {
  engine::Database* const database = RunningDatabase();
  if (database != nullptr) database->StopBackgroundWork();
}

// --- Tables ---

// Where the server undoes a statement, or recovers from a crash, the table goes whoever refers to
// it.
int RefuseDrop(const engine::Database& database, const char* path) {
  THD* thd = current_thd;
  std::string name;
  if (thd == nullptr || !State().recovered || !TableNameOf(path, &name).ok()) return 0;
  return ValidateDrop(thd, *database.catalog(), name);
}

int DropTable(handlerton*, const char* path) {
  engine::Database& database = *RunningDatabase();
  if (int error = RefuseDrop(database, path)) return error;
  const Status status = DropTableByPath(database, path);
  if (status.ok()) return 0;
  if (status.code() == Code::kNotFound || status.code() == Code::kInvalidArgument) {
    return HA_ERR_NO_SUCH_TABLE;  // dropping twice is no failure: DDL recovery does it
  }
  if (status.code() == Code::kLockTimeout || status.code() == Code::kInterrupted) {
    return HandlerError(status);  // which the server has words for
  }
  return ReportError(status, std::string("dropping ") + path);
}

// The server has written a .par file, or renamed it and the .frm file (in ALTER .. PARTITION; in
// RENAME TABLE the .frm file follows). It syncs neither, but its DDL log relies on them next: after
// a power cut the table would have an empty .par file, or an old one.
int SyncPartitioning(const char* path, const char* old_path, chf_create_flags change) {
  if (change == CHF_DELETE_FLAG || !opt_sync_frm) return 0;
  std::set<std::string> paths{path};
  if (old_path != nullptr) paths.insert(old_path);
  return ReportError(SyncDefinitionFiles(paths), std::string("syncing the .par file of ") + path);
}

void DropDatabase(handlerton*, char* path) {
  engine::Database& database = *RunningDatabase();
  const std::string prefix = TablePrefixOfDatabase(path);
  for (const auto& table : database.catalog()->Tables()) {
    if (!table->name.starts_with(prefix)) continue;
    const Status status = DropTableByName(database, table->name);
    if (!status.ok()) {
      sql_print_error("ROCKSDB: dropping %s with its database: %s", table->name.c_str(),
                      status.ToString().c_str());
    }
  }
}

// After a crash in an in-place ALTER: 0 when the engine has the new definition, of that identity.
// The counter decides only for a table whose definition is not kept.
int CheckVersion(handlerton*, const char* path, const LEX_CUSTRING* identity, ulonglong create_id) {
  std::string name;
  uint64_t version = 0;
  Status status = TableNameOf(path, &name);
  if (!status.ok()) return 1;
  const catalog::Catalog& catalog = *RunningDatabase()->catalog();
  const Bytes wanted(reinterpret_cast<const char*>(identity->str), identity->length);
  catalog::TableDefinition definition;
  if (catalog.definitions().Read(name, &definition).ok())
    return definition.identity == wanted ? 0 : 1;
  status = catalog.TableVersion(name, &version);
  return status.ok() && version != create_id ? 0 : 1;
}

// An in-place ALTER is about to be committed; of a partitioned table each partition is told.
int NotifyTabledefChanged(handlerton*, LEX_CSTRING*, LEX_CSTRING*, LEX_CUSTRING* frm, LEX_CUSTRING*,
                          ::handler* file) {
  if (frm != nullptr && frm->str != nullptr) {
    static_cast<Handler*>(file)->NoteNewDefinition(
        Bytes(reinterpret_cast<const char*>(frm->str), frm->length));
  }
  return 0;
}

}  // namespace

void WarnIfWithoutTwoPhaseCommit() {
  if (Handlerton()->prepare != nullptr) return;
  sql_print_error(
      "ROCKSDB: the server has switched off two-phase commit for this engine, because "
      "it was installed while the server runs: writes inside XA transactions are refused, and "
      "a transaction that writes into two engines may be committed in one of them only after a "
      "crash. Restart the server");
}

void SetUpHandlerton(handlerton* hton) {
  hton->db_type = DB_TYPE_AUTOASSIGN;
  hton->flags = HTON_SUPPORTS_EXTENDED_KEYS | HTON_NATIVE_SYS_VERSIONING;
  hton->savepoint_offset = sizeof(Session::SavepointPlace);
  hton->create = Create;
  hton->close_connection = CloseConnection;
  hton->commit = Commit;
  hton->rollback = Rollback;
  hton->prepare = Prepare;
  hton->commit_ordered = CommitOrdered;
  hton->prepare_commit_versioned = TakeCommitId;
  hton->start_consistent_snapshot = StartConsistentSnapshot;
  hton->savepoint_set = SetSavepoint;
  hton->savepoint_rollback = RollbackToSavepoint;
  hton->savepoint_release = ReleaseSavepoint;
  hton->savepoint_rollback_can_release_mdl = SavepointRollbackCanReleaseMdl;
  hton->kill_query = KillQuery;
  hton->recover = Recover;
  hton->commit_by_xid = CommitByXid;
  hton->rollback_by_xid = RollbackByXid;
  hton->commit_checkpoint_request = CommitCheckpointRequest;
  hton->flush_logs = FlushLogs;
  hton->signal_ddl_recovery_done = SignalDdlRecoveryDone;
  hton->pre_shutdown = PreShutdown;
  hton->drop_table = DropTable;
  hton->drop_database = DropDatabase;
  hton->create_partitioning_metadata = SyncPartitioning;
  hton->check_version = CheckVersion;
  hton->create_group_by = CreateCountQuery;
  hton->notify_tabledef_changed = NotifyTabledefChanged;
  SetUpDiscovery(hton);
  hton->table_options = TableOptions();
  hton->index_options = IndexOptions();
  hton->show_status = ShowStatus;
}

}  // namespace basalt::server
