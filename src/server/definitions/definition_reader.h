// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

#include "catalog/catalog.h"
#include "server/definitions/definition_state.h"

namespace basalt::server {

// Reads what there is of the tables' definitions. One thread, while no table changes.
class DefinitionReader {
 public:
  // `folder` is the server's data directory, `engine` the server's number for this engine in .par
  // files. The catalog outlives the reader.
  DefinitionReader(const catalog::Catalog& catalog, std::string folder, uint8_t engine)
      : catalog_(catalog), folder_(std::move(folder)), engine_(engine) {}

  // A file or folder that cannot be read counts as absent. Reads every .frm file. Leaves
  // `server_started` to the caller.
  DefinitionState Read() const;

 private:
  void ReadTables(DefinitionState* state) const;
  void ReadDatabase(const std::string& database, DefinitionState* state) const;
  void ReadFrm(const std::string& table, const std::string& path, DefinitionState* state) const;
  ParFile ReadPar(const std::string& table, const std::string& path) const;
  // The copies of those tables whose files lack something, or differ.
  void ReadKeptDefinitions(DefinitionState* state) const;

  const catalog::Catalog& catalog_;
  const std::string folder_;
  const uint8_t engine_;
};

}  // namespace basalt::server
