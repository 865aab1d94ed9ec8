// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/unsynced_definitions.h"

#include <string_view>
#include <utility>

#include "server/connections/session.h"
#include "server/plugin_state.h"
#include "server/server_headers.h"
#include "server/tables/definition_files.h"
#include "server/tables/table_name.h"

namespace basalt::server {

void UnsyncedDefinitions::Note(const char* path) {
  paths_.emplace(catalog::TableOfPartition(path));
}

Status UnsyncedDefinitions::Sync() {
  if (paths_.empty()) return Status::Ok();
  std::set<std::string> paths;
  paths.swap(paths_);
  return SyncDefinitionFiles(paths);
}

Status UnsyncedDefinitions::SyncOthersThan(const std::set<std::string>& paths) {
  return paths_ == paths ? Status::Ok() : Sync();
}

bool NoteChangedDefinition(engine::Database& database, const char* path) {
  THD* thd = current_thd;
  if (thd == nullptr || !State().recovered || !opt_sync_frm || IsTemporaryTable(path)) return false;
  Session* session = Session::Of(thd, database);
  if (session == nullptr) return false;
  session->unsynced_definitions()->Note(path);
  trans_register_ha(thd, false, Handlerton(), 0);
  return true;
}

Status SyncFormerRenames(const char* from, const char* to) {
  THD* thd = current_thd;
  Session* session = thd == nullptr ? nullptr : Session::IfAny(thd);
  if (session == nullptr) return Status::Ok();
  return session->unsynced_definitions()->SyncOthersThan(
      {std::string(catalog::TableOfPartition(from)), std::string(catalog::TableOfPartition(to))});
}

Status SyncDdlLog() {
  char file[FN_REFLEN];
  fn_format(file, opt_ddl_recovery_file, mysql_data_home, ".log", MYF(MY_REPLACE_EXT));
  Status status = SyncFile(file);
  return status.code() == Code::kNotFound ? Status::Ok() : std::move(status);
}

}  // namespace basalt::server
