// SPDX-License-Identifier: GPL-2.0-only
//
// basalt-keep-databases DIRECTORY: takes the tables of all databases but some out of a checkpoint
// of the store. The databases to keep come from the standard input, one a line, as their folders
// are named. The tables leave the dictionary as DROP TABLE takes them out, and table files that
// hold nothing else leave the directory. Rows in other files stay, for the reclaimer of the server
// that opens a copy. No file that is there already changes: the checkpoint's are hard links.
//
// The standard output gets a line with the number of tables that were taken out. The status is 0
// when all is done; else 1, with the reason on the standard error output.

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <rocksdb/convenience.h>

#include "catalog/catalog.h"
#include "catalog/foreign_keys.h"
#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"
#include "store/store.h"

namespace {

using basalt::Status;
using basalt::catalog::Catalog;
using basalt::store::Store;
using Names = std::set<std::string>;

constexpr uint64_t kBlockCacheBytes = 32ull << 20;

std::string DatabaseOf(const std::string& table) { return table.substr(0, table.find('.')); }

// Nothing but what is asked for is done to the checkpoint: no compaction, and no watch over the
// space of the disk, which is the server's work.
basalt::store::StoreOptions OptionsOf(const std::string& directory) {
  basalt::store::StoreOptions options;
  options.directory = directory;
  options.create_if_missing = false;
  options.block_cache_bytes = kBlockCacheBytes;
  options.reserved_free_bytes = 0;
  options.statistics_dump_seconds = 0;
  options.default_column_family_options = "disable_auto_compactions=true";
  return options;
}

// A child without its parent's table would refuse each new row.
Status CheckForeignKeys(const Catalog& catalog, const Names& kept) {
  for (const std::string& child : catalog.foreign_keys().Children()) {
    const auto keys = catalog.foreign_keys().OfChild(child);
    if (keys == nullptr || kept.count(DatabaseOf(child)) == 0) continue;
    for (const auto& key : keys->keys) {
      if (kept.count(DatabaseOf(key.parent)) != 0) continue;
      return Status(basalt::Code::kInvalidArgument, "the foreign key " + key.name + " of " + child +
                                                        " leads to " + key.parent +
                                                        ", whose database is left out");
    }
  }
  return {};
}

Status DropOthers(Catalog* catalog, const Names& kept, size_t* dropped) {
  for (const auto& table : catalog->Tables()) {
    if (kept.count(DatabaseOf(table->name)) != 0) continue;
    BASALT_RETURN_IF_ERROR(catalog->DropTable(table->name));
    ++*dropped;
  }
  return {};
}

// Also of indexes that the server had dropped itself.
Status DeleteFiles(Catalog* catalog) {
  Store* store = catalog->store();
  std::map<rocksdb::ColumnFamilyHandle*, std::vector<std::unique_ptr<basalt::store::IndexBounds>>>
      dropped;
  for (const basalt::IndexId index : catalog->dropped_indexes().All()) {
    rocksdb::ColumnFamilyHandle* family = store->FindColumnFamily(index.column_family);
    if (family == nullptr) continue;
    const bool reverse = basalt::store::IsReverse(family);
    dropped[family].push_back(std::make_unique<basalt::store::IndexBounds>(index, reverse));
  }
  for (const auto& [family, all] : dropped) {
    std::vector<rocksdb::RangePtr> ranges;
    for (const auto& bounds : all) ranges.emplace_back(&bounds->lower(), &bounds->upper());
    const rocksdb::Status status = rocksdb::DeleteFilesInRanges(
        store->base(), family, ranges.data(), ranges.size(), /*include_end=*/false);
    BASALT_RETURN_IF_ERROR(basalt::store::MapStatus(status, "removing table files"));
  }
  return {};
}

Status Keep(const std::string& directory, const Names& kept, size_t* dropped) {
  std::unique_ptr<Store> store;
  BASALT_RETURN_IF_ERROR(Store::Open(OptionsOf(directory), &store));
  std::unique_ptr<Catalog> catalog;
  BASALT_RETURN_IF_ERROR(Catalog::Load(store.get(), &catalog));
  BASALT_RETURN_IF_ERROR(CheckForeignKeys(*catalog, kept));
  BASALT_RETURN_IF_ERROR(DropOthers(catalog.get(), kept, dropped));
  BASALT_RETURN_IF_ERROR(DeleteFiles(catalog.get()));
  catalog.reset();
  return store->Close();
}

// What an opened store leaves behind that is no part of it.
void RemoveLogs(const std::string& directory) {
  std::error_code ignored;
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename();
    if (name == "LOCK" || name.rfind("LOG", 0) == 0) logs.push_back(entry.path());
  }
  for (const auto& path : logs) std::filesystem::remove(path, ignored);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "basalt-keep-databases: name the directory of a checkpoint" << std::endl;
    return 1;
  }
  Names kept;
  for (std::string name; std::getline(std::cin, name);) kept.insert(name);
  size_t dropped = 0;
  const Status status = Keep(words[1], kept, &dropped);
  if (!status.ok()) {
    std::cerr << "basalt-keep-databases: " << status.message() << std::endl;
    return 1;
  }
  RemoveLogs(words[1]);
  std::cout << dropped << std::endl;
  return 0;
}
