// SPDX-License-Identifier: GPL-2.0-only
#include "server/reports/downgrade_check.h"

#include <map>

#include "base/mutex.h"

namespace basalt::server {
namespace {

Mutex g_mutex;
// By identity of the definition: can MyRocks open such a table? Of what was there at the last call.
std::map<std::string, bool> g_known BASALT_GUARDED_BY(g_mutex);

bool HasOnlyOldColumns(const TABLE_SHARE& share) {
  if (share.table_type == TABLE_TYPE_SEQUENCE || share.versioned == VERS_TRX_ID) return false;
  for (Field** field = share.field; *field != nullptr; ++field) {
    const bool generated = (*field)->vcol_info != nullptr;
    const bool hash = ((*field)->flags & LONG_UNIQUE_HASH_FIELD) != 0;
    if (generated || hash || (*field)->type() == MYSQL_TYPE_GEOMETRY) return false;
  }
  return true;
}

// `whole`: a table's name as definitions have it.
bool CanOpen(const catalog::Catalog& catalog, THD* thd, const std::string& whole) {
  catalog::TableDefinition definition;
  if (!catalog.definitions().Read(whole, &definition).ok()) return false;
  const std::string table(catalog::TableOfPartition(whole));
  const std::string path = catalog::VersionPathOfTable(whole);
  const std::string database = table.substr(0, table.find('.'));
  const std::string name = table.substr(database.size() + 1);
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<const uchar*>(text.data());
  };
  Dummy_error_handler silence;
  thd->push_internal_handler(&silence);
  TABLE_SHARE share;
  init_tmp_table_share(thd, &share, database.c_str(), 0, name.c_str(), path.c_str());
  const bool unread =
      share.init_from_binary_frm_image(
          thd, /*write=*/false, bytes(definition.frm), definition.frm.size(),
          definition.par.empty() ? nullptr : bytes(definition.par), definition.par.size()) != 0;
  const bool readable = !unread && HasOnlyOldColumns(share);
  free_table_share(&share);
  thd->pop_internal_handler();
  return readable;
}

}  // namespace

std::set<std::string> TablesMyRocksCannotOpen(const engine::Database& database, THD* thd) {
  std::set<std::string> found;
  std::map<std::string, bool> known;
  MutexLock lock(g_mutex);
  for (const auto& [whole, identity] : database.catalog()->definitions().All()) {
    const auto before = g_known.find(identity);
    // Very old definitions have no identity.
    const bool is_known = before != g_known.end() && !identity.empty();
    const bool can_open = is_known ? before->second : CanOpen(*database.catalog(), thd, whole);
    known.emplace(identity, can_open);
    if (!can_open) found.emplace(catalog::TableOfPartition(whole));
  }
  g_known = std::move(known);
  return found;
}

std::set<std::string> TablesWithForeignKeys(const engine::Database& database) {
  std::set<std::string> found;
  for (std::string& child : database.catalog()->foreign_keys().Children()) {
    if (!catalog::IsTemporaryName(child)) found.insert(std::move(child));
  }
  return found;
}

}  // namespace basalt::server
