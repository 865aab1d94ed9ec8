// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "catalog/catalog.h"
#include "engine/database.h"
#include "server/definitions/definition_reconciler.h"

namespace basalt::server {

// Carries out what DefinitionReconciler has decided, and logs each repair. A repair that fails
// concerns its table only. One thread, while no table changes.
class DefinitionRepairer {
 public:
  // `folder` is the server's data directory. The database outlives the repairer.
  DefinitionRepairer(engine::Database& database, std::string folder)
      : database_(database), catalog_(database.catalog()), folder_(std::move(folder)) {}

  // The repairs of one step, decided on `state`.
  void CarryOut(const std::vector<Repair>& repairs, const DefinitionState& state);

 private:
  using Repairs = std::vector<Repair>;

  void CarryOut(const Repair& repair, const DefinitionState& state);
  void RemoveFormerName(const Repair& repair);
  void RewriteFiles(const Repair& repair);
  void DropLeftover(const Repair& repair, const DefinitionState& state);
  void DropPartition(const Repair& repair);
  void WriteLostFiles(const Repair& repair);
  void ReplaceForeignFiles(const Repair& repair);
  void WriteLostParFile(const Repair& repair);
  // From the files into the dictionary. False when that fails; the next start tries again.
  bool StoreDefinition(const Repair& repair);

  // Tables may have to change places, so they are renamed all together. When it fails, some may
  // keep names of their own, and their rows; the next start finds those by their identity.
  void MoveTables(const Repairs& moves, const DefinitionState& state);
  Status TryToMove(const Repairs& moves, const DefinitionState& state);
  Status Rename(const std::string& whole, const std::string& table);

  Status Drop(const std::string& whole, const DefinitionState& state);
  // Writes the files of a definition that the dictionary keeps.
  Status WriteKept(const std::string& whole, const std::string& path);
  // Where the server has the files of a table of the dictionary.
  std::string PathOf(const std::string& whole) const;

  engine::Database& database_;
  catalog::Catalog* const catalog_;  // the database's
  const std::string folder_;
};

}  // namespace basalt::server
