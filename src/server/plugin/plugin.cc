// SPDX-License-Identifier: GPL-2.0-only
//
// The plugin: what the server reads from the library, and how it comes and goes. The only file
// that is compiled with visible symbols.
#include <new>
#include <string>

#include "base/heap.h"
#include "server/checkpoint_notifier.h"
#include "server/connections/session.h"
#include "server/connections/wait_reports.h"
#include "server/definitions/definition_check.h"
#include "server/information_schema/view.h"
#include "server/measures/instruments.h"
#include "server/plugin/handlerton.h"
#include "server/plugin/processor.h"
#include "server/plugin/server_build.h"
#include "server/plugin_state.h"
#include "server/reports/lock_views.h"
#include "server/reports/progress_view.h"
#include "server/reports/status_counters.h"
#include "server/server_headers.h"
#include "server/tables/collation_adapter.h"
#include "server/variables/system_variables.h"

// Exported by the server, declared in none of its headers.
extern void ignore_db_dirs_append(const char* directory);
// The declaration of an engine that every server has built in.
extern st_maria_plugin builtin_maria_binlog_plugin[];
// What the server reads; defined at the end of this file.
MYSQL_PLUGIN_EXPORT st_maria_plugin _maria_plugin_declarations_[];

namespace basalt::server {
namespace {

// The build defines both from the version of the project (CMakeLists.txt).
constexpr unsigned kVersion = BASALT_VERSION_NUMBER;  // major << 8 | minor
constexpr char kVersionText[] = BASALT_VERSION;

// rocksdb_validate_tables=1 refuses, as in MyRocks: before the server's recovery of DDL statements,
// so what a crash has left apart is refused, too.
Status CheckDefinitions(const catalog::Catalog& catalog) {
  if (ValidateTables() == TableValidation::kMend) {
    State().ddl_recovery.rewritten = WriteLostParFiles(catalog, ".");
  }
  if (ValidateTables() != TableValidation::kRefuse) return Status::Ok();
  const std::vector<std::string> findings = DefinitionFindings(catalog, ".");
  if (findings.empty()) return Status::Ok();
  for (const std::string& finding : findings) sql_print_error("ROCKSDB: %s", finding.c_str());
  return Status(Code::kCorruption,
                "the dictionary and the .frm files disagree, see above; rocksdb_validate_tables=2 "
                "mends what can be mended");
}

// Its error is that of the SET statement.
void FinishLoad(THD* thd) {
  Session* session = Session::IfAny(thd);
  if (session != nullptr) (void)session->load()->Finish();
}

Status OpenDatabase() {
  PluginState& state = State();
  BASALT_RETURN_IF_ERROR(engine::Database::Open(DatabaseOptionsFromVariables(), &state.database));
  BASALT_RETURN_IF_ERROR(CheckDefinitions(*state.database->catalog()));
  state.wait_reports = std::make_unique<WaitReports>();
  state.database->transactions()->waits()->Observe(state.wait_reports.get());
  state.database->transactions()->waits()->KeepReports(KeptDeadlocks());
  FinishLoadsBy(&FinishLoad);
  state.version_ids = std::make_unique<catalog::VersionIds>(state.database->store());
  state.checkpoint_notifier = std::make_unique<CheckpointNotifier>(state.database->store());
  return Status::Ok();
}

void LogWhatWasFound() {
  sql_print_information("ROCKSDB: Basalt %s opened %s, %s", kVersionText, DataDirectory(),
                        engine::Describe(State().database->summary()).c_str());
}

// What the server holds of this plugin, if it holds it in the form that this file was compiled for:
// a server of another release may not.
st_plugin_int* KnownEntry(plugin_ref plugin) {
  st_plugin_int* entry = plugin_ref_to_int(plugin);
  const bool known = entry->plugin == &_maria_plugin_declarations_[0] &&
                     entry->state == PLUGIN_IS_UNINITIALIZED &&
                     (entry->load_option == PLUGIN_ON || entry->load_option == PLUGIN_FORCE ||
                      entry->load_option == PLUGIN_FORCE_PLUS_PERMANENT);
  return known ? entry : nullptr;
}

// A server that comes up without the engine takes its binary log for recovered, and the engine's
// share of the last commits is rolled back when it is there again. The server ends its start when
// a plugin of which it has been told so cannot start (--rocksdb=FORCE); this tells it.
void StopTheServersStart() {
  if (mysqld_server_started || ServerMayStartWithoutEngine()) return;
  constexpr LEX_CSTRING name = {STRING_WITH_LEN("ROCKSDB")};
  const plugin_ref plugin = plugin_lock_by_name(nullptr, &name, MYSQL_STORAGE_ENGINE_PLUGIN);
  if (plugin == nullptr) return;
  st_plugin_int* entry = KnownEntry(plugin);
  if (entry != nullptr) entry->load_option = PLUGIN_FORCE;
  plugin_unlock(nullptr, plugin);
  if (entry == nullptr) return;
  sql_print_error(
      "ROCKSDB: the server does not start without the engine, because acknowledged transactions "
      "could be lost; rocksdb_start_server_without_engine=ON lets it");
}

// A folder inside the server's data directory would be taken for a database.
void HideDataDirectory() {
  const std::string_view path = DataDirectory();
  const size_t slash = path.find_last_not_of('/') == std::string_view::npos
                           ? std::string_view::npos
                           : path.substr(0, path.find_last_not_of('/') + 1).rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  ::ignore_db_dirs_append(name.c_str());
}

int Deinit(void*) noexcept {
  PluginState& state = State();
  if (state.database == nullptr) return 0;
  state.checkpoint_notifier.reset();
  state.version_ids.reset();
  const Status status = state.database->Close();
  if (!status.ok()) sql_print_error("ROCKSDB: closing: %s", status.ToString().c_str());
  state.database.reset();
  ForgetCollations();
  return 0;
}

int Init(void* plugin) noexcept {
  if (const char* missing = MissingInstructions()) {
    sql_print_error("ROCKSDB: this processor has no %s instructions, which the plugin needs",
                    missing);
    StopTheServersStart();
    return 1;
  }
  State().hton = static_cast<handlerton*>(plugin);
  KeepLargeBlocksOutOfTheHeap();
  RegisterInstruments();
  SetUpHandlerton(State().hton);
  try {
    const Status status = OpenDatabase();
    if (status.ok()) {
      HideDataDirectory();
      LogWhatWasFound();
      return 0;
    }
    sql_print_error("ROCKSDB: the engine does not start: %s", status.ToString().c_str());
  } catch (const std::exception& error) {
    sql_print_error("ROCKSDB: the engine does not start: %s", error.what());
  }
  Deinit(nullptr);
  StopTheServersStart();
  return 1;
}

st_mysql_storage_engine storage_engine = {MYSQL_HANDLERTON_INTERFACE_VERSION};

// The number that the server compares with a plugin's is the one in its own declarations, shifted
// by eight bits. It is read through a volatile, since here it is a constant.
int ReleaseNumber(const void* declared) { return *static_cast<const volatile int*>(declared) >> 8; }

ServerBuild BuiltFor() {
  return {ReleaseNumber(&storage_engine), MYSQL_SERVER_VERSION MYSQL_SERVER_SUFFIX_DEF};
}

// set_server_version() tells what the server is, even when the option `version` lets it pose as
// another one.
ServerBuild Running() {
  static char version[SERVER_VERSION_LENGTH];
  ::set_server_version(version, sizeof(version));
  return {ReleaseNumber(builtin_maria_binlog_plugin[0].info), version};
}

// Touches nothing of the server but its error log, and the start that it may have to stop.
int Refuse(void*) noexcept {
  sql_print_error("ROCKSDB: %s", DescribeMismatch(BuiltFor(), Running()).c_str());
  StopTheServersStart();
  return 1;
}

// Runs when the library is opened, before the server reads its declarations. For a server that
// does not fit they become those of one plugin that says so and refuses to start. The server alone
// would say "API version not supported" and start without the engine.
__attribute__((constructor)) void DeclareForThisServer() {
  const ServerBuild running = Running();
  switch (CompareBuilds(BuiltFor(), running)) {
    case ServerMatch::kSame:
      return;
    case ServerMatch::kOtherBuilder:
      sql_print_warning("ROCKSDB: %s", DescribeMismatch(BuiltFor(), running).c_str());
      return;
    case ServerMatch::kOther:
      break;
  }
  st_maria_plugin* declared = _maria_plugin_declarations_;
  declared[0].info = builtin_maria_binlog_plugin[0].info;
  declared[0].init = Refuse;
  declared[0].status_vars = nullptr;
  declared[1] = st_maria_plugin{};
}

}  // namespace
}  // namespace basalt::server

// A table of INFORMATION_SCHEMA.
#define BASALT_VIEW(name, text, init)                                                         \
  {                                                                                           \
    MYSQL_INFORMATION_SCHEMA_PLUGIN, &basalt::server::view_declaration, name, "Basalt", text, \
        PLUGIN_LICENSE_GPL, basalt::server::init, nullptr, basalt::server::kVersion, nullptr, \
        nullptr, basalt::server::kVersionText, MariaDB_PLUGIN_MATURITY_GAMMA                  \
  }

maria_declare_plugin(ha_rocksdb){
    MYSQL_STORAGE_ENGINE_PLUGIN,
    &basalt::server::storage_engine,
    "ROCKSDB",
    "Basalt",
    "RocksDB storage engine",
    PLUGIN_LICENSE_GPL,
    basalt::server::Init,
    basalt::server::Deinit,
    basalt::server::kVersion,
    basalt::server::StatusVariables(),
    basalt::server::SystemVariables(),
    basalt::server::kVersionText,
    MariaDB_PLUGIN_MATURITY_GAMMA,
},
    BASALT_VIEW("ROCKSDB_CFSTATS", "Numbers of each column family", InitColumnFamilyStatistics),
    BASALT_VIEW("ROCKSDB_DBSTATS", "Numbers of the store", InitDatabaseStatistics),
    BASALT_VIEW("ROCKSDB_PERF_CONTEXT", "What was measured of statements, by table",
                InitPerformance),
    BASALT_VIEW("ROCKSDB_PERF_CONTEXT_GLOBAL", "What was measured of statements, in all",
                InitGlobalPerformance),
    BASALT_VIEW("ROCKSDB_CF_OPTIONS", "Options of each column family", InitColumnFamilyOptions),
    BASALT_VIEW("ROCKSDB_COMPACTION_STATS", "What compactions have done, by level",
                InitCompactionStatistics),
    BASALT_VIEW("ROCKSDB_GLOBAL_INFO", "The dictionary's own numbers", InitGlobalInformation),
    BASALT_VIEW("ROCKSDB_DDL", "Indexes in the dictionary", InitDictionary),
    BASALT_VIEW("ROCKSDB_SST_PROPS", "What table files say of themselves", InitTableFiles),
    BASALT_VIEW("ROCKSDB_INDEX_FILE_MAP", "Which indexes are in which table files", InitIndexFiles),
    BASALT_VIEW("ROCKSDB_LOCKS", "Row and range locks", InitLockView),
    BASALT_VIEW("ROCKSDB_TRX", "Transactions", InitTransactionView),
    BASALT_VIEW("ROCKSDB_DEADLOCK", "The last deadlocks", InitDeadlockView),
    BASALT_VIEW("ROCKSDB_LIVE_FILES", "Table files and where they lie", InitLiveFiles),
    BASALT_VIEW("ROCKSDB_ACTIVE_COMPACTIONS", "Compactions that run", InitActiveCompactions),
    BASALT_VIEW("ROCKSDB_COMPACTION_HISTORY", "The last compactions", InitCompactionHistory),
    BASALT_VIEW("ROCKSDB_INDEX_SIZES", "How much room each index takes, on disk and in memory",
                InitIndexSizes),
    BASALT_VIEW("ROCKSDB_FOREIGN_KEYS", "Foreign keys in the dictionary", InitForeignKeys),
    BASALT_VIEW("ROCKSDB_PROGRESS", "How far the statements are that run",
                InitProgressView) maria_declare_plugin_end;
