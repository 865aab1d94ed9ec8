// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/index_names.h"

#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "server/tables/frm_header.h"

namespace basalt::server {

namespace {

struct Names {
  Mutex mutex;
  std::unordered_map<IndexId, std::string> by_index BASALT_GUARDED_BY(mutex);
};

Names& KnownNames() {
  static Names names;
  return names;
}

constexpr char kHiddenPrimary[] = "HIDDEN_PK_ID";

bool FindName(IndexId index, std::string* name) {
  Names& names = KnownNames();
  MutexLock guard(names.mutex);
  const auto known = names.by_index.find(index);
  if (known == names.by_index.end()) return false;
  *name = known->second;
  return true;
}

// Of a table that nobody has opened since the start.
void NoteNamesInDictionary(const engine::Database& database, const catalog::TableRecord& table) {
  catalog::TableDefinition definition;
  std::vector<std::string> keys;
  if (!database.catalog()->definitions().Read(table.name, &definition).ok() ||
      !ReadFrmKeyNames(definition.frm, &keys)) {
    return;
  }
  const bool hidden = table.indexes.size() == keys.size() + 1 &&
                      table.indexes.back().kind == catalog::IndexKind::kHiddenPrimary;
  if (hidden) keys.emplace_back(kHiddenPrimary);
  if (keys.size() != table.indexes.size()) return;
  Names& names = KnownNames();
  MutexLock guard(names.mutex);
  for (size_t i = 0; i < keys.size(); ++i) names.by_index.emplace(table.indexes[i].id, keys[i]);
}

}  // namespace

void NoteIndexNames(const engine::Table& table) {
  Names& names = KnownNames();
  MutexLock guard(names.mutex);
  for (size_t i = 0; i < table.index_count(); ++i) {
    const bool hidden = table.hidden_primary() && i == table.primary_position();
    names.by_index[table.index(i).id] =
        hidden ? kHiddenPrimary : table.descriptor().indexes[i].name;
  }
}

void ForgetIndexNames() {
  Names& names = KnownNames();
  MutexLock guard(names.mutex);
  names.by_index.clear();
}

IndexName NameOfIndex(const engine::Database& database, IndexId index) {
  size_t position = 0;
  const auto table = database.catalog()->FindIndex(index, &position);
  if (table == nullptr) return {};
  std::string name;
  if (FindName(index, &name)) return {table->name, name};
  NoteNamesInDictionary(database, *table);
  if (FindName(index, &name)) return {table->name, name};
  return {table->name, "#" + std::to_string(position)};
}

}  // namespace basalt::server
