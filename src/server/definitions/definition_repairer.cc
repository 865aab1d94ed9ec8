// SPDX-License-Identifier: GPL-2.0-only
#include "server/definitions/definition_repairer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "server/definitions/table_dropper.h"
#include "server/server_headers.h"
#include "server/tables/definition_files.h"
#include "server/tables/definition_names.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

using Kind = Repair::Kind;

constexpr char kOnTheMove[] = "#basalt-move-";

std::string Outcome(const Status& status, const char* done) {
  return status.ok() ? std::string(done) : status.ToString();
}

// The .par file with these contents that has no .frm file beside it.
void RemoveStrayParFile(const std::string& par, const DefinitionState& state) {
  for (const ParFile& file : state.par_files) {
    if (HasFrmFile(file.path) || ReadParFile(file.path) != par) continue;
    (void)RemoveDefinitionFiles(file.path);
  }
}

void RemoveFiles(const Repair& repair) {
  if (!RemoveDefinitionFiles(repair.path).ok()) return;  // the next start tries again
  sql_print_information("ROCKSDB: removed %s.frm, left by a statement that did not end",
                        repair.path.c_str());
}

void RemoveParFile(const Repair& repair) {
  std::error_code error;
  const std::string file = repair.path + kParExtension;
  if (!std::filesystem::remove(file, error)) return;
  sql_print_information("ROCKSDB: removed %s, left by a statement that did not end", file.c_str());
}

void Report(const Repair& repair) {
  const std::string table = TableOf(repair.whole);
  if (repair.kind == Kind::kReportUnreadable) {
    sql_print_warning(
        "ROCKSDB: table %s has lost its .frm file, which cannot be written anew: "
        "%s; the next use of the table tries again",
        table.c_str(), repair.reason.c_str());
  } else if (repair.kind == Kind::kReportLostParFile) {
    sql_print_warning(
        "ROCKSDB: table %s had lost its .par file; the dictionary has none either: put it back",
        repair.table.c_str());
  } else if (repair.kind == Kind::kReportNoFile) {
    sql_print_error(
        "ROCKSDB: table %s has no .frm file, and the dictionary has no copy of it: put "
        "the file back, or drop the table",
        table.c_str());
  } else if (repair.kind == Kind::kReportNoTable) {
    sql_print_error(
        "ROCKSDB: %s.frm is there, but the store in %s has no such table: statements "
        "that use it fail; DROP TABLE removes the file",
        repair.path.c_str(), DataDirectory());
  } else if (repair.kind == Kind::kReportSetAside) {
    const size_t dot = table.find('.');
    sql_print_warning(
        "ROCKSDB: an ALTER TABLE that a crash has ended has left its old table; if the new one "
        "is whole: DROP TABLE IF EXISTS `%s`.`#mysql50#%s`",
        table.substr(0, dot).c_str(), table.substr(dot + 1).c_str());
  } else {
    sql_print_error(
        "ROCKSDB: table %s is in the store, but its .frm file belongs to the engine %s: "
        "its rows cannot be reached",
        repair.table.c_str(), repair.reason.c_str());
  }
}

}  // namespace

void DefinitionRepairer::CarryOut(const Repairs& repairs, const DefinitionState& state) {
  Repairs moves;
  size_t kept = 0;
  for (const Repair& repair : repairs) {
    if (repair.kind == Kind::kMoveTable) {
      moves.push_back(repair);
    } else if (repair.kind == Kind::kKeepDefinition) {
      kept += StoreDefinition(repair);
    } else {
      CarryOut(repair, state);
    }
  }
  if (!moves.empty()) MoveTables(moves, state);
  if (kept == 0) return;
  sql_print_information("ROCKSDB: the dictionary now keeps the definitions of %zu more tables",
                        kept);
}

void DefinitionRepairer::CarryOut(const Repair& repair, const DefinitionState& state) {
  std::error_code error;
  switch (repair.kind) {
    case Kind::kDropUndoneTable:
      if (!Drop(repair.whole, state).ok()) return;
      sql_print_information("ROCKSDB: dropped %s, which a statement that did not end was making",
                            TableOf(repair.whole).c_str());
      return;
    case Kind::kRemoveFormerName:
      return RemoveFormerName(repair);
    case Kind::kRewriteFiles:
      return RewriteFiles(repair);
    case Kind::kDropLeftoverTable:
      return DropLeftover(repair, state);
    case Kind::kDropPartition:
      return DropPartition(repair);
    case Kind::kWriteLostFiles:
      return WriteLostFiles(repair);
    case Kind::kRemoveFiles:
      return RemoveFiles(repair);
    case Kind::kRemoveUnfinished:
      std::filesystem::remove(repair.path, error);  // what stays is tried again by the next start
      return;
    case Kind::kRemoveParFile:
      return RemoveParFile(repair);
    case Kind::kReplaceForeignFiles:
      return ReplaceForeignFiles(repair);
    case Kind::kWriteLostParFile:
      return WriteLostParFile(repair);
    case Kind::kMoveTable:       // all together
    case Kind::kKeepDefinition:  // counted
      return;
    case Kind::kReportUnreadable:
    case Kind::kReportLostParFile:
    case Kind::kReportNoFile:
    case Kind::kReportNoTable:
    case Kind::kReportOtherEngine:
    case Kind::kReportSetAside:
      return Report(repair);
  }
}

std::string DefinitionRepairer::PathOf(const std::string& whole) const {
  std::string path = TableOf(whole);
  path[path.find('.')] = '/';
  return folder_ + "/" + path;
}

Status DefinitionRepairer::WriteKept(const std::string& whole, const std::string& path) {
  catalog::TableDefinition definition;
  BASALT_RETURN_IF_ERROR(catalog_->definitions().Read(whole, &definition));
  return WriteDefinitionFiles(path, definition);
}

Status DefinitionRepairer::Drop(const std::string& whole, const DefinitionState& state) {
  for (const std::string& part : state.tables.at(whole).parts) {
    BASALT_RETURN_IF_ERROR(DropTableByName(database_, part));
  }
  return Status::Ok();
}

void DefinitionRepairer::RemoveFormerName(const Repair& repair) {
  Status status = RemoveDefinitionFiles(repair.path);
  if (status.ok()) status = SyncDefinitionFiles({repair.path});
  sql_print_warning("ROCKSDB: table %s was renamed to %s just before the power went; %s",
                    repair.table.c_str(), TableOf(repair.whole).c_str(),
                    Outcome(status, "its old .frm file is removed").c_str());
}

void DefinitionRepairer::RewriteFiles(const Repair& repair) {
  Status status = WriteKept(repair.whole, PathOf(repair.whole));
  if (status.ok()) status = RemoveDefinitionFiles(repair.path);
  sql_print_warning("ROCKSDB: table %s had lost the .frm file that a statement gave it; %s",
                    TableOf(repair.whole).c_str(),
                    Outcome(status, "it is written anew from the dictionary").c_str());
}

void DefinitionRepairer::DropLeftover(const Repair& repair, const DefinitionState& state) {
  const std::string table = TableOf(repair.whole);
  const Status status = Drop(repair.whole, state);
  if (status.ok()) {
    sql_print_information("ROCKSDB: dropped %s, left by a statement that did not end",
                          table.c_str());
  } else {
    sql_print_warning("ROCKSDB: %s, left by a statement that did not end, is not dropped: %s",
                      table.c_str(), status.ToString().c_str());
  }
}

void DefinitionRepairer::DropPartition(const Repair& repair) {
  if (!DropTableByName(database_, repair.table).ok()) return;
  sql_print_information("ROCKSDB: dropped the partition %s, left by a statement that did not end",
                        repair.table.c_str());
}

void DefinitionRepairer::WriteLostFiles(const Repair& repair) {
  const std::string table = TableOf(repair.whole);
  const Status status = WriteKept(repair.whole, PathOf(repair.whole));
  if (status.ok()) {
    sql_print_warning(
        "ROCKSDB: table %s had lost its .frm file; it is written anew from the dictionary",
        table.c_str());
  } else {
    Report({Kind::kReportUnreadable, repair.whole, {}, {}, status.ToString()});
  }
}

void DefinitionRepairer::ReplaceForeignFiles(const Repair& repair) {
  const Status status = WriteKept(repair.whole, repair.path);
  sql_print_warning("ROCKSDB: table %s had the .frm file of another table; %s",
                    repair.table.c_str(),
                    Outcome(status, "its own is written anew from the dictionary").c_str());
}

void DefinitionRepairer::WriteLostParFile(const Repair& repair) {
  if (!WriteKept(repair.whole, repair.path).ok()) {
    return Report({Kind::kReportLostParFile, repair.whole, repair.table, {}, {}});
  }
  sql_print_warning(
      "ROCKSDB: table %s had lost its .par file; it is written anew from the dictionary",
      repair.table.c_str());
}

bool DefinitionRepairer::StoreDefinition(const Repair& repair) {
  catalog::TableDefinition definition;
  return ReadDefinitionFiles(repair.path, &definition, nullptr).ok() &&
         catalog_->StoreDefinition(repair.whole, definition, /*sync=*/false).ok();
}

void DefinitionRepairer::MoveTables(const Repairs& moves, const DefinitionState& state) {
  const Status status = TryToMove(moves, state);
  for (const Repair& move : moves) {
    sql_print_warning("ROCKSDB: table %s was found as %s, left by a statement that did not end; %s",
                      move.table.c_str(), TableOf(move.whole).c_str(),
                      Outcome(status, "it has its name again").c_str());
  }
}

Status DefinitionRepairer::Rename(const std::string& whole, const std::string& table) {
  const size_t length = TableOf(whole).size();
  for (const auto& part : catalog_->Tables()) {
    if (catalog::WholeOf(part->name) != whole) continue;
    BASALT_RETURN_IF_ERROR(catalog_->RenameTable(part->name, table + part->name.substr(length)));
  }
  return Status::Ok();
}

// By names of their own, which are not names of leftovers: what stops here keeps its rows.
Status DefinitionRepairer::TryToMove(const Repairs& moves, const DefinitionState& state) {
  size_t number = 0;
  std::map<std::string, const Repair*> under_way;
  for (const Repair& move : moves) {
    const std::string prefix = move.whole.substr(0, move.whole.find('.') + 1) + kOnTheMove;
    std::string name;
    do name = prefix + std::to_string(++number);
    while (catalog_->IsTable(name));
    BASALT_RETURN_IF_ERROR(Rename(move.whole, name));
    under_way.emplace(name + move.whole.substr(TableOf(move.whole).size()), &move);
  }
  for (const auto& [whole, move] : under_way) {
    BASALT_RETURN_IF_ERROR(Rename(whole, move->table));
    const FrmFile& file = state.frm_files.at(move->table);
    catalog::TableDefinition definition;
    BASALT_RETURN_IF_ERROR(catalog_->definitions().Read(file.Whole(), &definition));
    if (definition.par.empty()) continue;
    BASALT_RETURN_IF_ERROR(WriteDefinitionFiles(file.path, definition));
    RemoveStrayParFile(definition.par, state);
  }
  return Status::Ok();
}

}  // namespace basalt::server
