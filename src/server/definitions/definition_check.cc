// SPDX-License-Identifier: GPL-2.0-only
#include "server/definitions/definition_check.h"

#include <cstdint>
#include <filesystem>

#include "server/definitions/definition_reader.h"
#include "server/definitions/definition_reconciler.h"
#include "server/definitions/definition_repairer.h"
#include "server/plugin_state.h"
#include "server/server_headers.h"
#include "server/tables/definition_files.h"
#include "server/tables/definition_names.h"

namespace basalt::server {

namespace {

DefinitionState ReadState(const catalog::Catalog& catalog, const std::string& folder) {
  const auto engine = static_cast<uint8_t>(Handlerton()->db_type);
  DefinitionState state = DefinitionReader(catalog, folder, engine).Read();
  state.server_started = mysqld_server_started;
  return state;
}

// A .par file that is lost or emptied. Without the .frm file, too, DROP TABLE was under way: the
// server drops partitions by their names in the .par file.
bool NeedsParFile(const std::string& whole, const std::string& path) {
  return HasFrmFile(path) ? ReadParFile(path).empty() : !catalog::IsTemporaryName(whole);
}

}  // namespace

std::vector<std::string> DefinitionFindings(const catalog::Catalog& catalog,
                                            const std::string& folder) {
  const DefinitionState state = ReadState(catalog, folder);
  return DefinitionReconciler(state).Findings();
}

void RepairDefinitions(engine::Database& database, const std::string& folder,
                       const DdlRecoveryNotes& notes) {
  const catalog::Catalog& catalog = *database.catalog();
  DefinitionRepairer repairer(database, folder);
  DefinitionState state = ReadState(catalog, folder);
  for (const RepairStep step : kRepairSteps) {
    const std::vector<Repair> repairs = DefinitionReconciler(state).Decide(step, notes);
    if (repairs.empty()) continue;
    repairer.CarryOut(repairs, state);
    if (step != RepairStep::kDefinitions) state = ReadState(catalog, folder);
  }
}

std::set<std::string> WriteLostParFiles(const catalog::Catalog& catalog,
                                        const std::string& folder) {
  std::set<std::string> rewritten;
  std::set<std::string> partitioned;
  for (const auto& table : catalog.Tables()) {
    if (catalog::IsPartitionName(table->name)) partitioned.insert(catalog::WholeOf(table->name));
  }
  for (const std::string& whole : partitioned) {
    std::string path = TableOf(whole);
    path[path.find('.')] = '/';
    path = folder + "/" + path;
    catalog::TableDefinition kept;
    if (!NeedsParFile(whole, path) || !catalog.definitions().Read(whole, &kept).ok() ||
        kept.par.empty())
      continue;
    catalog::TableDefinition file;
    const Status read = ReadDefinitionFiles(path, &file, nullptr);
    const bool known = read.ok() ? kept.identity == file.identity : read.code() == Code::kNotFound;
    if (!known || !WriteDefinitionFiles(path, kept).ok()) continue;
    if (!read.ok()) rewritten.insert(whole);
    sql_print_information("ROCKSDB: wrote the .par file of table %s anew from the dictionary",
                          TableOf(whole).c_str());
  }
  return rewritten;
}

}  // namespace basalt::server
