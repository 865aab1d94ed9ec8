// SPDX-License-Identifier: GPL-2.0-only
// What DefinitionCheck does to files alone: writes lost ones anew, removes stray ones, and keeps
// those of tables in the dictionary.
#include <filesystem>
#include <iterator>
#include <system_error>

#include "server/definition_check.h"
#include "server/definition_files.h"
#include "server/definition_names.h"
#include "server/discovery.h"
#include "server/plugin_state.h"
#include "server/server_headers.h"

namespace basalt::server {

namespace {

// Of the .par file beside `path`.
bool IsEmptyOrOurs(const std::string& path) {
  std::error_code error;
  if (std::filesystem::file_size(path + kParExtension, error) == 0) return true;
  return AllPartitionsAreOf(ReadParFile(path), static_cast<uint8_t>(State().hton->db_type));
}

}  // namespace

void DefinitionCheck::WriteLostFiles() {
  for (auto at = without_file_.begin(); at != without_file_.end();) {
    catalog::TableDefinition definition;
    Status status = catalog_->Definition(*at, &definition);
    if (defined_.contains(TableOf(*at))) status = Status(Code::kNotFound);  // the name is taken
    if (status.ok() && !PartitionsAgree(*at, definition)) status = Status(Code::kNotFound);
    if (status.ok()) status = WriteDefinitionFiles(PathOf(*at), definition);
    if (status.ok()) {
      sql_print_warning(
          "ROCKSDB: table %s had lost its .frm file; it is written anew from the "
          "dictionary",
          TableOf(*at).c_str());
      at = without_file_.erase(at);
      continue;
    }
    if (status.code() != Code::kNotFound) {
      sql_print_warning(
          "ROCKSDB: table %s has lost its .frm file, which cannot be written anew: "
          "%s; the next use of the table tries again",
          TableOf(*at).c_str(), status.ToString().c_str());
    }
    ++at;
  }
}

// A .par file that is lost or emptied. Without the .frm file, too, DROP TABLE was under way: the
// server drops partitions by their names in the .par file.
bool DefinitionCheck::NeedsParFile(const std::string& path) {
  const bool leftover =
      std::filesystem::path(path).filename().string().starts_with(kLeftoverPrefix);
  return HasFrmFile(path) ? ReadParFile(path).empty() : !leftover;
}

std::set<std::string> DefinitionCheck::WriteLostParFiles() {
  std::set<std::string> rewritten;
  std::set<std::string> partitioned;
  for (const auto& table : catalog_->Tables()) {
    if (catalog::IsPartitionName(table->name)) partitioned.insert(catalog::WholeOf(table->name));
  }
  for (const std::string& whole : partitioned) {
    const std::string path = PathOf(whole);
    catalog::TableDefinition kept;
    if (!NeedsParFile(path) || !catalog_->Definition(whole, &kept).ok() || kept.par.empty())
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

// The server has no table of which a power cut has emptied the .par file, not even to drop it.
bool DefinitionCheck::IsUnfinished(const File& file) {
  return IsLeftover(file.table) ||
         (file.header.partitioned && HasParFile(file.path) && ReadParFile(file.path).empty());
}

void DefinitionCheck::RemoveFilesOfLeftovers() {
  std::error_code error;  // what stays is tried again by the next start
  for (auto at = without_table_.begin(); at != without_table_.end();) {
    const bool removed = IsUnfinished(at->second) && RemoveDefinitionFiles(at->second.path).ok();
    if (removed) {
      sql_print_information("ROCKSDB: removed %s.frm, left by a statement that did not end",
                            at->second.path.c_str());
    }
    at = removed ? without_table_.erase(at) : std::next(at);
  }
  for (const std::string& file : unfinished_) std::filesystem::remove(file, error);
  // Of partitioned tables the server may leave only the .par file behind. In a running server it
  // may belong to another engine's table that is being made.
  if (mysqld_server_started) return;
  for (const std::string& file : par_files_) {
    const std::string path = file.substr(0, file.size() - std::string_view(kParExtension).size());
    if (!IsStrayParFile(path) || !std::filesystem::remove(file, error)) continue;
    sql_print_information("ROCKSDB: removed %s, left by a statement that did not end",
                          file.c_str());
  }
}

bool DefinitionCheck::IsStrayParFile(const std::string& path) const {
  const std::filesystem::path parts(path);
  const std::string table =
      parts.parent_path().filename().string() + "." + parts.filename().string();
  return HasFrmFile(path) ? IsParFileOfFormerPartitions(path, table)
                          : IsParFileOfNoTable(path, table);
}

// All that is left of a table: neither a .frm file nor partitions in the dictionary. An empty file
// was just being made, of whatever engine.
bool DefinitionCheck::IsParFileOfNoTable(const std::string& path, const std::string& table) const {
  return IsLeftover(table) || (!catalog_->IsTable(table) && IsEmptyOrOurs(path));
}

// The table has no partitions now.
bool DefinitionCheck::IsParFileOfFormerPartitions(const std::string& path,
                                                  const std::string& table) const {
  return unpartitioned_.contains(table) &&
         (IsLeftover(table) || files_.contains(table) || IsEmptyOrOurs(path));
}

void DefinitionCheck::ReplaceForeignDefinitions() {
  for (auto at = to_keep_.begin(); at != to_keep_.end();) {
    const File& file = at->second;
    catalog::TableDefinition own;
    if (!catalog_->IsDefinitionOfAnother(file.Whole(), file.header.identity) ||
        !catalog_->Definition(file.Whole(), &own).ok() || !PartitionsAgree(file.Whole(), own)) {
      ++at;
      continue;
    }
    const Status status = WriteDefinitionFiles(file.path, own);
    sql_print_warning(
        "ROCKSDB: table %s had the .frm file of another table; %s", file.table.c_str(),
        status.ok() ? "its own is written anew from the dictionary" : status.ToString().c_str());
    at = to_keep_.erase(at);
  }
}

void DefinitionCheck::KeepDefinitions() {
  size_t kept = 0;
  for (const auto& [table, file] : to_keep_) {
    catalog::TableDefinition definition;
    Status status = ReadDefinitionFiles(file.path, &definition, nullptr);
    const bool par_lost = file.header.partitioned && definition.par.empty();
    if (status.ok() && par_lost) {
      catalog::TableDefinition kept_one;
      status = catalog_->Definition(file.Whole(), &kept_one);
      if (status.ok() && kept_one.identity != definition.identity) status = Status(Code::kNotFound);
      if (status.ok()) status = WriteDefinitionFiles(file.path, kept_one);
      sql_print_warning("ROCKSDB: table %s had lost its .par file; %s", table.c_str(),
                        status.ok() ? "it is written anew from the dictionary"
                                    : "the dictionary has none either: put it back");
      continue;
    }
    if (status.ok()) status = catalog_->StoreDefinition(file.Whole(), definition, /*sync=*/false);
    kept += status.ok();
  }
  if (kept > 0) {
    sql_print_information("ROCKSDB: the dictionary now keeps the definitions of %zu more tables",
                          kept);
  }
}

void DefinitionCheck::RemoveStrayParFile(const std::string& par) {
  for (const std::string& file : par_files_) {
    const std::string path = file.substr(0, file.size() - std::string_view(kParExtension).size());
    if (!HasFrmFile(path) && ReadParFile(path) == par) (void)RemoveDefinitionFiles(path);
  }
}

}  // namespace basalt::server
