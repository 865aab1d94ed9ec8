// SPDX-License-Identifier: GPL-2.0-only
#include "server/storage_preset.h"

#include "store/store.h"

namespace basalt::server {
namespace {

// In the order of store::StoragePreset.
constexpr unsigned kDefault = static_cast<unsigned>(store::StoragePreset::kDefault);
ha_create_table_option table_options[] = {
    HA_TOPTION_ENUM("COMPRESSION", compression, "default,fast,small", kDefault), HA_TOPTION_END};

}  // namespace

ha_create_table_option* TableOptions() { return table_options; }

store::StoragePreset PresetOf(const TABLE_SHARE& share, row_type format) {
  const unsigned word =
      share.option_struct == nullptr ? kDefault : share.option_struct->compression;
  if (word != kDefault) return static_cast<store::StoragePreset>(word);
  return format == ROW_TYPE_COMPRESSED ? store::StoragePreset::kSmall
                                       : store::StoragePreset::kDefault;
}

void UsePreset(store::StoragePreset preset, catalog::IndexRequest* request) {
  const bool chosen =
      !request->column_family.empty() && request->column_family != store::kDefaultColumnFamilyName;
  if (preset == store::StoragePreset::kDefault || chosen) return;
  request->column_family = store::FamilyOfPreset(preset);
}

}  // namespace basalt::server
