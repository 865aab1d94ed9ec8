// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/related_tables.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/mutex.h"
#include "server/tables/engine_table.h"
#include "server/tables/file_names.h"
#include "server/tables/stored_table.h"

namespace basalt::server {

namespace {

// What connections have open. It keeps nothing open itself.
struct OpenRelatedTables {
  Mutex mutex;
  std::map<std::string, std::weak_ptr<const RelatedTable>> tables BASALT_GUARDED_BY(mutex);
};

OpenRelatedTables& OpenTables() {
  static OpenRelatedTables open;
  return open;
}

RelatedTablePointer FindOpen(const catalog::Catalog& catalog, const std::string& name) {
  MutexLock lock(OpenTables().mutex);
  const auto at = OpenTables().tables.find(name);
  if (at == OpenTables().tables.end()) return nullptr;
  RelatedTablePointer related = at->second.lock();
  if (related != nullptr && related->IsCurrent(catalog, name)) return related;
  OpenTables().tables.erase(at);
  return nullptr;
}

}  // namespace

std::optional<std::vector<uint32_t>> RelatedTable::FindColumns(const catalog::ForeignKey& foreign,
                                                               Side side) const {
  std::vector<uint32_t> positions;
  for (const catalog::ForeignKey::Columns& pair : foreign.columns) {
    const auto at = std::find_if(columns.begin(), columns.end(), [&](const std::string& name) {
      return SameColumnName(name.c_str(), (pair.*side).c_str());
    });
    if (at == columns.end()) return std::nullopt;
    positions.push_back(static_cast<uint32_t>(at - columns.begin()));
  }
  return positions;
}

int LockRelatedTable(THD* thd, const std::string& name, enum_mdl_type type,
                     enum_mdl_duration duration) {
  const DisplayNames names = DisplayNamesOf(name);
  MDL_request request;
  MDL_REQUEST_INIT(&request, MDL_key::TABLE, names.database.c_str(), names.table.c_str(), type,
                   duration);
  const bool refused = thd->mdl_context.acquire_lock(
      &request, static_cast<double>(thd->variables.lock_wait_timeout));
  return refused ? HA_ERR_LOCK_WAIT_TIMEOUT : 0;
}

Status FindRelatedTable(THD* thd, engine::Database* database, const std::string& name,
                        RelatedTablePointer* found) {
  *found = FindOpen(*database->catalog(), name);
  if (*found != nullptr) return Status::Ok();
  auto related = std::make_shared<RelatedTable>();
  related->generation = database->catalog()->foreign_keys().generation();
  related->record = database->catalog()->FindTable(name);
  StoredTable stored(thd);
  BASALT_RETURN_IF_ERROR(stored.Open(*database->catalog(), name));
  BASALT_RETURN_IF_ERROR(OpenEngineTable(database, stored.table(), name, &related->table));
  for (Field** field = stored.table().field; *field != nullptr; ++field) {
    related->columns.emplace_back((*field)->field_name.str);
  }
  *found = std::move(related);
  MutexLock lock(OpenTables().mutex);
  OpenTables().tables[name] = *found;
  return Status::Ok();
}

}  // namespace basalt::server
