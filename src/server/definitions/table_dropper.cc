// SPDX-License-Identifier: GPL-2.0-only
#include "server/definitions/table_dropper.h"

#include <memory>
#include <utility>

#include "server/connections/prepared_wait.h"
#include "server/connections/session.h"
#include "server/connections/unsynced_definitions.h"
#include "server/plugin_state.h"
#include "server/tables/definition_files.h"
#include "server/tables/table_name.h"

namespace basalt::server {

namespace {

// What the process remembers of indexes that are no more.
void Forget(engine::Database& database, const catalog::TableRecord& table) {
  if (table.Primary() != nullptr) database.ForgetCounters(table.Primary()->id);
  for (const catalog::IndexRecord& index : table.indexes) {
    database.key_prefixes()->Unregister(index.id);
    database.store()->time_to_live()->Unregister(index.id);
  }
}

// The rows of a temporary table go when no writes of its connection are left that might be of it.
void ForgetTemporary(engine::Database& database,
                     std::shared_ptr<const catalog::TableRecord> table) {
  Forget(database, *table);
  THD* thd = current_thd;
  Session* session = thd == nullptr ? nullptr : Session::IfAny(thd);
  if (session != nullptr) {
    session->transaction()->writes().temporary().TableDropped(std::move(table));
  } else {
    (void)database.catalog()->temporary_tables()->Reclaim(*table);
  }
}

// Not for partitions: by now the server has removed what it knows of the partitioned table, so that
// an error would leave half of it. Nor during its recovery, where the statement is decided.
Status WaitForDecisionOf(const engine::Database& database, const std::string& name) {
  THD* thd = current_thd;
  if (thd == nullptr || !State().recovered) return Status::Ok();
  if (IsTemporaryTable(name) || catalog::IsPartitionName(name)) return Status::Ok();
  const auto table = database.catalog()->FindTable(name);
  if (table == nullptr || table->Primary() == nullptr) return Status::Ok();
  return WaitForDecision(*database.transactions(), thd, table->Primary()->id);
}

// Whether the server removes the .frm file of the table right after the engine has dropped it, and
// takes a missing one as well.
bool TakesItsFile(THD* thd, const std::string& name) {
  switch (thd_sql_command(thd)) {
    case SQLCOM_DROP_DB:
    case SQLCOM_DROP_TABLE:
    case SQLCOM_DROP_SEQUENCE:
    case SQLCOM_CREATE_TABLE:  // OR REPLACE
    case SQLCOM_CREATE_SEQUENCE:
      return true;
    case SQLCOM_ALTER_TABLE:  // to another name, by copying
      return !catalog::IsPartitionName(name);
    default:
      return false;
  }
}

// The server ends its DDL log before it tells the engine that the statement has ended, and a .frm
// file that a power cut brought back in between would have no table. So the files go first, or
// become durable as they are. A table without its file is dropped by the DDL log, or found again:
// so that log becomes durable before, or else a DROP could be done that the binary log lacks.
Status SettleFiles(engine::Database& database, const char* path, const std::string& name) {
  if (!NoteChangedDefinition(database, path)) return Status::Ok();
  const std::string table(catalog::TableOfPartition(path));
  catalog::TableDefinition file;
  if (!ReadDefinitionFiles(table, &file, nullptr).ok()) return Status::Ok();
  if (database.catalog()->definitions().Has(name, file.identity)) {
    if (!TakesItsFile(current_thd, name)) return Status::Ok();
    BASALT_RETURN_IF_ERROR(SyncDdlLog());
    BASALT_RETURN_IF_ERROR(RemoveDefinitionFiles(table));
  }
  return SyncDefinitionFiles({table});
}

}  // namespace

Status DropTableByName(engine::Database& database, const std::string& name) {
  catalog::Catalog* catalog = database.catalog();
  std::shared_ptr<const catalog::TableRecord> table;
  if (IsTemporaryTable(name)) {
    BASALT_RETURN_IF_ERROR(catalog->temporary_tables()->Drop(name, &table));
    ForgetTemporary(database, std::move(table));
    return Status::Ok();
  }
  table = catalog->FindTable(name);
  if (table == nullptr) return Status(Code::kNotFound, "no table " + name);
  BASALT_RETURN_IF_ERROR(catalog->DropTable(name));
  Forget(database, *table);
  return Status::Ok();
}

Status DropTableByPath(engine::Database& database, const char* path) {
  std::string name;
  BASALT_RETURN_IF_ERROR(TableNameOf(path, &name));
  BASALT_RETURN_IF_ERROR(WaitForDecisionOf(database, name));
  BASALT_RETURN_IF_ERROR(SettleFiles(database, path, name));
  Status status = DropTableByName(database, name);
  if (status.code() != Code::kNotFound || IsTemporaryTable(name) ||
      !database.catalog()->IsTable(name)) {
    return status;
  }
  if (HasFrmFile(path)) {
    if (!State().recovered) State().ddl_recovery.dropped.insert(catalog::PartitionsOf(name));
    return status;
  }
  for (const auto& table : database.catalog()->Tables()) {
    if (catalog::TableOfPartition(table->name) != name) continue;
    BASALT_RETURN_IF_ERROR(DropTableByName(database, table->name));
  }
  return Status::Ok();
}

Status EmptyTableByName(engine::Database& database, const std::string& name) {
  catalog::Catalog* catalog = database.catalog();
  std::shared_ptr<const catalog::TableRecord> table;
  if (IsTemporaryTable(name)) {
    BASALT_RETURN_IF_ERROR(catalog->temporary_tables()->Truncate(name, &table));
    ForgetTemporary(database, std::move(table));
    return Status::Ok();
  }
  table = catalog->FindTable(name);
  BASALT_RETURN_IF_ERROR(catalog->TruncateTable(name, 0, nullptr));
  if (table != nullptr) Forget(database, *table);
  return Status::Ok();
}

}  // namespace basalt::server
