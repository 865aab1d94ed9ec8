// SPDX-License-Identifier: GPL-2.0-only
#include "server/definition_check.h"

#include <strings.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "server/definition_files.h"
#include "server/definition_names.h"
#include "server/discovery.h"
#include "server/plugin_state.h"
#include "server/server_headers.h"
#include "server/system_variables.h"
#include "server/table_dropper.h"

namespace basalt::server {

namespace {

// Of an ALTER by copying, with the same numbers behind: the new table, and the old one.
constexpr char kAltered[] = ".#sql-alter-";
constexpr char kSetAside[] = ".#sql-backup-";
constexpr char kEngineName[] = "ROCKSDB";
constexpr char kOnTheMove[] = "#basalt-move-";

bool IsOurs(const FrmHeader& header) {
  return ::strcasecmp(header.engine.c_str(), kEngineName) == 0;
}

// A partition that a statement was still making.
bool IsUnfinishedPartition(std::string_view table) {
  return catalog::IsPartitionName(table) && table.ends_with("#TMP#");
}

}  // namespace

std::string DefinitionCheck::File::Whole() const {
  return header.partitioned ? catalog::PartitionsOf(table) : table;
}

std::string DefinitionCheck::PathOf(const std::string& whole) const {
  std::string path = TableOf(whole);
  path[path.find('.')] = '/';
  return folder_ + "/" + path;
}

void DefinitionCheck::LookAtFile(const std::string& database, const std::string& file) {
  const std::string table = database + "." + file;
  const std::string path = folder_ + "/" + database + "/" + file;
  catalog::TableDefinition definition;
  FrmHeader header;
  if (!ReadDefinitionFiles(path, &definition, &header).ok()) return;
  defined_.insert(table);
  if (!header.partitioned) unpartitioned_.insert(table);
  File found{table, path, std::move(header)};
  const bool known = without_file_.erase(found.Whole()) > 0;
  if (!IsOurs(found.header)) {
    // Files of very old servers name no engine.
    if (known && !found.header.engine.empty()) foreign_[table] = found.header.engine;
    return;
  }
  files_.emplace(table, found);
  if (!known) {
    without_table_.emplace(table, std::move(found));
  } else if (!catalog_->HasDefinition(found.Whole(), found.header.identity) ||
             (found.header.partitioned && definition.par.empty())) {
    to_keep_.emplace(table, std::move(found));
  }
}

void DefinitionCheck::LookIntoDatabase(const std::string& database) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/" + database, error)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() == kFrmExtension) LookAtFile(database, file.stem().string());
    if (file.extension() == kParExtension) par_files_.push_back(file.string());
    if (IsUnfinishedFile(file.string())) unfinished_.push_back(file.string());
  }
}

void DefinitionCheck::Look() {
  for (auto* tables : {&files_, &without_table_, &to_keep_}) tables->clear();
  for (auto* names : {&wholes_, &without_file_, &defined_, &unpartitioned_}) names->clear();
  par_files_.clear();
  unfinished_.clear();
  foreign_.clear();
  for (const auto& table : catalog_->Tables()) wholes_.insert(catalog::WholeOf(table->name));
  without_file_ = wholes_;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string database = entry.path().filename().string();
    if (!database.starts_with('#') && !database.starts_with('.') && entry.is_directory(error)) {
      LookIntoDatabase(database);
    }
  }
}

std::vector<std::string> DefinitionCheck::Findings() const {
  std::vector<std::string> findings;
  for (const std::string& whole : without_file_) {
    if (!IsLeftover(whole)) findings.push_back("table " + TableOf(whole) + " has no .frm file");
  }
  for (const auto& [table, file] : without_table_) {
    if (!IsLeftover(table)) findings.push_back(table + ".frm has no table in the store");
  }
  for (const auto& [table, engine] : foreign_) {
    findings.push_back("table " + table + " has a .frm file of the engine " + engine);
  }
  return findings;
}

std::vector<std::string> DefinitionCheck::PartsOf(const std::string& whole) const {
  std::vector<std::string> parts;
  for (const auto& table : catalog_->Tables()) {
    if (catalog::WholeOf(table->name) == whole) parts.push_back(table->name);
  }
  return parts;
}

Status DefinitionCheck::Rename(const std::string& whole, const std::string& table) {
  const size_t length = TableOf(whole).size();
  for (const std::string& part : PartsOf(whole)) {
    BASALT_RETURN_IF_ERROR(catalog_->RenameTable(part, table + part.substr(length)));
  }
  return Status::Ok();
}

Status DefinitionCheck::Drop(const std::string& whole) {
  for (const std::string& part : PartsOf(whole)) BASALT_RETURN_IF_ERROR(DropTableByName(part));
  return Status::Ok();
}

std::map<std::string, DefinitionCheck::File> DefinitionCheck::OtherNames() const {
  std::map<std::string, std::vector<const File*>> files;  // by identity
  for (const auto& [table, file] : files_) files[file.header.identity].push_back(&file);
  std::map<std::string, std::vector<std::string>> tables;
  for (const auto& [whole, identity] : catalog_->DefinitionIdentities()) {
    tables[identity].push_back(whole);
  }
  std::map<std::string, File> others;
  for (const auto& [identity, names] : tables) {
    // A file that somebody has copied tells nothing.
    const auto found = files.find(identity);
    if (identity.empty() || names.size() != 1 || found == files.end() ||
        found->second.size() != 1) {
      continue;
    }
    const File& file = *found->second.front();
    if (file.Whole() != names.front()) others.emplace(names.front(), file);
  }
  return others;
}

// The server ends its DDL log before a statement's changes of file names are synced, so a power cut
// may bring back the old name of a partitioned table whose RENAME is finished. Had it not been, the
// server's recovery would have taken the table back with the rewritten files.
void DefinitionCheck::RemoveFilesOfOldNames(const std::set<std::string>& rewritten) {
  bool removed = false;
  for (const std::string& whole : rewritten) {
    const auto now = files_.find(TableOf(whole));
    if (now == files_.end() || now->second.header.identity.empty()) continue;
    if (!wholes_.contains(whole)) continue;
    for (const auto& [table, file] : without_table_) {
      if (file.header.identity != now->second.header.identity) continue;
      Status status = RemoveDefinitionFiles(file.path);
      if (status.ok()) status = SyncDefinitionFiles({file.path});
      sql_print_warning("ROCKSDB: table %s was renamed to %s just before the power went; %s",
                        table.c_str(), TableOf(whole).c_str(),
                        status.ok() ? "its old .frm file is removed" : status.ToString().c_str());
      removed = true;
    }
  }
  if (removed) Look();
}

// The server drops the table that an ALTER by copying has set aside when the new one has its name,
// and only then takes the statement for done: while that is there, it may have been undone. Other
// statements give the engine the name of a table that is whole. And what the server's recovery has
// not taken back was finished.
bool DefinitionCheck::IsFinished(const std::string& whole, const File& file) const {
  if (NameInDatabase(whole).starts_with('#')) return false;
  if (!IsLeftover(file.table)) return !renamed_.contains(whole) && !HasFrmFile(PathOf(whole));
  const size_t at = file.table.find(kAltered);
  if (at == std::string::npos) return true;
  std::string set_aside = file.table;
  return !catalog_->IsTable(set_aside.replace(at, sizeof(kAltered) - 1, kSetAside));
}

// The dictionary is synced, the server's changes of file names are not: the file from which a
// statement made the table is proof that one under the table's name is older than the dictionary.
void DefinitionCheck::RenewFiles() {
  bool renewed = false;
  for (const auto& [whole, file] : OtherNames()) {
    catalog::TableDefinition definition;
    if (!IsFinished(whole, file) || !catalog_->Definition(whole, &definition).ok()) continue;
    if (file.header.partitioned == definition.par.empty()) continue;
    if (!PartitionsAgree(whole, definition)) continue;
    Status status = WriteDefinitionFiles(PathOf(whole), definition);
    if (status.ok()) status = RemoveDefinitionFiles(file.path);
    sql_print_warning(
        "ROCKSDB: table %s had lost the .frm file that a statement gave it; %s",
        TableOf(whole).c_str(),
        status.ok() ? "it is written anew from the dictionary" : status.ToString().c_str());
    renewed = true;
  }
  if (renewed) Look();
}

std::map<std::string, DefinitionCheck::File> DefinitionCheck::MovesByIdentity() const {
  std::map<std::string, File> moves = OtherNames();
  std::erase_if(moves, [&](const auto& move) { return IsFinished(move.first, move.second); });
  // Nothing that is not moved itself may stand where another one goes.
  const auto stays = [&](const std::string& whole) {
    return wholes_.contains(whole) && !moves.contains(whole);
  };
  for (bool changed = true; changed;) {
    changed = std::erase_if(moves, [&](const auto& move) {
                const std::string& table = move.second.table;
                return stays(table) || stays(catalog::PartitionsOf(table));
              }) > 0;
  }
  return moves;
}

// By names of their own, because tables may have to change places. Those are not names of
// leftovers: what stops here keeps its rows, and the next start finds it by its identity.
Status DefinitionCheck::MoveBack(const std::map<std::string, File>& moves) {
  size_t number = 0;
  std::map<std::string, const File*> under_way;
  for (const auto& [whole, file] : moves) {
    const std::string prefix = whole.substr(0, whole.find('.') + 1) + kOnTheMove;
    std::string name;
    do name = prefix + std::to_string(++number);
    while (catalog_->IsTable(name));
    BASALT_RETURN_IF_ERROR(Rename(whole, name));
    under_way.emplace(name + whole.substr(TableOf(whole).size()), &file);
  }
  for (const auto& [whole, file] : under_way) {
    BASALT_RETURN_IF_ERROR(Rename(whole, file->table));
    catalog::TableDefinition definition;
    BASALT_RETURN_IF_ERROR(catalog_->Definition(file->Whole(), &definition));
    if (definition.par.empty()) continue;
    BASALT_RETURN_IF_ERROR(WriteDefinitionFiles(file->path, definition));
    RemoveStrayParFile(definition.par);
  }
  return Status::Ok();
}

// The server renames a table in the engine and its files one after the other, and undoes that so,
// too. Of a partitioned table it can undo nothing once .frm and .par file have different names. The
// .frm file is right: the table is what has its identity.
void DefinitionCheck::TakeTablesBack() {
  const std::map<std::string, File> moves = MovesByIdentity();
  if (moves.empty()) return;
  const Status status = MoveBack(moves);
  for (const auto& [whole, file] : moves) {
    sql_print_warning("ROCKSDB: table %s was found as %s, left by a statement that did not end; %s",
                      file.table.c_str(), TableOf(whole).c_str(),
                      status.ok() ? "it has its name again" : status.ToString().c_str());
  }
  Look();
}

// A CREATE of a partitioned table is undone under the name of the engine, not of the partitions.
void DefinitionCheck::DropWhatWasDropped(const std::set<std::string>& dropped) {
  for (const std::string& whole : dropped) {
    if (!without_file_.contains(whole) || !Drop(whole).ok()) continue;
    without_file_.erase(whole);
    sql_print_information("ROCKSDB: dropped %s, which a statement that did not end was making",
                          TableOf(whole).c_str());
  }
}

void DefinitionCheck::DropLeftovers() {
  for (auto at = without_file_.begin(); at != without_file_.end();) {
    if (!IsLeftover(*at)) {
      ++at;
      continue;
    }
    const Status status = Drop(*at);
    if (status.ok()) {
      sql_print_information("ROCKSDB: dropped %s, left by a statement that did not end",
                            TableOf(*at).c_str());
    } else {
      sql_print_warning("ROCKSDB: %s, left by a statement that did not end, is not dropped: %s",
                        TableOf(*at).c_str(), status.ToString().c_str());
    }
    at = without_file_.erase(at);
  }
}

void DefinitionCheck::DropUnfinishedPartitions() {
  for (const auto& table : catalog_->Tables()) {
    if (!IsUnfinishedPartition(table->name)) continue;
    if (!DropTableByName(table->name).ok()) continue;
    sql_print_information("ROCKSDB: dropped the partition %s, left by a statement that did not end",
                          table->name.c_str());
  }
}

void DefinitionCheck::ReportTheRest() {
  for (const std::string& whole : without_file_) {
    sql_print_error(
        "ROCKSDB: table %s has no .frm file, and the dictionary has no copy of it: put "
        "the file back, or drop the table",
        TableOf(whole).c_str());
  }
  for (const auto& [table, file] : without_table_) {
    sql_print_error(
        "ROCKSDB: %s.frm is there, but the store in %s has no such table: statements "
        "that use it fail; DROP TABLE removes the file",
        file.path.c_str(), DataDirectory());
  }
  for (const auto& [table, engine] : foreign_) {
    sql_print_error(
        "ROCKSDB: table %s is in the store, but its .frm file belongs to the engine %s: "
        "its rows cannot be reached",
        table.c_str(), engine.c_str());
  }
}

void DefinitionCheck::Mend(const DdlRecoveryNotes& notes) {
  renamed_ = notes.renamed;
  DropWhatWasDropped(notes.dropped);
  RemoveFilesOfOldNames(notes.rewritten);
  RenewFiles();
  TakeTablesBack();
  DropLeftovers();
  DropUnfinishedPartitions();
  WriteLostFiles();
  RemoveFilesOfLeftovers();
  ReplaceForeignDefinitions();
  KeepDefinitions();
  ReportTheRest();
}

}  // namespace basalt::server
