// SPDX-License-Identifier: GPL-2.0-only
#include "server/definitions/definition_reconciler.h"

#include <algorithm>
#include <string_view>

#include "server/tables/definition_names.h"

namespace basalt::server {

namespace {

using catalog::IsTemporaryName;
using Kind = Repair::Kind;

// Of an ALTER by copying, with the same numbers behind: the new table, and the old one.
constexpr char kAltered[] = ".#sql-alter-";
constexpr char kSetAside[] = ".#sql-backup-";

// A partition that a statement was still making.
bool IsUnfinishedPartition(std::string_view table) {
  return catalog::IsPartitionName(table) && table.ends_with("#TMP#");
}

// The server has no table of which a power cut has emptied the .par file, not even to drop it.
bool IsUnfinished(const FrmFile& file) {
  return IsTemporaryName(file.table) || (file.header.partitioned && file.has_par && file.par_empty);
}

bool LacksParFile(const FrmFile& file) { return file.header.partitioned && file.par_empty; }

}  // namespace

DefinitionReconciler::DefinitionReconciler(const DefinitionState& state) : state_(state) {
  for (const auto& [whole, table] : state.tables) without_file_.insert(whole);
  for (const auto& [name, file] : state.frm_files) {
    const bool known = without_file_.erase(file.Whole()) > 0;
    if (!file.IsOfThisEngine()) {
      // Files of very old servers name no engine.
      if (known && !file.header.engine.empty()) foreign_[name] = file.header.engine;
      continue;
    }
    files_.emplace(name, &file);
    if (!known) {
      without_table_.emplace(name, &file);
    } else if (state.tables.at(file.Whole()).identity != file.header.identity ||
               LacksParFile(file)) {
      to_keep_.emplace(name, &file);
    }
  }
}

std::vector<std::string> DefinitionReconciler::Findings() const {
  std::vector<std::string> findings;
  for (const std::string& whole : without_file_) {
    if (IsTemporaryName(whole)) continue;
    findings.push_back("table " + TableOf(whole) + " has no .frm file");
  }
  for (const auto& [table, file] : without_table_) {
    if (!IsTemporaryName(table)) findings.push_back(table + ".frm has no table in the store");
  }
  for (const auto& [table, engine] : foreign_) {
    findings.push_back("table " + table + " has a .frm file of the engine " + engine);
  }
  return findings;
}

std::vector<Repair> DefinitionReconciler::Decide(RepairStep step,
                                                 const DdlRecoveryNotes& notes) const {
  switch (step) {
    case RepairStep::kUndoneTables:
      return UndoneTables(notes.dropped);
    case RepairStep::kFormerNames:
      return FormerNames(notes.rewritten);
    case RepairStep::kRewrittenFiles:
      return RewrittenFiles(notes.renamed);
    case RepairStep::kMoves:
      return Moves(notes.renamed);
    case RepairStep::kLeftoverTables:
      return LeftoverTables();
    case RepairStep::kLostFiles:
      return LostFiles();
    case RepairStep::kLeftoverFiles:
      return LeftoverFiles();
    case RepairStep::kDefinitions:
      return Definitions();
  }
  return {};
}

// A CREATE of a partitioned table is undone under the name of the engine, not of the partitions.
std::vector<Repair> DefinitionReconciler::UndoneTables(const std::set<std::string>& dropped) const {
  Repairs repairs;
  for (const std::string& whole : dropped) {
    if (without_file_.contains(whole)) repairs.push_back({Kind::kDropUndoneTable, whole});
  }
  return repairs;
}

// The server ends its DDL log before a statement's changes of file names are synced, so a power cut
// may bring back the old name of a partitioned table whose RENAME is finished. Had it not been, the
// server's recovery would have taken the table back with the rewritten files.
std::vector<Repair> DefinitionReconciler::FormerNames(
    const std::set<std::string>& rewritten) const {
  Repairs repairs;
  for (const std::string& whole : rewritten) {
    const auto now = files_.find(TableOf(whole));
    if (now == files_.end() || now->second->header.identity.empty()) continue;
    if (!state_.tables.contains(whole)) continue;
    for (const auto& [table, file] : without_table_) {
      if (file->header.identity != now->second->header.identity) continue;
      repairs.push_back({Kind::kRemoveFormerName, whole, table, file->path});
    }
  }
  return repairs;
}

DefinitionReconciler::Files DefinitionReconciler::OtherNames() const {
  std::map<std::string, std::vector<const FrmFile*>> files;  // by identity
  for (const auto& [table, file] : files_) files[file->header.identity].push_back(file);
  std::map<std::string, std::vector<std::string>> tables;
  for (const auto& [whole, table] : state_.tables) {
    if (table.identity.has_value()) tables[*table.identity].push_back(whole);
  }
  Files others;
  for (const auto& [identity, names] : tables) {
    // A file that somebody has copied tells nothing.
    const auto found = files.find(identity);
    if (identity.empty() || names.size() != 1 || found == files.end() ||
        found->second.size() != 1) {
      continue;
    }
    const FrmFile* file = found->second.front();
    if (file->Whole() != names.front()) others.emplace(names.front(), file);
  }
  return others;
}

// The server drops the table that an ALTER by copying has set aside when the new one has its name,
// and only then takes the statement for done: while that is there, it may have been undone. Other
// statements give the engine the name of a table that is whole. And what the server's recovery has
// not taken back was finished.
bool DefinitionReconciler::IsFinished(const std::string& whole, const FrmFile& file,
                                      const std::set<std::string>& renamed) const {
  if (NameInDatabase(whole).starts_with('#')) return false;
  if (!IsTemporaryName(file.table)) {
    return !renamed.contains(whole) && !state_.frm_names.contains(TableOf(whole));
  }
  const size_t at = file.table.find(kAltered);
  if (at == std::string::npos) return true;
  std::string set_aside = file.table;
  return !IsTable(set_aside.replace(at, sizeof(kAltered) - 1, kSetAside));
}

// The dictionary is synced, the server's changes of file names are not: the file from which a
// statement made the table is proof that one under the table's name is older than the dictionary.
std::vector<Repair> DefinitionReconciler::RewrittenFiles(
    const std::set<std::string>& renamed) const {
  Repairs repairs;
  for (const auto& [whole, file] : OtherNames()) {
    const std::optional<KeptDefinition>& kept = state_.tables.at(whole).kept;
    if (!IsFinished(whole, *file, renamed) || !kept.has_value()) continue;
    if (file->header.partitioned != kept->partitioned || !PartitionsAgree(whole, *kept)) continue;
    repairs.push_back({Kind::kRewriteFiles, whole, file->table, file->path});
  }
  return repairs;
}

// The server renames a table in the engine and its files one after the other, and undoes that so,
// too. Of a partitioned table it can undo nothing once .frm and .par file have different names. The
// .frm file is right: the table is what has its identity.
std::vector<Repair> DefinitionReconciler::Moves(const std::set<std::string>& renamed) const {
  Files moves = OtherNames();
  std::erase_if(moves,
                [&](const auto& move) { return IsFinished(move.first, *move.second, renamed); });
  // Nothing that is not moved itself may stand where another one goes.
  const auto stays = [&](const std::string& whole) {
    return state_.tables.contains(whole) && !moves.contains(whole);
  };
  for (bool changed = true; changed;) {
    changed = std::erase_if(moves, [&](const auto& move) {
                const std::string& table = move.second->table;
                return stays(table) || stays(catalog::PartitionsOf(table));
              }) > 0;
  }
  Repairs repairs;
  for (const auto& [whole, file] : moves) {
    repairs.push_back({Kind::kMoveTable, whole, file->table, file->path});
  }
  return repairs;
}

std::vector<Repair> DefinitionReconciler::LeftoverTables() const {
  Repairs repairs;
  for (const std::string& whole : without_file_) {
    if (IsTemporaryName(whole)) repairs.push_back({Kind::kDropLeftoverTable, whole});
  }
  for (const auto& [whole, table] : state_.tables) {
    if (without_file_.contains(whole) && IsTemporaryName(whole)) continue;
    for (const std::string& part : table.parts) {
      if (IsUnfinishedPartition(part)) repairs.push_back({Kind::kDropPartition, whole, part});
    }
  }
  return repairs;
}

std::vector<Repair> DefinitionReconciler::LostFiles() const {
  Repairs repairs;
  for (const std::string& whole : without_file_) {
    const DictionaryTable& table = state_.tables.at(whole);
    const bool name_is_taken = state_.frm_files.contains(TableOf(whole));
    if (IsTemporaryName(whole) || name_is_taken) continue;
    if (!table.read_error.empty()) {
      repairs.push_back({Kind::kReportUnreadable, whole, {}, {}, table.read_error});
    } else if (table.kept.has_value() && PartitionsAgree(whole, *table.kept)) {
      repairs.push_back({Kind::kWriteLostFiles, whole});
    }
  }
  return repairs;
}

std::vector<Repair> DefinitionReconciler::LeftoverFiles() const {
  Repairs repairs;
  std::set<std::string> removed;
  for (const auto& [table, file] : without_table_) {
    if (!IsUnfinished(*file)) continue;
    repairs.push_back({Kind::kRemoveFiles, {}, table, file->path});
    removed.insert(file->path);
  }
  for (const std::string& file : state_.unfinished) {
    repairs.push_back({Kind::kRemoveUnfinished, {}, {}, file});
  }
  // Of partitioned tables the server may leave only the .par file behind. In a running server it
  // may belong to another engine's table that is being made.
  if (state_.server_started) return repairs;
  for (const ParFile& file : state_.par_files) {
    if (removed.contains(file.path) || !IsStray(file)) continue;
    repairs.push_back({Kind::kRemoveParFile, {}, file.table, file.path});
  }
  return repairs;
}

bool DefinitionReconciler::IsStray(const ParFile& file) const {
  if (!state_.frm_names.contains(file.table)) {
    // All that is left of a table: neither a .frm file nor partitions in the dictionary. An empty
    // file was just being made, of whatever engine.
    return IsTemporaryName(file.table) || (!IsTable(file.table) && file.empty_or_ours);
  }
  const auto frm = state_.frm_files.find(file.table);
  if (frm == state_.frm_files.end() || frm->second.header.partitioned) return false;
  return IsTemporaryName(file.table) || files_.contains(file.table) || file.empty_or_ours;
}

Repair DefinitionReconciler::ContentRepair(const FrmFile& file) const {
  const std::string whole = file.Whole();
  const DictionaryTable& table = state_.tables.at(whole);
  const auto repair = [&](Kind kind) { return Repair{kind, whole, file.table, file.path, {}}; };
  if (IsIdentityOfAnother(whole, file.header.identity) && table.kept.has_value() &&
      PartitionsAgree(whole, *table.kept)) {
    return repair(Kind::kReplaceForeignFiles);
  }
  if (!LacksParFile(file)) return repair(Kind::kKeepDefinition);
  const bool kept = table.kept.has_value() && table.identity == file.header.identity;
  return repair(kept ? Kind::kWriteLostParFile : Kind::kReportLostParFile);
}

std::vector<Repair> DefinitionReconciler::Definitions() const {
  Repairs repairs;
  for (const auto& [table, file] : to_keep_) repairs.push_back(ContentRepair(*file));
  // What is kept changes the identities by which foreign files are known: they come first.
  std::stable_partition(repairs.begin(), repairs.end(), [](const Repair& repair) {
    return repair.kind == Kind::kReplaceForeignFiles;
  });
  AddReports(&repairs);
  return repairs;
}

void DefinitionReconciler::AddReports(Repairs* repairs) const {
  for (const std::string& whole : without_file_) {
    if (!IsTemporaryName(whole)) repairs->push_back({Kind::kReportNoFile, whole});
  }
  for (const auto& [table, file] : without_table_) {
    repairs->push_back({Kind::kReportNoTable, {}, table, file->path});
  }
  for (const auto& [table, engine] : foreign_) {
    repairs->push_back({Kind::kReportOtherEngine, {}, table, {}, engine});
  }
  // The server's recovery forgets the old table of an ALTER by copying that gave a parent of
  // foreign keys another name. Nothing proves that the rows are in the new table too, so it is the
  // user who drops it. In a running server an ALTER may be about to.
  if (state_.server_started) return;
  for (const auto& [table, file] : files_) {
    if (table.find(kSetAside) == std::string::npos || !IsTable(table)) continue;
    repairs->push_back({Kind::kReportSetAside, file->Whole()});
  }
}

bool DefinitionReconciler::IsTable(const std::string& table) const {
  return state_.tables.contains(table) || state_.tables.contains(catalog::PartitionsOf(table));
}

bool DefinitionReconciler::PartitionsAgree(const std::string& whole,
                                           const KeptDefinition& kept) const {
  if (!kept.partitioned) return true;
  const auto found = state_.tables.find(catalog::PartitionsOf(TableOf(whole)));
  return (found == state_.tables.end() ? 0 : found->second.parts.size()) == kept.partitions;
}

bool DefinitionReconciler::IsIdentityOfAnother(const std::string& whole,
                                               const std::string& identity) const {
  if (identity.empty()) return false;
  return std::any_of(state_.tables.begin(), state_.tables.end(), [&](const auto& table) {
    return table.first != whole && table.second.identity == identity;
  });
}

}  // namespace basalt::server
