// SPDX-License-Identifier: GPL-2.0-only
#include "server/definitions/definition_reader.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "server/tables/definition_files.h"
#include "server/tables/definition_names.h"

namespace basalt::server {

namespace {

bool FileAgrees(const DefinitionState& state, const std::string& whole,
                const DictionaryTable& table) {
  const auto file = state.frm_files.find(TableOf(whole));
  return file != state.frm_files.end() && file->second.IsOfThisEngine() &&
         file->second.Whole() == whole && file->second.header.identity == table.identity &&
         !(file->second.header.partitioned && file->second.par_empty);
}

}  // namespace

void DefinitionReader::ReadFrm(const std::string& table, const std::string& path,
                               DefinitionState* state) const {
  state->frm_names.insert(table);
  catalog::TableDefinition definition;
  FrmFile file{table, path, {}, HasParFile(path)};
  if (!ReadDefinitionFiles(path, &definition, &file.header).ok()) return;
  file.par_empty = definition.par.empty();
  state->frm_files.emplace(table, std::move(file));
}

ParFile DefinitionReader::ReadPar(const std::string& table, const std::string& path) const {
  std::error_code error;
  const bool empty = std::filesystem::file_size(path + kParExtension, error) == 0;
  return {table, path, empty || AllPartitionsAreOf(ReadParFile(path), engine_)};
}

void DefinitionReader::ReadDatabase(const std::string& database, DefinitionState* state) const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/" + database, error)) {
    const std::filesystem::path& file = entry.path();
    const std::string name = file.stem().string();
    const std::string table = database + "." + name;
    const std::string path = folder_ + "/" + database + "/" + name;
    if (file.extension() == kFrmExtension) ReadFrm(table, path, state);
    if (file.extension() == kParExtension) state->par_files.push_back(ReadPar(table, path));
    if (IsUnfinishedFile(file.string())) state->unfinished.push_back(file.string());
  }
}

void DefinitionReader::ReadTables(DefinitionState* state) const {
  for (const auto& table : catalog_.Tables()) {
    state->tables[catalog::WholeOf(table->name)].parts.push_back(table->name);
  }
  for (auto& [whole, identity] : catalog_.definitions().All()) {
    const auto table = state->tables.find(whole);
    if (table != state->tables.end()) table->second.identity = identity;
  }
}

void DefinitionReader::ReadKeptDefinitions(DefinitionState* state) const {
  for (auto& [whole, table] : state->tables) {
    if (!table.identity.has_value() || FileAgrees(*state, whole, table)) continue;
    catalog::TableDefinition definition;
    const Status status = catalog_.definitions().Read(whole, &definition);
    if (status.ok()) {
      table.kept = KeptDefinition{!definition.par.empty(), PartitionsIn(definition.par)};
    } else if (status.code() != Code::kNotFound) {
      table.read_error = status.ToString();
    }
  }
}

DefinitionState DefinitionReader::Read() const {
  DefinitionState state;
  ReadTables(&state);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string database = entry.path().filename().string();
    if (!database.starts_with('#') && !database.starts_with('.') && entry.is_directory(error)) {
      ReadDatabase(database, &state);
    }
  }
  ReadKeptDefinitions(&state);
  return state;
}

}  // namespace basalt::server
