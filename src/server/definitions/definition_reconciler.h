// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/ddl_recovery_notes.h"
#include "server/definitions/definition_state.h"

namespace basalt::server {

// What is to be done about one table, one partition or one file. docs/ddl.md has a line for each.
struct Repair {
  enum class Kind {
    kDropUndoneTable,      // `whole`: the server's recovery has dropped it by name
    kRemoveFormerName,     // files at `path` of `table`, which is now `whole`
    kRewriteFiles,         // of `whole`; its definition was found at `path`
    kMoveTable,            // `whole` gets the name of the file at `path`, which is `table`
    kDropLeftoverTable,    // `whole`
    kDropPartition,        // `table`, a partition that was being made
    kWriteLostFiles,       // of `whole`
    kReportUnreadable,     // `whole` has no file, and its copy cannot be read: `reason`
    kRemoveFiles,          // at `path`, left by a statement
    kRemoveUnfinished,     // `path` is the whole name of a file
    kRemoveParFile,        // at `path`
    kReplaceForeignFiles,  // `whole` has another table's files at `path`
    kWriteLostParFile,     // of `whole`, at `path`
    kReportLostParFile,    // the copy does not have it
    kKeepDefinition,       // of `whole`, from the files at `path`
    kReportNoFile,         // `whole`
    kReportNoTable,        // `table`, whose file is at `path`
    kReportOtherEngine,    // `table`, whose file names the engine `reason`
    kReportSetAside,       // `whole`, the old table of an ALTER, which the recovery has not dropped
  };
  Kind kind;
  std::string whole = {};  // a table of the dictionary, by catalog::WholeOf
  std::string table = {};
  std::string path = {};  // without an extension
  std::string reason = {};

  bool operator==(const Repair&) const = default;
};

// The steps of a start, in their order. The state is read anew after a step that had repairs,
// because each step relies on what the one before has left, also where a repair has failed.
enum class RepairStep {
  kUndoneTables,
  kFormerNames,
  kRewrittenFiles,
  kMoves,
  kLeftoverTables,
  kLostFiles,
  kLeftoverFiles,
  kDefinitions,  // ends with reports of what cannot be repaired
};
inline constexpr RepairStep kRepairSteps[] = {
    RepairStep::kUndoneTables,  RepairStep::kFormerNames,    RepairStep::kRewrittenFiles,
    RepairStep::kMoves,         RepairStep::kLeftoverTables, RepairStep::kLostFiles,
    RepairStep::kLeftoverFiles, RepairStep::kDefinitions};

// Compares the dictionary with the server's .frm files and decides what a start does about tables
// that a crash, a lost file or another engine has left apart. Reads and changes nothing: all it
// knows is the state it was given.
class DefinitionReconciler {
 public:
  // The state outlives it.
  explicit DefinitionReconciler(const DefinitionState& state);

  // What is wrong in words, one line each; empty when all is well. Leftovers of statements are
  // not wrong, nor are copies that only have to be renewed.
  std::vector<std::string> Findings() const;
  // The repairs of one step, in the order in which they are to be done.
  std::vector<Repair> Decide(RepairStep step, const DdlRecoveryNotes& notes) const;

 private:
  using Repairs = std::vector<Repair>;
  using Files = std::map<std::string, const FrmFile*>;

  Repairs UndoneTables(const std::set<std::string>& dropped) const;
  Repairs FormerNames(const std::set<std::string>& rewritten) const;
  Repairs RewrittenFiles(const std::set<std::string>& renamed) const;
  Repairs Moves(const std::set<std::string>& renamed) const;
  Repairs LeftoverTables() const;
  Repairs LostFiles() const;
  Repairs LeftoverFiles() const;
  Repairs Definitions() const;
  Repair ContentRepair(const FrmFile& file) const;
  void AddReports(Repairs* repairs) const;

  // Tables whose identity only a file of another name has: by table, that file.
  Files OtherNames() const;
  // Whether a statement has given the table its name for good, and only the file has another one.
  bool IsFinished(const std::string& whole, const FrmFile& file,
                  const std::set<std::string>& renamed) const;
  bool IsTable(const std::string& table) const;
  // The copy names as many partitions as the dictionary has.
  bool PartitionsAgree(const std::string& whole, const KeptDefinition& kept) const;
  bool IsIdentityOfAnother(const std::string& whole, const std::string& identity) const;
  // A .par file without a .frm file, or beside one of a table without partitions.
  bool IsStray(const ParFile& file) const;

  const DefinitionState& state_;
  Files files_;                                 // of this engine
  Files without_table_;                         // those of no table in the dictionary
  Files to_keep_;                               // those that the dictionary has otherwise
  std::set<std::string> without_file_;          // tables of the dictionary
  std::map<std::string, std::string> foreign_;  // tables by the engine that their file names
};

}  // namespace basalt::server
