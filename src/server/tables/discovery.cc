// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/discovery.h"

#include <string>

#include "server/error_map.h"
#include "server/plugin_state.h"
#include "server/tables/definition_files.h"
#include "server/tables/file_names.h"
#include "server/tables/table_name.h"

namespace basalt::server {

namespace {

Bytes IdentityOf(const TABLE_SHARE& share) {
  return Bytes(reinterpret_cast<const char*>(share.tabledef_version.str),
               share.tabledef_version.length);
}

// A partitioned table in the dictionary has as many partitions as the definition says. It has not
// when a statement has added some and the table was not opened since.
bool PartitionsAgree(const catalog::Catalog& catalog, const std::string& name,
                     const catalog::TableDefinition& definition) {
  if (definition.par.empty()) return true;
  size_t found = 0;
  for (const auto& table : catalog.Tables()) {
    found += catalog::IsPartitionName(table->name) &&
             catalog::TableOfPartition(table->name) == catalog::TableOfPartition(name);
  }
  return found == PartitionsIn(definition.par);
}

void KeepRead(catalog::Catalog& catalog, const catalog::TableDefinition& definition,
              const std::string& name) {
  const Status status = catalog.StoreDefinition(name, definition, /*sync=*/false);
  if (status.ok()) return;
  sql_print_warning("ROCKSDB: the definition of table %s is not kept in the dictionary: %s",
                    name.c_str(), status.ToString().c_str());
}

int Refuse(const std::string& name) {
  my_printf_error(ER_UNKNOWN_ERROR,
                  "ROCKSDB: the table %s has lost its definition (.frm file), and the dictionary "
                  "has none; put the file back, or drop the table",
                  MYF(0), name.c_str());
  return HA_ERR_GENERIC;
}

int DiscoverTable(handlerton*, THD* thd, TABLE_SHARE* share) {
  const engine::Database* const database = RunningDatabase();
  std::string name;
  if (database == nullptr || !TableNameOf(share->normalized_path.str, &name).ok()) {
    return HA_ERR_NO_SUCH_TABLE;
  }
  const catalog::Catalog& catalog = *database->catalog();
  catalog::TableDefinition definition;
  const Status status = catalog.definitions().Read(name, &definition);
  if (!status.ok() || !PartitionsAgree(catalog, name, definition)) {
    return catalog.IsTable(name) ? Refuse(name) : HA_ERR_NO_SUCH_TABLE;
  }
  const auto* frm = reinterpret_cast<const uchar*>(definition.frm.data());
  const auto* par = reinterpret_cast<const uchar*>(definition.par.data());
  sql_print_information("ROCKSDB: the definition of table %s was lost; it is written anew",
                        name.c_str());
  if (definition.par.empty()) par = nullptr;
  return share->init_from_binary_frm_image(thd, true, frm, definition.frm.size(), par,
                                           definition.par.size());
}

int DiscoverTableNames(handlerton*, LEX_CSTRING* schema, MY_DIR*,
                       handlerton::discovered_list* result) {
  const engine::Database* const database = RunningDatabase();
  if (database == nullptr) return 0;
  for (const std::string& name : database->catalog()->TablesOf(FileNameOf(schema->str))) {
    if (result->add_file(name.c_str())) return 1;
  }
  return 0;
}

int DiscoverTableExistence(handlerton*, const char* schema, const char* table) {
  const engine::Database* const database = RunningDatabase();
  if (database == nullptr) return 0;
  return database->catalog()->IsTable(DictionaryNameOf({schema, table}));
}

}  // namespace

void SetUpDiscovery(handlerton* hton) {
  hton->discover_table = DiscoverTable;
  hton->discover_table_names = DiscoverTableNames;
  hton->discover_table_existence = DiscoverTableExistence;
}

bool DefinitionOfNewTable(const catalog::Catalog& catalog, const TABLE_SHARE& share,
                          const std::string& name, catalog::TableDefinition* definition) {
  // Only the share of a table in the making has the image: in others the pointer may be left over
  // from an ALTER.
  if (share.tmp_table == NO_TMP_TABLE) return false;
  if (catalog::IsPartitionName(name) || share.frm_image == nullptr) {
    if (catalog.definitions().Has(name, IdentityOf(share))) return false;
    const std::string path(share.normalized_path.str, share.normalized_path.length);
    return ReadDefinitionFiles(path, definition, nullptr).ok();
  }
  const LEX_CUSTRING& image = *share.frm_image;
  const Bytes bytes(reinterpret_cast<const char*>(image.str), image.length);
  return DefinitionFromFrm(bytes, definition).ok();
}

int WriteFrmOfNewTable(TABLE_SHARE* share) { return share->write_frm_image() ? HA_ERR_GENERIC : 0; }

void StoreDefinition(catalog::Catalog& catalog, const TABLE_SHARE& share, const std::string& name) {
  if (catalog.definitions().Has(name, IdentityOf(share))) return;
  const std::string path(share.normalized_path.str, share.normalized_path.length);
  catalog::TableDefinition definition;
  // Another identity: somebody else's file, or none of a version this table is opened by.
  if (!ReadDefinitionFiles(path, &definition, nullptr).ok()) return;
  if (definition.identity == IdentityOf(share)) KeepRead(catalog, definition, name);
}

void StoreDefinitionOfFile(catalog::Catalog& catalog, const std::string& path,
                           const std::string& name) {
  catalog::TableDefinition definition;
  FrmHeader header;
  if (!catalog.IsTable(catalog::TableOfPartition(name)) ||
      !ReadDefinitionFiles(path, &definition, &header).ok() ||
      catalog.definitions().Has(name, definition.identity)) {
    return;
  }
  if (header.partitioned != catalog::IsPartitionName(name)) return;
  if (catalog.definitions().IsOfAnother(name, definition.identity)) return;
  if (header.partitioned && definition.par.empty()) return;  // half a definition
  KeepRead(catalog, definition, name);
}

}  // namespace basalt::server
