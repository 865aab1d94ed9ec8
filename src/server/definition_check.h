// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "catalog/catalog.h"
#include "server/ddl_recovery_notes.h"
#include "server/frm_header.h"

namespace basalt::server {

// At start: the dictionary compared with the server's .frm files, and what a crash, a lost file or
// another engine has left apart put together again. docs/ddl.md says what is done when. The
// server's own recovery of DDL statements comes first, nobody is connected yet. One thread.
class DefinitionCheck {
 public:
  // `folder` is the server's data directory.
  DefinitionCheck(catalog::Catalog* catalog, std::string folder)
      : catalog_(catalog), folder_(std::move(folder)) {}

  // Compares; changes nothing. A file or folder that cannot be read counts as absent.
  void Look();
  // After Look: what is wrong in words, one line each; empty when all is well. What only needs
  // remembering (definitions that are not kept yet) is not wrong.
  std::vector<std::string> Findings() const;
  // After Look: mends what can be mended and logs each step. What cannot be mended concerns its
  // table only.
  void Mend(const DdlRecoveryNotes& notes);

  // Before the server's recovery, which needs them to finish or undo a statement on a partitioned
  // table: writes .par files that are lost or empty, and the .frm file with them. Without Look.
  // Returns the tables (catalog::WholeOf) that had no .frm file either.
  std::set<std::string> WriteLostParFiles();

 private:
  // A .frm file that says it belongs to this engine.
  struct File {
    std::string table;  // as in the dictionary
    std::string path;   // without .frm
    FrmHeader header;
    // The table in the dictionary that the file speaks of: itself or all its partitions.
    std::string Whole() const;
  };

  // Parts of Look; views and files of other engines are passed over.
  void LookIntoDatabase(const std::string& database);
  void LookAtFile(const std::string& database, const std::string& file);
  // Where the server has the files of a table of the dictionary, without .frm.
  std::string PathOf(const std::string& whole) const;

  // --- The parts of Mend, in their order. Each takes what it has settled out of the sets below.
  // ---
  void DropWhatWasDropped(const std::set<std::string>& dropped);
  // Of tables that were renamed, and whose files were rewritten under their new names: those that
  // they still have under the old ones.
  void RemoveFilesOfOldNames(const std::set<std::string>& rewritten);
  // Gives tables that a statement has finished their files, where a power cut has brought those
  // back that it began with.
  void RenewFiles();
  // Gives tables that were found under another name that of the file with their identity.
  void TakeTablesBack();
  // Tables whose identity only a file of another name has: table -> that file.
  std::map<std::string, File> OtherNames() const;
  // Whether a statement has given the table its name for good, and only the file has another one.
  bool IsFinished(const std::string& whole, const File& file) const;
  // What TakeTablesBack has to do: table -> the file whose name it gets.
  std::map<std::string, File> MovesByIdentity() const;
  // Does it. When it fails, tables may keep names of their own, and their rows.
  Status MoveBack(const std::map<std::string, File>& moves);
  // Tables and partitions that statements have left behind, and that no file speaks of.
  void DropLeftovers();
  void DropUnfinishedPartitions();
  // From the definitions that the dictionary keeps.
  void WriteLostFiles();
  // Files that statements have left behind, and that belong to no table.
  void RemoveFilesOfLeftovers();
  // A .par file without a .frm file, or beside one of a table without partitions.
  bool IsStrayParFile(const std::string& path) const;
  bool IsParFileOfNoTable(const std::string& path, const std::string& table) const;
  bool IsParFileOfFormerPartitions(const std::string& path, const std::string& table) const;
  // Of a file without a table: whether it is what a statement leaves that did not end.
  static bool IsUnfinished(const File& file);
  static bool NeedsParFile(const std::string& path);
  // Gives tables whose file is another table's their own from the dictionary.
  void ReplaceForeignDefinitions();
  // Into the dictionary, where they are missing there or older; lost .par files the other way.
  void KeepDefinitions();
  // Into the log: what is left in the sets.
  void ReportTheRest();

  // A table or all its partitions; `table` is a name without a partition.
  std::vector<std::string> PartsOf(const std::string& whole) const;
  Status Rename(const std::string& whole, const std::string& table);
  Status Drop(const std::string& whole);
  // The .par file with these contents that has no .frm file beside it.
  void RemoveStrayParFile(const std::string& par);

  catalog::Catalog* const catalog_;
  const std::string folder_;
  std::set<std::string> renamed_;  // by the server's recovery
  // What Look has found. Tables of the dictionary by catalog::WholeOf, those of files by their
  // name.
  std::set<std::string> wholes_;                // all of the dictionary
  std::map<std::string, File> files_;           // all of this engine
  std::set<std::string> defined_;               // whose file can be read, of all engines
  std::set<std::string> unpartitioned_;         // the ones of these without partitions
  std::set<std::string> without_file_;          // tables of the dictionary
  std::map<std::string, File> without_table_;   // files of this engine
  std::map<std::string, File> to_keep_;         // files that the dictionary has in another version
  std::vector<std::string> par_files_;          // paths
  std::vector<std::string> unfinished_;         // paths of files that were being written
  std::map<std::string, std::string> foreign_;  // tables whose file names another engine
};

}  // namespace basalt::server
