// SPDX-License-Identifier: GPL-2.0-only
#include "server/index_names.h"

#include <mutex>
#include <unordered_map>

#include "server/plugin_state.h"

namespace basalt::server {

namespace {

struct Names {
  std::mutex mutex;
  std::unordered_map<IndexId, std::string> by_index;
};

Names& KnownNames() {
  static Names names;
  return names;
}

}  // namespace

void NoteIndexNames(const engine::Table& table) {
  Names& names = KnownNames();
  std::lock_guard guard(names.mutex);
  for (size_t i = 0; i < table.index_count(); ++i) {
    const bool hidden = table.hidden_primary() && i == table.primary_position();
    names.by_index[table.index(i).id] =
        hidden ? "HIDDEN_PK_ID" : table.descriptor().indexes[i].name;
  }
}

IndexName NameOfIndex(IndexId index) {
  size_t position = 0;
  const auto table = Database()->catalog()->FindIndex(index, &position);
  if (table == nullptr) return {};
  Names& names = KnownNames();
  std::lock_guard guard(names.mutex);
  const auto known = names.by_index.find(index);
  return {table->name,
          known != names.by_index.end() ? known->second : "#" + std::to_string(position)};
}

}  // namespace basalt::server
