// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/storage_preset.h"

#include <iterator>

#include "server/tables/index_attributes.h"
#include "server/variables/system_variables.h"
#include "store/format/column_family_names.h"
#include "store/store.h"

namespace basalt::server {
namespace {

using store::StoragePreset;

// The words of COMPRESSION, in the order of the list that the server has of them. Definitions of
// tables hold the word and not its number.
struct Word {
  const char* text = nullptr;
  StoragePreset preset = StoragePreset::kDefault;
  bool is_of_tokudb = false;
};
constexpr unsigned kDefault = 0;
constexpr const char* kList =
    "default,fast,small,"
    "tokudb_default,tokudb_uncompressed,tokudb_snappy,tokudb_quicklz,tokudb_fast,"
    "tokudb_zlib,tokudb_lzma,tokudb_small";
constexpr Word kWords[] = {
    {"default", StoragePreset::kDefault},
    {"fast", StoragePreset::kFast},
    {"small", StoragePreset::kSmall},
    {"TOKUDB_DEFAULT", StoragePreset::kDefault, true},
    {"TOKUDB_UNCOMPRESSED", StoragePreset::kDefault, true},
    {"TOKUDB_SNAPPY", StoragePreset::kDefault, true},
    {"TOKUDB_QUICKLZ", StoragePreset::kDefault, true},
    {"TOKUDB_FAST", StoragePreset::kDefault, true},
    {"TOKUDB_ZLIB", StoragePreset::kSmall, true},
    {"TOKUDB_LZMA", StoragePreset::kSmall, true},
    {"TOKUDB_SMALL", StoragePreset::kSmall, true},
};
ha_create_table_option table_options[] = {
    HA_TOPTION_ENUM("COMPRESSION", compression, kList, kDefault), HA_TOPTION_END};

unsigned NumberOfWord(const TABLE_SHARE& share) {
  return share.option_struct == nullptr ? kDefault : share.option_struct->compression;
}

}  // namespace

ha_create_table_option* TableOptions() { return table_options; }

StoragePreset PresetOf(const TABLE_SHARE& share, row_type format) {
  const unsigned number = NumberOfWord(share);
  if (number != kDefault && number < std::size(kWords)) return kWords[number].preset;
  return format == ROW_TYPE_COMPRESSED ? StoragePreset::kSmall : StoragePreset::kDefault;
}

const char* WordOfTokuDb(const TABLE_SHARE& share) {
  const unsigned number = NumberOfWord(share);
  const bool is_of_tokudb = number < std::size(kWords) && kWords[number].is_of_tokudb;
  return is_of_tokudb ? kWords[number].text : nullptr;
}

void UsePreset(store::StoragePreset preset, catalog::IndexRequest* request) {
  const bool chosen =
      !request->column_family.empty() && request->column_family != store::kDefaultColumnFamilyName;
  if (preset == store::StoragePreset::kDefault || chosen) return;
  request->column_family = store::FamilyOfPreset(preset);
}

store::StoragePreset PresetOfRows(std::string_view family_name, const TABLE_SHARE& share) {
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
