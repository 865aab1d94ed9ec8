// SPDX-License-Identifier: GPL-2.0-only
#include "server/unsynced_definitions.h"

#include <string_view>

#include "server/definition_files.h"
#include "server/plugin_state.h"
#include "server/server_headers.h"
#include "server/session.h"
#include "server/table_name.h"

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

bool NoteChangedDefinition(const char* path) {
  THD* thd = current_thd;
  if (thd == nullptr || !State().recovered || !opt_sync_frm || IsTemporaryTable(path)) return false;
  Session* session = Session::Of(thd);
  if (session == nullptr) return false;
  session->unsynced_definitions()->Note(path);
  trans_register_ha(thd, false, Handlerton(), 0);
  return true;
}

}  // namespace basalt::server
