// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/storage_preset.h"

#include "server/tables/index_attributes.h"
#include "server/variables/system_variables.h"
#include "store/format/column_family_names.h"
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

store::StoragePreset PresetOfRows(std::string_view family_name, const TABLE_SHARE& share) {
  using store::StoragePreset;
  for (const auto preset : {StoragePreset::kDefault, StoragePreset::kFast, StoragePreset::kSmall}) {
    if (family_name == store::FamilyOfPreset(preset)) return preset;
  }
  return PresetOf(share, share.row_type);
}

Status PlaceIndex(const store::Store& store, const KEY& key, std::string_view table_name,
                  store::StoragePreset preset, catalog::IndexRequest* request) {
  BASALT_RETURN_IF_ERROR(ChooseFamilyOf(key, table_name, request));
  UsePreset(preset, request);
  const std::string& name = request->column_family;
  if (MayCreateColumnFamilies() || store.FindColumnFamily(name) != nullptr) {
    return Status::Ok();
  }
  return Status(Code::kInvalidArgument, "there is no column family '" + name +
                                            "', and rocksdb_no_create_column_family is ON");
}

}  // namespace basalt::server
